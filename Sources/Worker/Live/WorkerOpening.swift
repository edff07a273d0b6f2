public import CivilTime
internal import Dispatch
public import Journal
internal import Notices

/// A log opened for a worker: its journal, and everybody's state at its end.
public struct WorkerOpening {
    public let core: WorkerCore
    /// Jobs that were emitted and have no outcome, those that were asked for once more, and those that go another way: they
    /// are handed over again.
    public let outstanding: [EventPlace]
    /// Where the last snapshot of the state stands.
    public let snapshotPosition: UInt64
    /// How many events were folded behind that.
    public let eventsFolded: Int
    public let recoveredTail: LogTail
    public let recoveredWitness: WitnessState
    /// Where the log lies.
    public let site: LogSite
    /// The policy in force, as it was adopted; `nil` where the log has adopted none.
    public let policy: String?
    /// When that was.
    public let policyAdoptedAt: Instant?
    public let tzdb: String
    /// Zones that the tz database does not know, and how many people live there.
    public let unknownZones: [String: Int]

    /// Takes the log's lock, recovers it, and folds it: on two threads, since neither needs the other.
    public init(
        _ directory: String, on disk: any Disk, holder: String, options: JournalOptions = JournalOptions(),
        _ beginning: Beginning
    ) throws(JournalError) {
        let early = EarlyFold(directory, disk, beginning)
        // The recovery may give the log other keys, under which its snapshot is no more.
        early.waitForSnapshot()
        let journal: Journal
        do throws(JournalError) { journal = try Journal(directory, on: disk, holder: holder, options: options) } catch {
            _ = early.wait()
            throw error
        }
        // What was folded before the log was recovered counts only if it has come just as far.
        var folded = early.wait()
        if folded?.head.position != journal.head.position {
            folded = nil
            folded = try FoldedLog.load(try LogReader(directory, on: disk), beginning)
        }
        if let state = folded, Self.names(state, erasedIn: journal) {
            folded = nil
            folded = try FoldedLog.load(try LogReader(directory, on: disk), beginning, usingSnapshot: false)
        }
        let register = folded?.register ?? Register(beginning.plan)
        let isAligned = folded?.isAligned ?? true
        let failed = FailedJobPlaces(directory, on: disk)
        let found = failed.find(folded?.outstanding.found ?? [])
        if let error = found.error { throw error }
        outstanding = (folded?.outstanding.inOrder ?? []) + found.jobs
        snapshotPosition = folded?.snapshot?.position ?? 0
        eventsFolded = folded?.eventsFolded ?? 0
        // Given up before anybody new is met: else everyone's names would be copied.
        folded = nil
        recoveredTail = journal.recoveredTail
        recoveredWitness = journal.recoveredWitness
        site = journal.site
        tzdb = beginning.tzdb
        unknownZones = register.unknownZones
        let notes = try LastNotes(journal, try LogReader(directory, on: disk))
        if let seals = journal.seals, let week = notes.weekWithKey(journal.head) { try seals.expectKey(of: week) }
        policy = notes.policy?.text
        policyAdoptedAt = notes.policy?.at
        started = notes.started
        let clock = ContinuousClock()
        let start = clock.now
        core = WorkerCore(journal, register, isAligned: isAligned) { clock.now - start }
        erasedAnew = Self.keyless(journal, register)
        // Taken before anybody is woken.
        if !found.ended.isEmpty { core.ask(facts: found.ended, isOwn: true) { _ in } }
        core.ask(facts: erasedAnew.map { Fact(user: $0, payload: .personErased(PersonErased())) }) { _ in }
    }

    /// People whose key is gone and whose erasure is not in this log: it is a copy of before, with the keys of after. They stay
    /// erased (`E3`), and the log says so before anything is decided about them, which nobody could seal.
    public let erasedAnew: [String]

    /// Has somebody told once the log says so durably. What lies beside it may name them until it is written anew.
    public func whenErasedAnew(_ done: @escaping @Sendable () -> Void) {
        guard !erasedAnew.isEmpty else { return }
        // Answered behind what was asked before it.
        core.ask(facts: []) { result in
            if case .success = result { done() }
        }
    }

    /// Whether a state that was kept names somebody whom nobody can name who reads the log: it lay beside a copy of before.
    private static func names(_ state: FoldedLog, erasedIn journal: Journal) -> Bool {
        let erased = journal.people.erased
        guard state.snapshot != nil, !erased.isEmpty else { return false }
        // Those of the snapshot have the log's numbers, or it would not have been written.
        return erased.contains { $0 < state.peopleKept && !state.register.names.isErased($0) }
    }

    private static func keyless(_ journal: Journal, _ register: Register) -> [String] {
        guard journal.seals != nil else { return [] }
        return journal.people.erased.map(Erased.person).filter { user in
            register.number(of: user).map { !register[$0].isErased } ?? false
        }
    }

    private let started: WorkerStarted?

    /// Whether people can be erased from the log (`E2`).
    public var isSealed: Bool { core.journal.seals != nil }
    /// How many people the log has erased.
    public var erasedPeople: Int { core.journal.people.erased.count }
    /// Whether the log may say of anybody, or of what people were told, that it is erased.
    public var mayHaveErased: Bool {
        erasedPeople > 0 || core.journal.seals?.firstTextWeek != nil
            || core.decider.plan.policy.retention?.textsAfterDays != nil
    }

    /// Whether the log has a fact that was sent under this key.
    public func hasFact(_ id: String) throws(JournalError) -> Bool { try core.journal.seq(ofFact: id) != nil }

    /// Records who decides in this log from here on, and under which epoch (`M2`).
    public func noteTaking(of partition: Int, epoch: Int64, by worker: String, at now: Instant) throws(JournalError) {
        var note = PartitionTaken()
        (note.partition, note.epoch, note.worker) = (partition, Int(epoch), Text(worker))
        try core.record(.partitionTaken(note), at: now)
    }

    /// Records that a worker began, where it is another than the last: another version, tz database or policy (`T1`).
    public func noteStart(version: String, policy: String, at now: Instant) throws(JournalError) {
        var note = WorkerStarted()
        note.version = Text(version)
        note.tzdb = Text(tzdb)
        note.policy = Text(policy)
        guard note != started else { return }
        try core.record(.workerStarted(note), at: now)
    }
}

/// The fold that is made while the log is being recovered.
///
/// Safe to share: the result is written before `done` is signalled and taken after it was waited for.
private final class EarlyFold: @unchecked Sendable {
    private var result: FoldedLog?
    private let done = DispatchSemaphore(value: 0)
    /// Signalled when the snapshot was opened, and at the end, whichever comes first.
    private let opened = DispatchSemaphore(value: 0)

    init(_ directory: String, _ disk: any Disk, _ beginning: Beginning) {
        DispatchQueue.global(qos: .userInitiated).async {
            if let log = try? LogReader(directory, on: disk, isWritersOwn: true), !log.isEmpty {
                self.result = try? FoldedLog.load(log, beginning) { self.opened.signal() }
            }
            self.opened.signal()
            self.done.signal()
        }
    }

    /// To be called once.
    func waitForSnapshot() { opened.wait() }

    /// To be called once: nobody else keeps what it gives.
    func wait() -> FoldedLog? {
        done.wait()
        defer { result = nil }
        return result
    }
}

/// What the log last said about its policy and its worker.
private struct LastNotes {
    var policy: (text: String, at: Instant)?
    var started: WorkerStarted?

    /// A week that has a key: the last commit's, where the policy keeps texts for some time alone. One is made with the first commit of each
    /// week, and with the one that adopts such a policy.
    func weekWithKey(_ head: LogHead) -> TextWeek? {
        guard let policy, (try? Policy(recorded: policy.text))?.keepsTextsForAWhile == true else { return nil }
        return TextWeek(of: head.at)
    }

    init(_ journal: Journal, _ log: LogReader) throws(JournalError) {
        for position in journal.generalCommits.reversed() {
            if policy != nil, started != nil { return }
            let payloads = try log.withCommit(at: position) { (frame) throws(JournalError) in
                CommitBody.payloads(aboutNobodyIn: frame)
            }
            for (at, payload) in payloads.reversed() {
                if case .policyAdopted(let adopted) = payload { policy = policy ?? (adopted.policy.text, at) }
                if case .workerStarted(let note) = payload { started = started ?? note }
            }
        }
    }
}
