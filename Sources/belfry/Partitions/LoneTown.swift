import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// The logs of a directory, opened by a command that found no worker running: it does what their workers would (`G2`).
struct LoneTown {
    private let directory: DataDirectory
    /// What is about everyone first, where that is a log of its own.
    private let openings: [WorkerOpening]
    private let clock: () -> Instant

    /// - Parameter patience: with a log that another has.
    init(
        _ directory: DataDirectory, command: String, patience: LockPatience, _ world: World
    ) throws(Failure) {
        self.directory = directory
        clock = world.clock
        let zones = try world.zones()
        var openings: [WorkerOpening] = []
        do throws(JournalError) {
            for name in directory.allNames {
                var journal = JournalOptions()
                journal.lockPatience = patience
                openings.append(
                    try WorkerOpening(
                        directory.log(name), on: world.disk, holder: "process \(getpid()) (belfry \(command))",
                        options: journal, .shown(zones)))
                Progress.clear()
            }
        } catch {
            throw Failure(error)
        }
        self.openings = openings
        for opening in openings { for note in OpeningNote.notes(on: opening, world.disk) { complain(note.line) } }
        guard directory.partitions != nil else { return }
        do throws(JournalError) {
            let copies = try Copies(in: directory.everyone, on: world.disk)
            for opening in people {
                for told in try copies.missing(in: opening) { try copy(told, into: opening) }
            }
        } catch {
            throw Failure(error)
        }
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

    func close() throws(Failure) {
        do throws(JournalError) { for opening in openings { try opening.core.close() } } catch { throw Failure(error) }
    }

    // MARK: Facts

    func take(_ facts: [Fact], allOrNothing: Bool) -> Result<[FactReceipt], WorkerRefusal> {
        guard directory.partitions != nil else {
            return openings[0].core.takeAlone(facts, allOrNothing: allOrNothing, clock: clock)
        }
        let deal = Deal(facts, bytes: 0, isOwn: false) { LogName(of: $0, among: directory.partitions).number ?? 0 }
        if allOrNothing, let problem = deal.partingProblem { return .success(facts.map { _ in .refused(problem) }) }
        var receipts = deal.withheld
        if allOrNothing, !deal.refused.isEmpty { return .success(receipts) }
        do throws(WorkerRefusal) {
            for hand in deal.hands {
                switch hand {
                case .people(let parts):
                    for part in parts {
                        let core = opening(part.log).core
                        let told = try core.takeAlone(part.facts, allOrNothing: allOrNothing, clock: clock).get()
                        for (index, receipt) in zip(part.indices, told) { receipts[index] = receipt }
                    }
                case .everyone(let index): receipts[index] = try tellEveryone(facts[index])
                }
            }
            return .success(receipts)
        } catch {
            return .failure(error)
        }
    }

    private func tellEveryone(_ fact: Fact) throws(WorkerRefusal) -> FactReceipt {
        let told = try openings[0].core.takeAlone([fact], allOrNothing: false, clock: clock).get()
        guard case .recorded(let seq, warnings: _)? = told.first else { return told.first ?? .leftOut }
        for opening in people {
            do throws(JournalError) { try copy(Copies.Told(seq: seq, fact: fact), into: opening) } catch {
                throw .journal(error)
            }
        }
        return told[0]
    }

    private func copy(_ told: Copies.Told, into opening: WorkerOpening) throws(JournalError) {
        switch opening.core.takeAlone([told.copy], allOrNothing: false, clock: clock) {
        case .failure(.journal(let error)): throw error
        case .failure(.problem(let problem)): throw refusal(of: told, problem)
        case .success(let receipts):
            if case .refused(let problem)? = receipts.first { throw refusal(of: told, problem) }
        }
    }

    private func refusal(of told: Copies.Told, _ problem: FieldError) -> JournalError {
        .displaced("fact \(told.seq) about everyone is not taken by each partition: \(problem)")
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
            case .success(let receipt): done.append((name, receipt))
            }
        }
        return done
    }
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
