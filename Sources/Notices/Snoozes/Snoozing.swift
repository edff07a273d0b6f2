public import CivilTime

/// Repeats that people ask for (`S1`, `S2`).
extension Person {
    func snooze(_ fact: NoticeSnoozed, on occasion: Occasion) {
        let at = occasion.at
        let base = fact.job.text.asRepeat?.base ?? fact.job.text
        guard let job = job(named: fact.job.text, on: occasion) ?? job(named: base, on: occasion),
            !isTest(fact.job.text, on: occasion)
        else { return }
        let number = snoozes(of: fact.job.text) + 1
        if let place = details.snoozeCounts.firstIndex(where: { $0.base == base }) {
            details.snoozeCounts[place].count = number
            details.snoozeCounts[place].lastAt = at
        } else {
            details.snoozeCounts.removeAll(where: isForgotten)
            if details.snoozeCounts.count >= PersonLimits.snoozedJobs { details.snoozeCounts.removeFirst() }
            details.snoozeCounts.append(SnoozeCount(base: base, count: number, lastAt: at))
        }
        details.snoozes.append(
            Snooze(
                due: at.advanced(byMinutes: Int64(fact.minutes)), base: base, number: number, kind: job.kind,
                job: job.memo, slot: job.slot, slotDue: job.due))
    }

    /// As long as a job of theirs is remembered, it may be snoozed once more.
    private func isForgotten(_ count: SnoozeCount) -> Bool { marks.first.map { count.lastAt < $0.at } ?? true }

    /// How many of the jobs that are remembered were snoozed.
    var snoozedJobs: Int { hasDetails ? details.snoozeCounts.count { !isForgotten($0) } : 0 }

    /// For how long a job may be put off yet; empty where it may not any more (`S1`).
    public func snoozeMinutes(of job: String, emittedAt instant: Instant, at now: Instant, _ plan: Plan) -> [Int] {
        let rule = plan.policy.snoozes
        let isRemembered = instant.advanced(byMilliseconds: Self.jobsRemembered) >= now
        return isRemembered && snoozes(of: job) < rule.times ? rule.minutes : []
    }

    /// How often a job was snoozed, whichever of its repeats is named: a repeat's own number tells it as well.
    func snoozes(of name: String) -> Int {
        let (base, number) = name.asRepeat ?? (name, 0)
        guard hasDetails else { return number }
        return max(number, details.snoozeCounts.first { $0.base == base }?.count ?? 0)
    }

    /// A job that is remembered, by its name.
    typealias RememberedJob = (at: Instant, kind: Int, memo: JobMemo, slot: LocalDateTime?, due: Instant?)

    func job(named name: String, on occasion: Occasion) -> RememberedJob? {
        let plan = occasion.plan
        guard let place = jobPlace(named: name, on: occasion) else { return nil }
        let mark = marks[place]
        let kind = Int(mark.kind)
        if let memo = mark.memo?.job { return (mark.at, kind, memo, mark.slot, mark.memo?.due) }
        guard let slot = mark.slot else { return nil }
        let phrases = plan.kind(kind).phrases
        let values = values(about: nil, at: mark.at)
        let memo = JobMemo(
            name: name, raisedAt: mark.at, date: slot.date, subjects: [], priority: plan.kind(kind).priority,
            title: phrases.title.filled(values),
            body: phrases.body(onDay: Int(slot.date.daysSince1970)).filled(values), data: FlatMap(),
            expiresAt: nil, subtype: nil, notAfter: nil, isRemade: true)
        return (mark.at, kind, memo, slot, nil)
    }

    /// The place of a job's mark.
    func jobPlace(named name: String, on occasion: Occasion) -> Int? {
        let oldest = occasion.at.advanced(byMilliseconds: -Self.jobsRemembered)
        return marks.indices.last { place in
            let mark = marks[place]
            guard mark.flags.contains(.job), mark.at >= oldest else { return false }
            if let memo = mark.memo?.job { return memo.name == name }
            return mark.slot.map {
                Notice.name(occasion.user, occasion.plan.kind(Int(mark.kind)).name.text, nil, $0.description) == name
            } ?? false
        }
    }

    /// How much later than asked for a repeat may come, and be what was asked for.
    static let repeatPatience: Int64 = 60_000

    /// `S1`: whether a repeat comes at another time than the person asked for: the worker was down, or it was held since.
    func comesLate(_ notice: Notice, at now: Instant) -> Bool {
        guard notice.isRepeat, hasDetails, let snooze = details.snooze(named: notice.name) else { return false }
        return isLate(snooze, now)
    }

    func isLate(_ snooze: Snooze, _ now: Instant) -> Bool {
        snooze.held != nil || now > snooze.due.advanced(byMilliseconds: Self.repeatPatience)
    }

    /// The repeats that came late and wait for an hour that suits, where it has come by an instant; as many as may be asked for.
    func heldRepeats(until instant: Instant = .distantFuture) -> some Sequence<Snooze> {
        details.snoozes.lazy.filter { $0.held != nil && $0.due <= instant }.prefix(PersonLimits.snoozes)
    }

    /// A repeat that comes late waits for an hour that suits.
    func postpone(_ base: String, _ number: Int, until: Instant, _ reason: Reason) {
        guard hasDetails,
            let place = details.snoozes.firstIndex(where: { $0.base == base && $0.number == number })
        else { return }
        details.snoozes[place].due = until
        details.snoozes[place].held = reason
    }

    /// A repeat went out, or came to its end.
    func repeated(_ base: String, _ number: Int, _ job: JobEmitted?, on occasion: Occasion) {
        let (at, plan) = (occasion.at, occasion.plan)
        guard hasDetails,
            let place = details.snoozes.firstIndex(where: { $0.base == base && $0.number == number })
        else { return }
        let snooze = details.snoozes.remove(at: place)
        guard let job else { return }
        if let place = details.snoozeCounts.firstIndex(where: { $0.base == base }) {
            details.snoozeCounts[place].lastAt = at
        }
        let flags = Mark.Flags(job: ChannelSet(job.channels), plan.kind(snooze.kind), job.priority)
        let memo = JobMemo(
            name: job.job.text, raisedAt: snooze.job.raisedAt, date: snooze.job.date,
            subjects: snooze.job.subjects,
            priority: snooze.job.priority, title: snooze.job.title, body: snooze.job.body, data: snooze.job.data,
            expiresAt: snooze.job.expiresAt,
            subtype: snooze.job.subtype, notAfter: job.notAfter, notices: snooze.job.notices, day: snooze.job.day,
            members: snooze.job.members)
        // It is there once: what comes again takes the place of what came before.
        see(job: base, plan)
        add(
            Mark(
                at: at, date: snooze.slot?.date ?? LocalDate(daysSince1970: 0),
                minute: snooze.slot?.time.minuteOfDay ?? 0, channels: ChannelSet(job.channels),
                kind: UInt8(snooze.kind),
                flags: snooze.job.notices > 1 ? flags.union(.several) : flags,
                memo: Mark.Memo(subject: nil, due: snooze.slotDue, job: memo)))
    }
}

extension Mark {
    /// The slot it is named after.
    var slot: LocalDateTime? {
        guard date.daysSince1970 != 0, let time = LocalTime(minuteOfDay: Int(minute)) else { return nil }
        return LocalDateTime(date: date, time: time)
    }
}

extension String {
    /// The name of the n-th repeat of a job, taken apart; `nil` for any other.
    public var asRepeat: (base: String, number: Int)? {
        var name = self
        // Most names have none.
        guard let place = name.withUTF8({ $0.lastIndex(of: UInt8(ascii: "~")) }) else { return nil }
        let tilde = name.utf8.index(name.startIndex, offsetBy: place)
        guard let number = Int(name[name.utf8.index(after: tilde)...]) else { return nil }
        return (String(name[..<tilde]), number)
    }

    /// Whether it names this job, or one of its repeats. Names that are neither are told apart by a look.
    func isNameOrRepeat(of base: String) -> Bool {
        if utf8.count == base.utf8.count { return self == base }
        return utf8.count > base.utf8.count && utf8.starts(with: base.utf8) && asRepeat?.base == base
    }
}

extension Details {
    func snooze(named name: String) -> Snooze? {
        guard let (base, number) = name.asRepeat else { return nil }
        return snoozes.first { $0.number == number && $0.base == base }
    }
}

extension Snooze {
    var name: String { "\(base)~\(number)" }

    /// The notice that comes again.
    var notice: Notice { job.notice(name, kind, slot, slotDue, .snooze(number)) }

    /// Of a bundle, what it told of, each as it comes again; empty for every other.
    var members: [Notice] { job.members(name, kind, .snooze(number)) }
}

extension JobMemo {
    /// What it told of, about the first of its subjects.
    func notice(
        _ name: String, _ kind: Int, _ slot: LocalDateTime?, _ due: Instant?, _ origin: Notice.Origin
    ) -> Notice {
        Notice(
            name: name, kind: kind, subject: subjects.first, priority: priority, raisedAt: raisedAt, date: date,
            slot: slot, due: due, day: day, sequence: NoticeName(name.asRepeat?.base ?? name).cause ?? 0,
            content: NoticeContent(title: title, body: body, data: data, expiresAt: expiresAt, subtype: subtype),
            origin: origin)
    }

    /// Of a bundle, each of what it told of; empty for every other.
    func members(_ name: String, _ kind: Int, _ origin: Notice.Origin) -> [Notice] {
        members.map { member in
            Notice(
                name: name, kind: kind, subject: member.subject, priority: member.priority, raisedAt: member.raisedAt,
                date: member.date, slot: member.slot, due: member.due, day: member.day, content: member.content,
                origin: origin)
        }
    }
}

extension Desk {
    func raiseDueRepeats() {
        guard person.hasDetails else { return }
        // More than may be asked for come only from a log of an older version: the rest is due at once again.
        for snooze in person.details.snoozes.lazy.filter({ $0.due <= self.now }).prefix(PersonLimits.snoozes) {
            enqueue(snooze.notice)
        }
    }

    /// A repeat of a bundle is for those of its notices that are still open; with none left it is dropped. One that comes late is
    /// held as a whole, and only while each of those would be: what is critical waits for no other (`P14`).
    func considerRepeat(_ notice: Notice, _ number: Int) {
        guard let snooze = person.details.snooze(named: notice.name) else { return }
        let members = snooze.members
        var objection: Objection?
        var delay: Objection?
        var passes = false
        var open: [Matter] = []
        for member in members.isEmpty ? [notice] : members {
            let matter = matter(member)
            let said = matter.objection()
            if case .hold? = said { delay = delay ?? said }
            if said == nil { passes = true }
            if case .drop? = said { objection = objection ?? said } else { open.append(matter) }
        }
        guard !open.isEmpty else { return drop(notice, objection?.reason ?? .settled) }
        if !passes, case .hold(let until, let reason)? = delay { return hold(notice, snooze, until: until, reason) }
        var job = members.isEmpty ? again(snooze, open[0]) : bundle(open)
        if isLast(snooze) { job.body = Text(withFinalReminder(job.body.text, for: open)) }
        finish(&job, open)
        // Its members have no names of their own any more: their notices have ended.
        job.notices = [NoticeName(notice.name)]
        if open.contains(where: \.notice.isVeiled) { job.veilWords() }
        decide(.emitAgain(job, base: snooze.base, number: number))
    }

    /// Nothing is recorded where the hold stays as it is.
    private func hold(_ notice: Notice, _ snooze: Snooze, until: Instant, _ reason: Reason) {
        if snooze.due == until, snooze.held == reason { return }
        decide(.hold(notice, until: until, reason))
    }

    /// The words it had, where somebody gave it words of its own, or it told of what is gone by now, such as a deadline. Else its
    /// kind's, as they are true at this moment: "6 hours left" was true before.
    private func again(_ snooze: Snooze, _ matter: Matter) -> JobEmitted {
        var job = JobEmitted()
        let kind = plan.kind(snooze.kind)
        if NoticeName(snooze.base).slot != nil, kind.digest == nil, kind.schedule != .overdue {
            job = bundle([self.matter(matter.notice.wordless)])
        } else {
            (job.title, job.body) = (Text(snooze.job.title), Text(snooze.job.body))
        }
        job.data = snooze.job.data
        job.subject = matter.notice.subject.map { Identifier($0) }
        return job
    }

    /// `S2`: nothing of it comes behind this one. Several may wait at once, and who was asked for later may come sooner.
    private func isLast(_ snooze: Snooze) -> Bool {
        person.snoozes(of: snooze.name) >= plan.policy.snoozes.times
            && !person.details.snoozes.contains { $0.base == snooze.base && $0.number != snooze.number }
    }

    /// Behind its words, or before them where a channel that it comes on would cut it off.
    private func withFinalReminder(_ said: String, for open: [Matter]) -> String {
        if said.isEmpty { return Self.finalReminder }
        let rooms = open.flatMap { $0.channels.list.map(\.lengthsMax.body) }
        let isShort = said.count + 1 + Self.finalReminder.count <= rooms.min() ?? .max
        return isShort ? "\(said) \(Self.finalReminder)" : "\(Self.finalReminder) \(said)"
    }

    private static let finalReminder = "This is your final reminder."
}
