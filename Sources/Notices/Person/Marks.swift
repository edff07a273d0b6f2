internal import CivilTime

/// What is remembered of a person's jobs and slots, and for how long.
extension Person {
    /// How long a job can be snoozed and answered for.
    public static let jobsRemembered: Int64 = 7 * 86_400_000

    public func add(_ mark: Mark) {
        forgetMarks(before: mark.at.advanced(byMilliseconds: -Self.jobsRemembered))
        marks.append(mark)
        handled?.add(mark)
        if marks.count.isMultiple(of: Self.marksThinned) { thinOut(at: mark.at) }
        if mark.isFarAhead { rememberAhead(mark) }
    }

    public func replaceMarks(_ change: (inout Mark) -> Void) {
        for place in marks.indices { change(&marks[place]) }
        handled = nil
        guard hasDetails else { return }
        for place in details.ahead.indices { change(&details.ahead[place]) }
    }

    /// Where there are many they go a quarter at a time: to move the rest along for each would cost more the more there
    /// are. Who looks for a job asks how old it is.
    private func forgetMarks(before oldest: Instant) {
        let quarter = marks.count < HandledSlots.lookedThroughMax ? 0 : marks.count / 4
        guard quarter < marks.count, marks[quarter].at < oldest else { return }
        let count = marks.firstIndex { $0.at >= oldest } ?? marks.count
        if let handled { for place in 0..<count { handled.remove(marks[place]) } }
        marks.removeFirst(count)
    }

    /// How often it is looked whether they are too many.
    private static let marksThinned = 4096

    /// Of more jobs than anybody answers only the latest can be (`PersonLimits.jobs`). What slots, caps and cooldowns must
    /// know of older ones stays: slots whose date has not passed (`T8`), the day's counted jobs (`P17`), and the last one
    /// of each kind (`P11`).
    private func thinOut(at now: Instant) {
        let today = now.advanced(byHours: -50)
        var (jobs, counted) = (PersonLimits.jobs, PersonLimits.jobs)
        var kinds: Set<UInt8> = []
        let kept = marks.reversed().filter { mark in
            if mark.flags.contains(.slot), !mark.hasPassed(at: now) { return true }
            guard mark.flags.contains(.job) else { return false }
            jobs -= 1
            if mark.flags.contains(.ringing), kinds.insert(mark.kind).inserted { return true }
            if mark.flags.contains(.counted), mark.at >= today {
                counted -= 1
                if counted >= 0 { return true }
            }
            return jobs >= 0
        }
        marks = kept.reversed()
        handled = nil
    }

    /// `T8`: a slot fires or is skipped once, ever.
    func wasHandled(_ kind: Int, _ subject: String?, _ local: LocalDateTime, isOncePerDay: Bool) -> Bool {
        if hasDetails, marks.count > HandledSlots.lookedThroughMax {
            let slots = handled ?? HandledSlots(marks)
            handled = slots
            if slots.contain(kind, subject, local, isOncePerDay: isOncePerDay) { return true }
        } else {
            // By place and backwards: a mark that is taken out to be looked at is counted, and most are older.
            for place in marks.indices.reversed()
            where marks[place].date == local.date && marks[place].names(kind, subject) {
                if isOncePerDay || marks[place].minute == local.time.minuteOfDay { return true }
            }
        }
        guard hasDetails else { return false }
        return details.ahead.contains { mark in
            mark.date == local.date && mark.names(kind, subject)
                && (isOncePerDay || mark.minute == local.time.minuteOfDay)
        }
    }

    /// The same of a slot that is an instant: whatever the clocks showed where the person was when it was handled.
    func wasHandled(_ kind: Int, _ subject: String, at instant: Instant) -> Bool {
        let due = instant.minuteBegun
        if marks.count > HandledSlots.lookedThroughMax {
            let slots = handled ?? HandledSlots(marks)
            handled = slots
            if slots.contain(kind, subject, due) { return true }
        } else {
            for place in marks.indices.reversed()
            where marks[place].memo?.due == due && marks[place].names(kind, subject) { return true }
        }
        return details.ahead.contains { $0.memo?.due == due && $0.names(kind, subject) }
    }
}

/// The slots among many marks, each found by what it names: who has hundreds of goals has thousands of them, and is asked
/// about each goal with every wake.
final class HandledSlots {
    private struct Key: Hashable {
        /// Kind, date and minute in one: there are thousands of keys, and each is hashed.
        private let slot: UInt64
        private let subject: String?

        /// - Parameter minute: `nil` for any of the day.
        init(_ kind: UInt8, _ date: LocalDate, _ minute: UInt16?, _ subject: String?) {
            let day = UInt64(UInt32(truncatingIfNeeded: date.daysSince1970))
            slot = day << 32 | UInt64(minute ?? .max) << 8 | UInt64(kind)
            self.subject = subject
        }

        /// Of a slot that is an instant. No date's day is so far on that its key could be one of these.
        init(_ kind: UInt8, due: Instant, _ subject: String?) {
            slot = 1 << 63 | (UInt64(bitPattern: due.milliseconds / 60_000) & (1 << 54 - 1)) << 8 | UInt64(kind)
            self.subject = subject
        }
    }

    /// A slot may have several marks: one when it waited, one when it went out.
    private var counts: [Key: Int] = [:]

    /// As many marks are looked through without.
    static let lookedThroughMax = 64

    init(_ marks: [Mark]) {
        counts.reserveCapacity(2 * marks.count)
        for mark in marks { add(mark) }
    }

    func add(_ mark: Mark) { change(mark, by: 1) }

    func remove(_ mark: Mark) { change(mark, by: -1) }

    func contain(_ kind: Int, _ subject: String?, _ local: LocalDateTime, isOncePerDay: Bool) -> Bool {
        let minute = isOncePerDay ? nil : local.time.minuteOfDay
        return counts[Key(UInt8(kind), local.date, minute, subject)] != nil
    }

    func contain(_ kind: Int, _ subject: String?, _ due: Instant) -> Bool {
        counts[Key(UInt8(kind), due: due, subject)] != nil
    }

    private func change(_ mark: Mark, by count: Int) {
        guard mark.flags.contains(.slot) else { return }
        let subject = mark.memo?.subject
        for minute in [nil, mark.minute] { change(Key(mark.kind, mark.date, minute, subject), by: count) }
        if let due = mark.memo?.due { change(Key(mark.kind, due: due, subject), by: count) }
    }

    private func change(_ key: Key, by count: Int) {
        let left = counts[key, default: 0] + count
        counts[key] = left == 0 ? nil : left
    }
}
