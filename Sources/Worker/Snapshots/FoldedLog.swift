internal import CivilTime
public import Journal
public import Notices

/// The state that a log folds to: everybody's state, the adopted policies, the jobs that wait for their outcome.
///
/// It is a fold of the log. It is loaded from the newest snapshot that can be believed and what the log holds
/// after it. Without a snapshot the result is the same and takes longer.
public struct FoldedLog {
    /// Everyone, with their next wake worked out.
    public private(set) var register: Register
    /// Up to where the log was folded.
    public private(set) var head: LogHead
    public private(set) var outstanding: Outstanding
    /// As of where the snapshot was taken that this began with; `nil` where it began with the log's first commit.
    public private(set) var snapshot: LogHead?
    /// How many people that snapshot held.
    private(set) var peopleKept = 0
    /// Whether that snapshot's wakes were of another tz database, or of one that knew fewer zones, and were worked out anew.
    public private(set) var hasOtherZones = false
    /// How many events were folded behind the snapshot.
    public private(set) var eventsFolded = 0
    var policies: PolicyChain
    let beginning: Beginning
    let identity: LogIdentity?
    /// Whether people have the numbers in the register that they have in the log. They do unless the log has people of
    /// whom only a newer program knows anything.
    private(set) var isAligned = true
    /// Whose people are folded.
    private let share: Share
    /// What people were told before is erased: as the log behind the snapshot says it.
    private var textsErasedBefore: Instant?

    private init(_ identity: LogIdentity?, _ beginning: Beginning, _ plan: Plan, of share: Share = .whole) {
        register = Register(plan, hashingBy: identity.map { KeyHash($0) } ?? .ofThisProcess, of: share)
        self.share = share
        head = .start
        outstanding = Outstanding(identity ?? LogIdentity(words: (0, 0)))
        policies = PolicyChain()
        self.beginning = beginning
        self.identity = identity
    }

    /// As a snapshot has it, wakes included.
    init(
        _ kept: StateSnapshot.Kept, _ head: LogHead, _ identity: LogIdentity, _ beginning: Beginning
    ) {
        hasOtherZones = kept.hasOtherZones
        register = kept.register
        peopleKept = kept.register.names.count
        outstanding = kept.outstanding
        policies = kept.policies
        self.head = head
        snapshot = head
        self.beginning = beginning
        self.identity = identity
        share = .whole
    }

    /// Of what each core has folded, in the order of their shares.
    private init(merging shares: [FoldedLog]) {
        self = shares[0]
        register = Register(merging: shares.map(\.register))
        for other in shares.dropFirst() {
            outstanding.add(other.outstanding)
            eventsFolded += other.eventsFolded
            isAligned = isAligned && other.isAligned
        }
    }

    /// - Parameters:
    ///   - limit: a place between commits; what comes behind it is left out.
    ///   - usingSnapshot: whether to begin with one; without it every event is read.
    ///   - opened: called when the log's keys may change, which conceal the snapshot.
    public static func load(
        _ log: LogReader, _ beginning: Beginning, through limit: UInt64 = .max, usingSnapshot: Bool = true,
        opened: () -> Void = {}
    ) throws(JournalError) -> FoldedLog {
        let kept = usingSnapshot ? try StateSnapshot.newest(log, beginning, through: limit, opened: opened) : nil
        guard var folded = kept else {
            var whole = try foldWhole(log, beginning, through: limit)
            whole.forgetTexts()
            Wakes.workOut(for: whole.register)
            return whole
        }
        let events = EventReader(
            log, from: folded.head, known: folded.register.names.count, limit: limit, checksHashes: true)
        let touched = try folded.fold(events)
        folded.forgetTexts()
        if folded.hasOtherZones || touched.hasPolicy {
            Wakes.workOut(for: folded.register)
        } else {
            for number in touched.people {
                folded.register[number].nextWake = folded.register[number].earliestWake(folded.register.plan)
            }
        }
        return folded
    }

    /// A snapshot of before may hold texts that nothing opens any more.
    private mutating func forgetTexts() {
        guard let before = textsErasedBefore else { return }
        for person in register.people { person.forgetTexts(before: before) }
        textsErasedBefore = nil
    }

    // MARK: All of it

    /// From the log's first event, on all the cores that the beginning names. Each folds people of its own, and what they come to
    /// is put together by the numbers that the log gives people. Where those are not the register's, one core folds all.
    private static func foldWhole(
        _ log: LogReader, _ beginning: Beginning, through limit: UInt64
    ) throws(JournalError) -> FoldedLog {
        let plans = beginning.planOfEachCore
        let shares = try Cores(plans.count).read(log, through: limit) { (events, share) throws(JournalError) in
            var folded = FoldedLog(log.identity, beginning, plans[share.place], of: share)
            _ = try folded.fold(events)
            return HandedOver(folded)
        }
        if shares.count == 1 { return shares[0].it }
        guard shares.allSatisfy(\.it.isAligned) else { return try foldWhole(log, beginning.onOneCore, through: limit) }
        return FoldedLog(merging: shares.map(\.it))
    }

    /// Safe to send: who made it keeps nothing of it.
    private struct HandedOver: @unchecked Sendable {
        let it: FoldedLog
        init(_ it: FoldedLog) { self.it = it }
    }

    private struct Touched {
        var people: Set<Int> = []
        var hasPolicy = false
    }

    private mutating func fold(_ events: EventReader) throws(JournalError) -> Touched {
        var touched = Touched()
        let isWhole = snapshot == nil
        let known = register.names.count
        while true {
            let position = events.head.position
            let met = events.peopleMet
            // As long as people have the same numbers here, all are known here by those of the log.
            let named = isAligned ? register.names.count : known
            let isThere = try events.tellCommit(
                naming: { [share] in
                    let own = share.own(UInt32($0))
                    return own < named ? register.name(of: Int(own)) : nil
                },
                expecting: { if isAligned { register.fetch($0) } }
            ) { event, subject in
                take(event, about: subject, at: position)
                // When all is folded, everybody's wake is worked out.
                if isWhole { return }
                if case .policyAdopted = event.payload { touched.hasPolicy = true }
                if let user = event.user, let number = register.number(of: user) { touched.people.insert(number) }
            }
            guard isThere else { break }
            if share.isFirst { beginning.meanwhile?(Int(position)) }
            if events.peopleMet > met || !isAligned { compareNumbers(events, from: met) }
        }
        head = events.head
        return touched
    }

    private mutating func take(_ event: Event, about subject: Int?, at position: UInt64) {
        register.fold(event, about: subject.map { Int(share.own(UInt32($0))) })
        register.place(event, at: position)
        outstanding.take(event, about: subject, at: position, again: again(event))
        if subject != nil || share.isFirst { eventsFolded += 1 }
        if case .policyAdopted(let adopted) = event.payload,
            (try? Policy(recorded: adopted.policy.text)) != nil
        {
            policies.adopt(adopted.policy.text)
        }
        if case .textsErased(let erased) = event.payload {
            textsErasedBefore = max(textsErasedBefore ?? .distantPast, erased.before)
        }
    }

    /// The channels that an event asks a job to be sent on once more, by what its person is known to have missed.
    private func again(_ event: Event) -> ChannelSet {
        guard case .jobRetryRequested(let request) = event.payload, let user = event.user,
            let number = register.number(of: user)
        else { return [] }
        return register[number].channelsAgain(of: request.job)
    }

    private mutating func compareNumbers(_ events: EventReader, from first: Int) {
        guard isAligned else { return }
        isAligned =
            register.names.count == share.count(of: events.peopleMet)
            && (first..<events.peopleMet).allSatisfy { person in
                !share.holds(UInt32(person))
                    || register.names[Int(share.own(UInt32(person)))] == events.newcomer(person)
            }
    }
}

// MARK: Writing

extension FoldedLog {
    /// Writes a snapshot of it beside the log, in one step. Returns its size; 0 where it cannot be kept.
    public func write(to directory: String, on disk: any Disk, draftSuffix: String = "") throws(DiskError) -> Int {
        guard let identity, isAligned, head.position > 0 else { return 0 }
        return try StateSnapshot.write(self, identity, to: directory, on: disk, draftSuffix)
    }
}
