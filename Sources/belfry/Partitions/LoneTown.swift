import CivilTime
import Console
import Foundation
import Journal
import Notices
import Shared
import Synchronization
import Worker

/// The logs of a directory, opened by a command that found no worker running: it does what their workers would (`G2`).
struct LoneTown {
    private let directory: DataDirectory
    /// What is about everyone first, where that is a log of its own.
    private let openings: [WorkerOpening]
    private let clock: () -> Instant
    private let world: World
    private let zones: ZoneDatabase
    private let tokens: EndingTokens
    private let erased = RetentionTally()
    /// How many people retention has erased on the way.
    var erasedByRetention: Int { erased.people.withLock { $0 } }

    /// A command comes here only where no worker answers. One that has the log all the same is at work on something else, and to stop
    /// it would help nobody.
    private static func silentWorker(_ error: JournalError) -> Failure? {
        guard case .inUse(let directory, let holder) = error, LogHolder.isWorker(holder) else { return nil }
        return Failure(
            .environment,
            "the worker that has the log in \(directory), \(holder), does not answer: it is still reading the log, or "
                + "stands still. Its own log says more; try again once it is ready")
    }

    /// - Parameter patience: with a log that another has.
    init(
        _ directory: DataDirectory, command: String, patience: LockPatience, _ world: World
    ) throws(Failure) {
        self.directory = try directory.everybodysLogs(on: world.disk)
        try directory.expectNoneGone(on: world.disk)
        clock = world.clock
        self.world = world
        let zones = try world.zones()
        self.zones = zones
        var openings: [WorkerOpening] = []
        do throws(JournalError) {
            for name in directory.allNames {
                var journal = JournalOptions()
                journal.lockPatience = patience
                openings.append(
                    try WorkerOpening(
                        directory.log(name), on: world.disk, holder: LogHolder.own(command),
                        options: journal, .shown(zones)))
                Progress.clear()
            }
        } catch {
            throw Self.silentWorker(error) ?? Failure(error)
        }
        self.openings = openings
        let people = directory.partitions == nil ? openings[...] : openings.dropFirst()
        tokens = EndingTokens(
            directory, openings[0].core.identity, world,
            erased: zip(directory.names, people).map { ($0, $1.erasedPeople) },
            madeLast: people.map(\.core.durableHead.at).max() ?? .distantPast)
        for (name, opening) in zip(directory.allNames, openings) { prepareRetention(name, opening) }
        for opening in openings { for note in OpeningNote.notes(on: opening, world.disk) { complain(note.line) } }
        guard directory.partitions != nil else { return }
        let copies: [ArraySlice<Copies.Told>]
        let told: Copies
        do throws(JournalError) { told = try Copies(in: directory.everyone, on: world.disk) } catch {
            throw Failure(error)
        }
        for (name, opening) in zip(directory.names, people) { try told.expectSource(of: opening, name) }
        do throws(JournalError) {
            var missing: [ArraySlice<Copies.Told>] = []
            for opening in people { missing.append(try told.missing(in: opening)) }
            copies = missing
        } catch {
            throw Failure(error)
        }
        for (partition, missing) in copies.enumerated() { for told in missing { try copy(told, to: partition) } }
    }

    private var people: ArraySlice<WorkerOpening> {
        directory.partitions == nil ? openings[...] : openings.dropFirst()
    }

    private func opening(_ partition: Int) -> WorkerOpening { people[people.startIndex + partition] }

    /// Notes that this program is at work, where another was before.
    func noteStart() throws(Failure) {
        do throws(JournalError) {
            for opening in openings {
                try opening.noteStart(
                    version: Belfry.version, policy: opening.core.policy.name.text, at: clock())
            }
        } catch {
            throw Failure(error)
        }
    }

    /// - Returns: whether no snapshot beside the logs tells of anybody any more who was erased.
    @discardableResult
    func close() throws(Failure) -> Bool {
        do throws(JournalError) { for opening in openings { try opening.core.close() } } catch { throw Failure(error) }
        let left = zip(directory.allNames, openings).filter { name, opening in
            opening.mayHaveErased && !hasEndedErasing(directory.log(name))
        }
        return left.isEmpty
    }

    /// What an erasure has left to do, also one that was cut off: snapshots are written anew. What was recorded is recorded, whatever
    /// becomes of this; where another takes a snapshot, or something fails, the next writer sees it in the log.
    private func hasEndedErasing(_ log: String) -> Bool {
        do throws(JournalError) {
            guard try !LogReader(log, on: world.disk).snapshotsBeforeErasure().isEmpty else { return true }
            guard let taken = try SnapshotTaking(log, on: world.disk, .shown(zones)).run() else { return false }
            return !taken.isOvertaken
        } catch {
            complain(
                "note: snapshots in \(log) tell of somebody who was erased, and could not be written anew: \(error)")
            return false
        }
    }

    // MARK: Facts

    func take(_ facts: [Fact], allOrNothing: Bool) throws(Failure) -> Result<[FactReceipt], WorkerRefusal> {
        guard directory.partitions != nil else {
            return openings[0].core.takeAlone(facts, allOrNothing: allOrNothing, clock: clock)
        }
        let deal = Deal(facts, bytes: 0, isOwn: false) { LogName(of: $0, among: directory.partitions).number ?? 0 }
        if allOrNothing, let problem = deal.partingProblem { return .success(facts.map { _ in .refused(problem) }) }
        var receipts = deal.withheld
        if allOrNothing, !deal.refused.isEmpty { return .success(receipts) }
        for hand in deal.hands {
            switch hand {
            case .people(let parts):
                for part in parts {
                    switch opening(part.log).core.takeAlone(part.facts, allOrNothing: allOrNothing, clock: clock) {
                    case .failure(let refusal): return .failure(refusal)
                    case .success(let told):
                        for (index, receipt) in zip(part.indices, told) { receipts[index] = receipt }
                    }
                }
            case .everyone(let index):
                switch openings[0].core.takeAlone([facts[index]], allOrNothing: false, clock: clock) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let told):
                    receipts[index] = told.first ?? .leftOut
                    guard case .recorded(let seq, warnings: _)? = told.first else { continue }
                    let told = Copies.Told(seq: seq, fact: facts[index])
                    for partition in 0..<people.count { try copy(told, to: partition) }
                }
            }
        }
        return .success(receipts)
    }

    /// Whose numbers a fact gets; `nil` where one log holds everybody.
    func partition(of fact: Fact) -> Int? {
        guard let count = directory.partitions else { return nil }
        return fact.user.map { Partition.of($0, among: count) } ?? Partition.everyone
    }

    /// Why a fact about a person would be refused as things stand. Nobody is decided about, also not who is due.
    func refusal(of fact: Fact) -> FieldError? {
        guard let user = fact.user else { return nil }
        return opening(LogName(of: user, among: directory.partitions).number ?? 0).core.refusal(of: fact, clock: clock)
    }

    /// Records that somebody is erased. Their tokens end before it, durably, so that none is good for whoever has their id
    /// next (`E4`).
    func erase(_ user: String) throws(Failure) -> Result<[FactReceipt], WorkerRefusal> {
        let fact = Fact(user: user, payload: .personErased(PersonErased()))
        let number = LogName(of: user, among: directory.partitions).number ?? 0
        // Whoever cannot be erased keeps their tokens.
        if let problem = refusal(of: fact) { return .success([.refused(problem)]) }
        try tokens.end(user, in: number)
        let outcome = try take([fact], allOrNothing: false)
        if case .success(let receipts) = outcome {
            let isRecorded = if case .recorded? = receipts.first { true } else { false }
            if !isRecorded { try tokens.spare(user, in: number) }
        }
        return outcome
    }

    /// Whoever retention erases has no token left by then either.
    private func prepareRetention(_ name: LogName, _ opening: WorkerOpening) {
        opening.core.willErase = { [tokens, erased] users throws(JournalError) in
            do throws(Failure) { try tokens.end(users, in: name.number ?? 0) } catch {
                throw .lost(error.message)
            }
            erased.people.withLock { $0 += users.count }
        }
    }

    private func copy(_ told: Copies.Told, to partition: Int) throws(Failure) {
        let name = LogName.partition(partition)
        switch opening(partition).core.takeAlone([told.copy], allOrNothing: false, clock: clock) {
        case .failure(.journal(let error)): throw Failure(error)
        case .failure(.problem(let problem)): throw Copies.refusal(of: told, in: name, problem)
        case .failure(.elsewhere(let words, isInDoubt: _)): throw Failure(.environment, words)
        case .success(let receipts):
            if let failure = Copies.failure(of: told, in: name, receipts.first) { throw failure }
        }
    }

    // MARK: Running

    /// What a "run now" has come to in each log that it is about.
    func run(_ order: RunOrder) throws(Failure) -> [(name: LogName, receipt: RunReceipt)] {
        var done: [(name: LogName, receipt: RunReceipt)] = []
        for (name, opening) in zip(directory.names, people) {
            guard let part = order.part(of: name, directory) else { continue }
            switch opening.core.runAlone(part, clock: clock) {
            case .failure(.problem(let problem)): throw Failure(.badInput, "\(problem)")
            case .failure(.journal(let error)): throw Failure(error)
            case .failure(.elsewhere(let words, isInDoubt: _)): throw Failure(.environment, words)
            case .success(let receipt): done.append((name, receipt))
            }
        }
        return done
    }
}

/// Counts whom retention erases while a command has the logs: their logs' cores tell of them.
private final class RetentionTally: Sendable {
    let people = Mutex(0)
}

extension RunOrder {
    /// What of it is about the people of one log; `nil` for nothing.
    func part(of name: LogName, _ directory: DataDirectory) -> RunOrder? {
        guard !users.isEmpty else { return self }
        var part = self
        part.users = users.filter { LogName(of: $0, among: directory.partitions) == name }
        return part.users.isEmpty ? nil : part
    }
}
