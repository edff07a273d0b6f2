import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// `belfry import`: a new log out of a history with its own instants, deciding along the way (SPEC §13).
enum ImportCommand: Command {
    private static let until = CommandSpec.Option(
        name: "--until", value: "T", help: "end at this instant (included) instead of at the last fact")

    static let spec = CommandSpec(
        name: "import",
        summary: "Builds a new log from a history of facts with their own instants, deciding along the way.",
        positional: CommandSpec.Positional(name: "FILE", isRequired: true),
        options: [
            CommandSpec.data, CommandSpec.policy, until, CommandSpec.warnings, CommandSpec.reading, CommandSpec.json,
        ],
        notes: """
            FILE (or - for standard input) is what `simulate` takes. The log's directory must be new or empty.
            With --policy the log begins by adopting that policy; without it the history must adopt one before
            anything else. What an import leaves that fails or is stopped is refused by every command that writes: remove
            it, then import again. A refused fact is reported on standard error with its line, the rest goes in, and
            the exit code is 3. Jobs of more than a day ago that wait to be sent, and have no last moment, are counted at
            the end: `belfry run` sends them. Each kind of warning is printed once, at the end: the first, and how many came.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        try arguments.checkStandardInput(spec)
        let end = try arguments[until].map { word throws(Failure) in try instant(word, "--until", spec) }
        let zones = try world.zones()
        let adopted = try arguments[CommandSpec.policy].map { word throws(Failure) in
            try world.policy(word, zones).text
        }
        let cores = try Cores(arguments, spec)
        var history = try HistoryFile(
            arguments.positional ?? "-", zones, on: cores, doing: "importing",
            tellsAll: arguments.has(CommandSpec.warnings))
        defer { history.close() }
        let directory = try world.directory(arguments).ownLogs(on: world.disk)
        guard directory.partitions == nil else {
            throw Failure(
                .wrongUsage, "\(directory.path) has partitions, and import makes one log; name another --data for it")
        }
        let part = directory.around(on: world.disk).flatMap { town in
            town.allNames.first { $0.text == DiskPath.name(of: directory.path) }.map { (town: town, name: $0) }
        }
        let sink = try Sink(World.dataDirectory(arguments), world)
        let writing = WritingBehind(on: cores, sink.take)
        var chronicle: Chronicle?
        do throws(Failure) {
            while let fact = try history.next(through: end) {
                // Whoever is another partition's would be in two, and reached twice.
                if let part, let user = fact.user {
                    let home = LogName(of: user, among: part.town.partitions)
                    guard home == part.name else {
                        history.refuse("user: is in \(home.told), and this is \(part.name.told)")
                        continue
                    }
                }
                if chronicle == nil {
                    chronicle = try begin(fact, adopted, zones, writing, &history)
                    // A history that adopts its policy by itself has begun with this very fact.
                    guard chronicle != nil, adopted != nil else { continue }
                }
                if let receipt = chronicle?.take(fact) { history.tell(receipt) }
                if writing.hasFailed { break }
            }
            if let end { chronicle?.wind(to: end, while: { !writing.hasFailed }) }
        } catch {
            writing.finish()
            throw sink.giveUp(because: error)
        }
        writing.finish()
        try sink.close()
        let old = sink.jobs.old(by: world.clock())
        if arguments.has(CommandSpec.json) {
            world.output.line(
                "{\"events\":\(sink.events),\"commits\":\(sink.commits),\"head\":\"\(sink.head)\",\"old_jobs\":\(old.count)}"
            )
        } else {
            world.output.line("\(counted(sink.events, "event")) in \(counted(sink.commits, "commit"))")
            world.output.line("head \(sink.head)")
            if sink.events == 0 {
                world.output.line(
                    "the history holds nothing, so the log is empty\(adopted == nil ? "" : " and under no policy yet"); `belfry run` begins it"
                )
            }
            if let sentence = old.sentence(ofHistory: true) { world.output.line(sentence) }
        }
        try history.finish()
    }

    /// The first fact decides under which policy the history begins; the adoption is the log's first event.
    private static func begin(
        _ fact: Fact, _ adopted: String?, _ zones: ZoneDatabase, _ writing: WritingBehind, _ history: inout HistoryFile
    ) throws(Failure) -> Chronicle? {
        let document: String
        if let adopted {
            document = adopted
        } else if case .policyAdopted(let own) = fact.payload {
            document = own.policy.text
        } else {
            throw Failure(
                .badInput,
                "line \(history.line) comes before any policy was adopted; begin the history with a policy_adopted, or give --policy (such as --policy standard)"
            )
        }
        let policy: Policy
        do throws(Refusal) { policy = try Policy(document: document) } catch {
            history.refuse("data.policy: \(error)")
            return nil
        }
        var chronicle = Chronicle(Plan(Rulebook(policy), zone: { try? zones.zone(named: $0) }), tell: writing.take)
        var opening = fact
        if adopted != nil {
            var adoption = PolicyAdopted()
            adoption.policy = JSONDocument(trusted: document)
            opening = Fact(at: fact.at, payload: .policyAdopted(adoption))
        }
        // A policy is in force only where the log says so.
        let receipt = chronicle.take(opening)
        history.tell(receipt)
        if case .recorded = receipt { return chronicle }
        return nil
    }

    /// Where the commits go: the journal, a batch at a time.
    private final class Sink {
        private let directory: String
        private let journal: Journal
        private var failure: JournalError?
        private(set) var events = 0
        private(set) var commits = 0
        private(set) var head = ""
        private(set) var jobs = ImportedJobs()
        /// As the policy says that the last commit adopted.
        private var textsByWeek = false

        private static let batchBytes = 1 << 20

        init(_ directory: String, _ world: World) throws(Failure) {
            self.directory = directory
            do throws(JournalError) {
                var options = JournalOptions()
                options.lockPatience = .short()
                options.isImport = true
                journal = try Journal(
                    directory, on: world.disk, holder: LogHolder.own("import"), options: options)
            } catch {
                throw Failure(error)
            }
            guard journal.head.lastSeq == 0 else {
                try? journal.close()
                throw Failure(
                    .badInput, "\(directory) holds a log already; an import builds a new one, in another --data DIR")
            }
        }

        /// `false` where it could not be written; why, is told by `close`.
        func take(_ commit: Chronicle.Commit) -> Bool {
            guard let first = commit.first else { return true }
            if case .policyAdopted(let adopted) = first.payload {
                textsByWeek = (try? Policy(recorded: adopted.policy.text))?.keepsTextsForAWhile ?? false
            }
            do throws(JournalError) {
                try journal.append(commit, at: first.at, textsByWeek: textsByWeek)
                events += commit.count
                for event in commit { jobs.take(event) }
                commits += 1
                if journal.unwrittenBytes >= Self.batchBytes { try journal.commit() }
                return true
            } catch {
                failure = error
                return false
            }
        }

        /// To be called at the end of the history.
        func close() throws(Failure) {
            do throws(JournalError) {
                if let failure { throw failure }
                try journal.commit()
                head = "\(journal.head.hash)"
                try journal.endImport()
                try journal.close()
            } catch {
                throw half(Failure(error))
            }
        }

        /// To be called where the history cannot be gone on with. A log that took nothing of it is an empty one.
        func giveUp(because problem: Failure) -> Failure {
            if events == 0, failure == nil {
                try? close()
                return problem
            }
            if failure == nil { try? journal.close() }
            return half(problem)
        }

        private func half(_ problem: Failure) -> Failure {
            var problem = problem
            problem.further.append(
                "belfry: \(directory) holds no more than a part of the history, and nobody goes on with that; remove it before you try again"
            )
            return problem
        }
    }
}
