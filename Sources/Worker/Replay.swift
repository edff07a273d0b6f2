public import CivilTime
public import Notices

/// Decides a log again, commit by commit, and compares with what was recorded (`G1`, SPEC §13).
///
/// Each commit says when it was made and what its cause was: a fact, or a wake-up of the people it decides about. So the
/// same people are asked at the same instants, whatever kept the worker from being in time.
public struct Replay {
    /// The first place where the recorded decisions and the new ones differ. What comes after follows from it.
    public struct Difference: Sendable {
        public let seq: UInt64
        public let at: Instant
        public let user: String?
        /// `nil` where nothing was recorded, or nothing would be decided.
        public let recorded: Payload?
        public let decided: Payload?
    }

    private var register: Register
    private let desk: Desk
    public private(set) var events = 0
    public private(set) var decisions = 0
    public private(set) var differing = 0
    /// Sealed fields of decisions that cannot be compared: the people they told something were erased.
    public private(set) var fieldsErased = 0
    public private(set) var first: Difference?
    /// What facts raised of which nothing is recorded, by person: nobody had decided it by the end, or somebody had taken the
    /// decision out.
    private var undecided: [Int: Difference] = [:]
    /// The last recorded decision about anybody.
    public private(set) var lastDecided: UInt64 = 0

    /// - Parameter share: of whose people it is told.
    public init(_ plan: Plan, of share: Share = .whole) {
        register = Register(plan, of: share)
        desk = Desk(register.someone, user: "", plan: plan, now: .distantPast, nextSequence: 0)
    }

    /// The events of a commit that are about everyone, or about the people of this share.
    public mutating func take(_ commit: [Event]) {
        events += commit.count
        let applied = commit.last?.applied
        if let applied, commit.first?.isFact != true { return takePiece(commit, applied) }
        // Events are looked at where they lie: to take one out of an array is to copy it.
        let events = commit.span
        var place = 0
        while place < events.count {
            let cause = events[place].isFact ? place : nil
            let first = cause == nil ? place : place + 1
            place = Self.endOfFollowers(from: first, of: cause, in: events)
            let told = Self.aboutSomeone(commit[first..<place])
            decisions += told.count
            if let last = told.last { lastDecided = last.seq }
            if let cause {
                decide(events[cause], told, applied)
            } else {
                decideWoken(told)
            }
        }
    }

    /// Where the decisions end that stand behind a fact, or by themselves. What follows from a fact about one person stands
    /// right behind it: where a number is left out, something else happened in between, to somebody of another share.
    private static func endOfFollowers(from first: Int, of cause: Int?, in events: Span<Event>) -> Int {
        var place = first
        while place < events.count, !events[place].isFact {
            defer { place += 1 }
            // Of a fact about everyone all that is decided follows.
            if let cause, events[cause].user == nil { continue }
            if let cause, events[place].user != events[cause].user { return place }
            if cause != nil || place > first, events[place].seq != events[place - 1].seq + 1 { return place }
        }
        return place
    }

    /// The worker's own notes are about nobody and follow from nothing.
    private static func aboutSomeone(_ recorded: ArraySlice<Event>) -> ArraySlice<Event> {
        let events = recorded.span
        for place in events.indices where events[place].user == nil { return recorded.filter { $0.user != nil }[...] }
        return recorded
    }

    // MARK: Deciding

    /// Those who were woken, each by themselves, from the number that their first decision has.
    private mutating func decideWoken(_ recorded: ArraySlice<Event>) {
        let events = recorded.span
        var first = 0
        while first < events.count {
            var end = first + 1
            while end < events.count, events[end].user == events[first].user { end += 1 }
            let theirs = recorded[recorded.startIndex + first..<recorded.startIndex + end]
            if let user = events[first].user { decideWoken(user, theirs, events[first].seq, at: events[first].at) }
            first = end
        }
    }

    /// - Parameter seq: the number that their first decision has.
    private mutating func decideWoken(_ user: String, _ theirs: ArraySlice<Event>, _ seq: UInt64, at: Instant) {
        let number = register.number(enrolling: user, at: at)
        var decided: [Event] = []
        if register.isToBeApplied(to: number) {
            decided = apply(to: number, at: at, next: seq)
            register.noteTold(of: number)
            if decided.count >= theirs.count { return compare(theirs, decided, after: seq, at: at) }
        }
        // Whoever was due at once again was decided about in pieces, and may have been so in one commit.
        repeat {
            let more = decide(number, at: at, next: seq + UInt64(decided.count)) { $0.settle() }
            if more.isEmpty { break }
            decided = decided.isEmpty ? more : decided + more
        } while decided.count < theirs.count && register[number].nextWake <= at
        compare(theirs, decided, after: seq, at: at)
    }

    private mutating func decide(_ cause: Event, _ recorded: ArraySlice<Event>, _ applied: PolicyApplied?) {
        guard let user = cause.user else { return decideForEveryone(cause, recorded, applied) }
        let number = register.number(enrolling: user, at: cause.at)
        if register.isToBeApplied(to: number) {
            // Before the fact, and nothing came of it: that would stand before the fact.
            compare([], apply(to: number, at: cause.at, next: cause.seq), after: cause.seq, at: cause.at)
            register.noteTold(of: number)
        }
        // What was raised before and not decided about would be decided about now.
        if recorded.isEmpty, !register[number].details.raised.isEmpty { return fold(cause, number) }
        let before = recorded.isEmpty ? register[number].copy() : nil
        let decided = hear(cause, number, next: cause.seq + 1)
        if let before, let first = decided.first, decided.allSatisfy({ $0.isAboutWhat(cause.seq) }) {
            register.restore(before, at: number)
            undecided[number] = Difference(
                seq: cause.seq, at: cause.at, user: user, recorded: nil, decided: first.payload)
            return fold(cause, number)
        }
        compare(recorded, decided, after: cause.seq, at: cause.at)
    }

    /// In a log of before `append` decided by itself, what a fact raised while no worker ran is decided when one comes. Nothing
    /// else waits so: a code, a session or what is due is decided with the fact or not at all.
    private mutating func fold(_ fact: Event, _ number: Int) {
        register.fold(fact)
        register[number].nextWake = register[number].earliestWake(register.plan)
    }

    /// What waits to be decided at the end. Where somebody decided anything later than that, it differs.
    public var undecidedAtEnd: [Difference] { undecided.values.sorted { $0.seq < $1.seq } }

    /// A policy is adopted, or everybody's notices of a kind are run.
    private mutating func decideForEveryone(
        _ cause: Event, _ recorded: ArraySlice<Event>, _ applied: PolicyApplied?
    ) {
        if case .policyAdopted(let adopted) = cause.payload, let policy = try? Policy(recorded: adopted.policy.text) {
            register.adopt(policy, at: cause.at)
            if let applied { return begin(applied, cause, recorded) }
        }
        // Without a kind a run brings nothing. Where it only ends one, others may be due by now, whose wake is still to come.
        if case .runRequested(let request) = cause.payload, request.kind == nil {
            return compare(recorded, [], after: cause.seq, at: cause.at)
        }
        var told = Dictionary(grouping: recorded) { $0.user }
        for number in register.people.indices {
            let theirs = (told.isEmpty ? nil : told.removeValue(forKey: register.names[number])) ?? []
            let decided = hear(cause, number, next: theirs.first?.seq ?? cause.seq + 1)
            compare(theirs[...], decided, after: cause.seq, at: cause.at)
        }
        // Of people whom the log had not met.
        compare(recorded.filter { told[$0.user] != nil }[...], [], after: cause.seq, at: cause.at)
    }

    // MARK: A policy that was applied in pieces

    /// Nobody had it applied before the first of the pieces.
    private mutating func begin(_ applied: PolicyApplied, _ cause: Event, _ recorded: ArraySlice<Event>) {
        var none = applied
        none.people = 0
        register.fold(Event(seq: cause.seq, at: cause.at, user: nil, payload: .policyApplied(none)))
        decidePiece(recorded, applied, after: cause.seq, at: cause.at)
    }

    /// A commit of its own.
    private mutating func takePiece(_ commit: [Event], _ applied: PolicyApplied) {
        guard let first = commit.first else { return }
        let told = Self.aboutSomeone(commit[...])
        decisions += told.count
        decidePiece(told, applied, after: first.seq, at: first.at)
    }

    private mutating func decidePiece(
        _ recorded: ArraySlice<Event>, _ applied: PolicyApplied, after seq: UInt64, at: Instant
    ) {
        var told = Dictionary(grouping: recorded) { $0.user }
        while let number = register.nextToApply(before: applied.people) {
            let theirs = (told.isEmpty ? nil : told.removeValue(forKey: register.names[number])) ?? []
            compare(theirs[...], apply(to: number, at: at, next: theirs.first?.seq ?? seq), after: seq, at: at)
        }
        compare(recorded.filter { told[$0.user] != nil }[...], [], after: seq, at: at)
        register.fold(Event(seq: seq, at: at, user: nil, payload: .policyApplied(applied)))
    }

    private mutating func apply(to number: Int, at: Instant, next: UInt64) -> [Event] {
        decide(number, at: at, next: next) { $0.apply() }
    }

    // MARK: At the desk

    private mutating func hear(_ cause: Event, _ number: Int, next: UInt64) -> [Event] {
        decide(number, at: cause.at, next: next) { $0.hear(cause.payload, sequence: cause.seq) }
    }

    private mutating func decide(
        _ number: Int, at: Instant, next: UInt64, _ deed: (Desk) -> Void
    ) -> [Event] {
        if !undecided.isEmpty { undecided[number] = nil }
        let user = register.names[number]
        desk.begin(with: register[number], user: user, plan: register.plan, now: at, nextSequence: next)
        deed(desk)
        desk.finish()
        if register[number].isErased { register.forgetName(of: number) }
        defer { desk.written = [] }
        return desk.written
    }

    // MARK: Comparing

    /// What nobody can read any more is not compared, nor whether it was there: of somebody who was erased all that is sealed, and where a
    /// text is erased what was told (`E3`).
    private mutating func isSame(_ was: Event, _ now: Event) -> Bool {
        guard was.user == now.user else { return false }
        if let user = was.user, Erased.holds(user) {
            let (recorded, fields) = was.payload.veiled()
            fieldsErased += fields
            return recorded.wordless() == now.payload.veiled().payload.wordless()
        }
        let erased = was.payload.erasedTexts
        fieldsErased += erased
        if was.payload == now.payload { return true }
        return (erased > 0 || now.payload.erasedTexts > 0) && was.payload.wordless() == now.payload.wordless()
    }

    private mutating func compare(
        _ recorded: ArraySlice<Event>, _ decided: [Event], after cause: UInt64, at: Instant
    ) {
        let (before, after) = (recorded.span, decided.span)
        for place in 0..<max(before.count, after.count) {
            if place < before.count, place < after.count, isSame(before[place], after[place]) { continue }
            differing += 1
            guard first == nil else { continue }
            let was = place < before.count ? before[place] : nil
            let now = place < after.count ? after[place] : nil
            first = Difference(
                seq: was?.seq ?? recorded.last?.seq ?? cause, at: was?.at ?? at, user: was?.user ?? now?.user,
                recorded: was?.payload, decided: now?.payload)
        }
    }
}

extension Event {
    /// Whether it is a decision about a notice that is named after a fact.
    fileprivate func isAboutWhat(_ raising: UInt64) -> Bool {
        let notice: NoticeName
        switch payload {
        case .noticeHeld(let held): notice = held.notice
        case .noticeGathered(let gathered): notice = gathered.notice
        case .noticeDropped(let dropped): notice = dropped.notice
        case .jobEmitted(let job): notice = job.job
        default: return false
        }
        return notice.text.hasSuffix("/#\(raising)")
    }

    /// How far a policy was applied with the commit that this event ends.
    fileprivate var applied: PolicyApplied? {
        if case .policyApplied(let applied) = payload { applied } else { nil }
    }

    /// What came from outside.
    public var isFact: Bool { payload.isFact }
}
