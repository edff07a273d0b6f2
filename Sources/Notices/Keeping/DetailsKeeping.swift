internal import CivilTime

// What few people have. The order of writing is the order of reading, theme by theme.

extension Details {
    func write(into writer: inout KeptWriter) {
        writer.optional(displayName) { $0.text($1) }
        writer.instant(checkInsSince)
        writer.instant(notNowAt)
        writer.number(notNowBy)
        writer.instant(lastSeenAt)
        writer.optional(email) { $0.text($1) }
        writer.instant(emailSince)
        writer.instant(emailWantedSince)
        writer.number(quietBy)
        writer.json(differences)
        writer.optional(preset) { $0.text($1) }
        writer.list(stopped) { writer, stop in
            writer.text(stop.kind)
            writer.byte(stop.channels.rawValue)
        }
        writer.optional(deviceZone) { $0.text($1) }
        journey.write(into: &writer)
        writer.optional(unknownZone) { $0.text($1) }
        writer.list(goals) { $1.write(into: &$0) }
        writer.list(Array(waiting)) { $1.write(into: &$0) }
        writer.list(Array(raised)) { $1.write(into: &$0) }
        writer.list(ahead) { $1.write(into: &$0) }
        writer.list(snoozes) { $1.write(into: &$0) }
        writer.list(snoozeCounts) { $1.write(into: &$0) }
        writer.optional(viewing) { $0.text($1) }
        writer.list(conversations) { $1.write(into: &$0) }
        analyses.write(into: &writer)
        phone.write(into: &writer)
        writer.list(points) { writer, entry in
            writer.text(entry.subject)
            writer.date(entry.day)
            writer.signed(entry.points)
        }
        writer.list(subjectNames) { writer, named in
            writer.text(named.subject)
            writer.text(named.title)
        }
        writer.list(failures) { $1.write(into: &$0) }
        writer.list(told) { $1.write(into: &$0) }
        writer.list(streaks) { writer, streak in
            writer.text(streak.subject)
            writer.signed(streak.days)
            writer.date(streak.last)
        }
        writer.list(totals) { writer, entry in
            writer.text(entry.subject)
            writer.signed(entry.points)
        }
        week.write(into: &writer)
    }

    init(from reader: inout KeptReader, kinds: Int) throws(KeptFault) {
        displayName = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        checkInsSince = try reader.instant()
        notNowAt = try reader.instant()
        notNowBy = try reader.number()
        lastSeenAt = try reader.instant()
        email = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        emailSince = try reader.instant()
        emailWantedSince = try reader.instant()
        quietBy = try reader.number()
        differences = try reader.json()
        preset = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        stopped = try reader.list { (reader) throws(KeptFault) in
            let kind = try reader.text()
            return StoppedChannels(kind: kind, channels: ChannelSet(rawValue: try reader.byte()))
        }
        deviceZone = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        journey = try Journey(from: &reader)
        unknownZone = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        goals = try reader.list { (reader) throws(KeptFault) in try Goal(from: &reader) }
        waiting = NoticeList(
            try reader.list { (reader) throws(KeptFault) in try Waiting(from: &reader, kinds: kinds) })
        raised = NoticeList(
            try reader.list { (reader) throws(KeptFault) in try Notice.read(from: &reader, kinds: kinds) })
        ahead = try reader.list { (reader) throws(KeptFault) in try Mark(from: &reader, kinds: kinds) }
        snoozes = try reader.list { (reader) throws(KeptFault) in try Snooze(from: &reader, kinds: kinds) }
        snoozeCounts = try reader.list { (reader) throws(KeptFault) in try SnoozeCount(from: &reader) }
        viewing = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        conversations = try reader.list { (reader) throws(KeptFault) in try Conversation(from: &reader) }
        analyses = try AnalysisWindow(from: &reader)
        phone = try PhoneState(from: &reader)
        points = try reader.list { (reader) throws(KeptFault) in
            let subject = try reader.text()
            let day = try reader.date()
            return PointsEntry(subject: subject, day: day, points: try reader.signed())
        }
        subjectNames = try reader.list { (reader) throws(KeptFault) in
            let subject = try reader.text()
            return SubjectName(subject: subject, title: try reader.text())
        }
        failures = try reader.list { (reader) throws(KeptFault) in try FailedJob(from: &reader) }
        told = try reader.list { (reader) throws(KeptFault) in try ToldNotice(from: &reader, kinds: kinds) }
        streaks = try reader.list { (reader) throws(KeptFault) in
            let (subject, days) = (try reader.text(), try reader.signed())
            return Streak(subject: subject, days: days, last: try reader.date())
        }
        totals = try reader.list { (reader) throws(KeptFault) in
            let subject = try reader.text()
            return PointsTotal(subject: subject, points: try reader.signed())
        }
        week = try ActivityLog(from: &reader)
    }
}

extension Journey {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.optional(before) { $0.text($1) }
        writer.list(departures) { writer, departure in
            writer.text(departure.zone)
            writer.instant(departure.at)
        }
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        before = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        departures = try reader.list { (reader) throws(KeptFault) in
            let zone = try reader.text()
            return Departure(zone: zone, at: try reader.instant())
        }
    }
}

extension Goal {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.text(id)
        writer.text(title)
        writer.optional(deadline) { $0.instant($1) }
        writer.number(deadlineSequence)
        writer.instant(deadlineAt)
        writer.optional(reminderTime) { $0.time($1) }
        writer.optional(checkInDays) { $0.byte($1.rawValue) }
        writer.flag(hasEnded)
        writer.instant(endedAt)
        writer.list(checkIns) { $0.instant($1) }
        writer.instant(since)
        writer.optional(remindedOn) { $0.date($1) }
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        id = try reader.text()
        title = try reader.text()
        deadline = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        deadlineSequence = try reader.number()
        deadlineAt = try reader.instant()
        reminderTime = try reader.optional { (reader) throws(KeptFault) in try reader.time() }
        checkInDays = try reader.optional { (reader) throws(KeptFault) in WeekdaySet(rawValue: try reader.byte()) }
        hasEnded = try reader.flag()
        endedAt = try reader.instant()
        checkIns = try reader.list { (reader) throws(KeptFault) in try reader.instant() }
        since = try reader.instant()
        remindedOn = try reader.optional { (reader) throws(KeptFault) in try reader.date() }
    }
}

extension Snooze {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.instant(due)
        writer.text(base)
        writer.signed(number)
        writer.count(kind)
        job.write(into: &writer)
        writer.optional(slot) { $0.slot($1) }
        writer.optional(slotDue) { $0.instant($1) }
        writer.list(read) { $0.text($1) }
        writer.optional(held) { $0.byte(UInt8($1.rawValue)) }
    }

    fileprivate init(from reader: inout KeptReader, kinds: Int) throws(KeptFault) {
        due = try reader.instant()
        base = try reader.text()
        number = try reader.signed()
        kind = try reader.place(below: kinds)
        job = try JobMemo.read(from: &reader)
        slot = try reader.optional { (reader) throws(KeptFault) in try reader.slot() }
        slotDue = try reader.optional { (reader) throws(KeptFault) in try reader.instant() }
        read = try reader.list { (reader) throws(KeptFault) in try reader.text() }
        held = try reader.optional { (reader) throws(KeptFault) in try reader.word(Reason.self) }
    }
}

extension ToldNotice {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.count(kind)
        writer.optional(subject) { $0.text($1) }
        writer.optional(subtype) { $0.text($1) }
        writer.date(date)
        writer.number(sequence)
        writer.flag(wasAsked)
    }

    fileprivate init(from reader: inout KeptReader, kinds: Int) throws(KeptFault) {
        kind = try reader.place(below: kinds)
        subject = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        subtype = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        date = try reader.date()
        sequence = try reader.number()
        wasAsked = try reader.flag()
    }
}

extension FailedJob {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.text(name)
        for set in [failed, taken, again, reported, lasting, instead] { writer.byte(set.rawValue) }
        writer.instant(at)
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        name = try reader.text()
        failed = ChannelSet(rawValue: try reader.byte())
        taken = ChannelSet(rawValue: try reader.byte())
        again = ChannelSet(rawValue: try reader.byte())
        reported = ChannelSet(rawValue: try reader.byte())
        lasting = ChannelSet(rawValue: try reader.byte())
        instead = ChannelSet(rawValue: try reader.byte())
        at = try reader.instant()
    }
}

extension SnoozeCount {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.text(base)
        writer.signed(count)
        writer.instant(lastAt)
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        base = try reader.text()
        count = try reader.signed()
        lastAt = try reader.instant()
    }
}

extension PhoneState {
    fileprivate func write(into writer: inout KeptWriter) {
        writer.optional(number) { $0.text($1) }
        writer.optional(asked) { $0.text($1) }
        writer.instant(askedAt)
        writer.list(codesAsked) { $0.instant($1) }
        writer.number(request)
        writer.signed(attempts)
        writer.flag(wasCorrect)
        writer.instant(lockedUntil)
        writer.instant(since)
    }

    fileprivate init(from reader: inout KeptReader) throws(KeptFault) {
        number = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        asked = try reader.optional { (reader) throws(KeptFault) in try reader.text() }
        askedAt = try reader.instant()
        codesAsked = try reader.list { (reader) throws(KeptFault) in try reader.instant() }
        request = try reader.number()
        attempts = try reader.signed()
        wasCorrect = try reader.flag()
        lockedUntil = try reader.instant()
        since = try reader.instant()
    }
}
