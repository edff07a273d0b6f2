internal import CivilTime

// Notices, and what is remembered of them.

extension Notice {
    func write(into writer: inout KeptWriter) {
        writer.text(name)
        writer.count(kind)
        writer.optional(subject) { $0.text($1) }
        writer.byte(UInt8(priority.rawValue))
        writer.instant(raisedAt)
        writer.date(date)
        writer.optional(slot) { $0.slot($1) }
        writer.optional(due) { $0.instant($1) }
        writer.optional(day) { $0.stretch($1) }
        writer.number(sequence)
        writer.optional(content) { $1.write(into: &$0) }
        switch origin {
        case .ordinary: writer.byte(0)
        case .forced: writer.byte(1)
        case .snooze(let number):
            writer.byte(2)
            writer.signed(number)
        case .test(let channels):
            writer.byte(3)
            writer.byte(channels.rawValue)
        }
    }

    static func read(from reader: inout KeptReader, kinds: Int) throws(KeptFault) -> Notice {
        let name = try reader.text()
        let kind = try reader.place(below: kinds)
        let subject = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let priority = try reader.word(Priority.self)
        let raisedAt = try reader.instant()
        let date = try reader.date()
        let slot = try reader.optional { (reader) throws(KeptFault) in try reader.slot() }
        let due = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let day = try reader.optional { (reader) throws(KeptFault) in try reader.stretch() }
        let sequence = try reader.number()
        let content = try reader.optional { (reader) throws(KeptFault) in try NoticeContent.read(from: &reader) }
        let origin: Origin
        switch try reader.byte() {
        case 0: origin = .ordinary
        case 1: origin = .forced
        case 2: origin = .snooze(try reader.signed())
        case 3: origin = .test(ChannelSet(rawValue: try reader.byte()))
        default: throw .outOfRange
        }
        return Notice(
            name: name, kind: kind, subject: subject, priority: priority, raisedAt: raisedAt, date: date, slot: slot,
            due: due, day: day, sequence: sequence, content: content, origin: origin)
    }
}

extension NoticeContent {
    func write(into writer: inout KeptWriter) {
        writer.optional(title) { $0.text($1) }
        writer.optional(body) { $0.text($1) }
        writer.texts(data)
        writer.optional(expiresAt) { $0.instant($1) }
        writer.optional(subtype) { $0.text($1) }
        writer.optional(week) { $1.write(into: &$0) }
    }

    static func read(from reader: inout KeptReader) throws(KeptFault) -> NoticeContent {
        let title = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let body = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let data = try reader.texts()
        let expiresAt = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let subtype = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let week = try reader.optional { (reader) throws(KeptFault) in try WeekActivity(from: &reader) }
        return NoticeContent(
            title: title, body: body, data: data, expiresAt: expiresAt, subtype: subtype, week: week)
    }
}

extension Waiting {
    func write(into writer: inout KeptWriter) {
        notice.write(into: &writer)
        writer.optional(heldUntil) { $0.instant($1) }
        writer.optional(gatheredInto) { $0.text($1) }
        writer.byte(UInt8(reason.rawValue))
        writer.flag(isRead)
        writer.flag(isForWeek)
    }

    init(from reader: inout KeptReader, kinds: Int) throws(KeptFault) {
        let notice = try Notice.read(from: &reader, kinds: kinds)
        let until = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let into = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let state: State
        switch (until, into) {
        case (let until?, nil): state = .held(until: until)
        case (nil, let into?): state = .gathered(into: into)
        default: throw .outOfRange
        }
        self.init(notice: notice, state: state, reason: try reader.word())
        isRead = try reader.flag()
        isForWeek = try reader.flag()
    }
}

extension JobMemo {
    func write(into writer: inout KeptWriter) {
        writer.text(name)
        writer.instant(raisedAt)
        writer.date(date)
        writer.list(subjects) { $0.text($1) }
        writer.byte(UInt8(priority.rawValue))
        writer.text(title)
        writer.text(body)
        writer.texts(data)
        writer.optional(expiresAt) { $0.instant($1) }
        writer.optional(subtype) { $0.text($1) }
        writer.optional(notAfter) { $0.instant($1) }
        writer.count(notices)
        writer.flag(isRemade)
        writer.optional(day) { $0.stretch($1) }
        writer.list(members) { $1.write(into: &$0) }
    }

    static func read(from reader: inout KeptReader) throws(KeptFault) -> JobMemo {
        let name = try reader.text()
        let raisedAt = try reader.instant()
        let date = try reader.date()
        let subjects = try reader.list { (reader) throws(KeptFault) in try reader.text() }
        let priority = try reader.word(Priority.self)
        let title = try reader.text()
        let body = try reader.text()
        let data = try reader.texts()
        let expiresAt = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let subtype = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let notAfter = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let notices = Int(clamping: try reader.number())
        return JobMemo(
            name: name, raisedAt: raisedAt, date: date, subjects: subjects, priority: priority, title: title,
            body: body, data: data, expiresAt: expiresAt, subtype: subtype, notAfter: notAfter,
            notices: notices, isRemade: try reader.flag(),
            day: try reader.optional { (reader) throws(KeptFault) in try reader.stretch() },
            members: try reader.list { (reader) throws(KeptFault) in try JobMember(from: &reader) })
    }
}

extension JobMember {
    func write(into writer: inout KeptWriter) {
        writer.optional(subject) { $0.text($1) }
        writer.byte(UInt8(priority.rawValue))
        writer.instant(raisedAt)
        writer.date(date)
        writer.optional(slot) { $0.slot($1) }
        writer.optional(due) { $0.instant($1) }
        writer.optional(day) { $0.stretch($1) }
        writer.optional(content) { $1.write(into: &$0) }
    }

    init(from reader: inout KeptReader) throws(KeptFault) {
        subject = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        priority = try reader.word(Priority.self)
        raisedAt = try reader.instant()
        date = try reader.date()
        slot = try reader.optional { (reader) throws(KeptFault) in try reader.slot() }
        due = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        day = try reader.optional { (reader) throws(KeptFault) in try reader.stretch() }
        content = try reader.optional { (reader) throws(KeptFault) in try NoticeContent.read(from: &reader) }
    }
}

extension Mark {
    /// In the byte of channels, of which half is free: a memo follows, or it was answered. All of the flags' bits are flags.
    private static let hasMemo: UInt8 = 0x80
    private static let isAnswered: UInt8 = 0x40
    private static let knownChannels: UInt8 = 0x0F

    func write(into writer: inout KeptWriter) {
        writer.instant(at)
        writer.date(date)
        writer.bytes.appendLittleEndian(minute)
        writer.byte(channels.rawValue | (memo == nil ? 0 : Self.hasMemo) | (isAnswered ? Self.isAnswered : 0))
        writer.byte(kind)
        writer.byte(flags.rawValue)
        guard let memo else { return }
        writer.optional(memo.subject) { $0.text($1) }
        writer.optional(memo.due) { $0.instant($1) }
        writer.optional(memo.job) { $1.write(into: &$0) }
    }

    init(from reader: inout KeptReader, kinds: Int) throws(KeptFault) {
        let at = try reader.instant()
        let date = try reader.date()
        let minute = try reader.time().minuteOfDay
        let channels = try reader.byte()
        let kind = try reader.byte()
        let flags = try reader.byte()
        guard Int(kind) < kinds, channels & ~(Self.knownChannels | Self.hasMemo | Self.isAnswered) == 0 else {
            throw .outOfRange
        }
        self.init(
            at: at, date: date, minute: minute, channels: ChannelSet(rawValue: channels & Self.knownChannels),
            kind: kind, flags: Flags(rawValue: flags))
        isAnswered = channels & Self.isAnswered != 0
        guard channels & Self.hasMemo != 0 else { return }
        let subject = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        let due = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        let job = try reader.optional { (reader) throws(KeptFault) in try JobMemo.read(from: &reader) }
        memo = Memo(subject: subject, due: due, job: job)
    }
}

extension KeptWriter {
    mutating func stretch(_ value: Range<Instant>) {
        instant(value.lowerBound)
        instant(value.upperBound)
    }

    mutating func texts(_ map: FlatMap<Text>) {
        list(map.entries) { writer, entry in
            writer.text(entry.key)
            writer.text(entry.value.text)
        }
    }
}

extension KeptReader {
    mutating func stretch() throws(KeptFault) -> Range<Instant> {
        let (start, end) = (try instant(), try instant())
        guard start <= end else { throw .outOfRange }
        return start..<end
    }

    mutating func texts() throws(KeptFault) -> FlatMap<Text> {
        var map = FlatMap<Text>()
        for _ in 0..<(try count()) {
            let key = try text()
            map[key] = Text(try text())
        }
        return map
    }
}
