import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry replay`: the log from its first event, decided again where it is asked to (SPEC §13, `G1`).
enum ReplayCommand: ReadingWholeLogs {
    private static let verify = CommandSpec.Option(
        name: "--verify", value: nil, help: "decide everything again and compare with what was recorded")
    private static let to = CommandSpec.Option(
        name: "--to", value: "T|SEQ", help: "up to and including this instant or event number, in whole commits")

    static let spec = CommandSpec(
        name: "replay", summary: "Folds the log from its first event; with --verify decides everything again.",
        positional: nil,
        options: [
            verify, to, CommandSpec.cores, CommandSpec.data, FetchedLogs.postgres, CommandSpec.partition,
            CommandSpec.json,
        ],
        notes: """
            Prints how many events and decisions there are, how many decisions differ (with --verify), and the hash
            that stands for everything up to there. Exit 1 if any differs; the first difference is shown.
            Partitions are replayed one after the other, each by itself; an event number for --to needs --partition.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let end = try Question.Moment(arguments, to, spec)
        let plans = try PersonCommands.plans(for: try Cores(arguments, spec), world)
        let meant = try LogsMeant(arguments, world, withEveryone: true, spec)
        if case .seq = end { _ = try meant.one(spec) }
        let checks = arguments.has(verify)
        var all = Counts()
        try meant.forEach(world, heads: !arguments.has(CommandSpec.json)) { (name, log) throws(Failure) in
            let progress = Progress(checks ? "deciding again" : "replaying", total: log.byteCount)
            defer { progress.finish() }
            let counts: Counts
            do throws(JournalError) {
                counts = try (checks ? verify : fold)(log, end, plans, progress)
            } catch {
                throw Failure(error)
            }
            progress.finish()
            tell(counts, name, arguments, world.output)
            all.add(counts)
            guard let first = counts.first else { return }
            world.output.flush()
            throw failure(first)
        }
        guard meant.names.count > 1, !arguments.has(CommandSpec.json) else { return }
        world.output.line("all of them")
        world.output.line(all.sentence)
    }

    // MARK: Replaying

    private struct Counts {
        var events = 0
        var decisions = 0
        /// `nil` where nothing was decided again.
        var differ: Int?
        var first: Replay.Difference?
        /// Of what facts raised nothing is recorded.
        var undecided: [Replay.Difference] = []
        var lastDecided: UInt64 = 0
        var head = LogHead.start

        mutating func add(_ part: Counts) {
            events += part.events
            decisions += part.decisions
            if let differ = part.differ { self.differ = (self.differ ?? 0) + differ }
            undecided += part.undecided
            lastDecided = max(lastDecided, part.lastDecided)
        }

        /// What was passed over by who decided something later differs: whoever comes decides all that waits.
        mutating func countPassedOver() {
            let passed = undecided.filter { $0.seq < lastDecided }
            guard let earliest = passed.min(by: { $0.seq < $1.seq }) else { return }
            differ = (differ ?? 0) + passed.count
            if first.map({ earliest.seq < $0.seq }) ?? true { first = earliest }
        }

        /// - Parameter withGeneral: whether what is about everyone is counted as well.
        mutating func count(_ commit: [Event], withGeneral: Bool) {
            // By place: an event that is taken out to be looked at is copied.
            for place in commit.indices where withGeneral || commit[place].user != nil {
                events += 1
                if !commit[place].isFact, commit[place].user != nil { decisions += 1 }
            }
        }

        var sentence: String {
            counted(events, "event") + ", " + counted(decisions, "decision") + (differ.map { ", \($0) differ" } ?? "")
        }
    }

    private static func fold(
        _ log: LogReader, _ end: Question.Moment, _ plans: [Plan], _ progress: Progress
    ) throws(JournalError) -> Counts {
        try sum(log, end, plans, progress) { plan, share in
            var register = Register(plan, of: share)
            let step: Step = { commit, subjects, counts in
                for place in commit.indices {
                    register.fold(commit[place], about: subjects[place].map { Int(share.own(UInt32($0))) })
                }
            }
            return (step, { _ in })
        }
    }

    /// Where all is the same each share says so by itself. Where something differs the first core alone finds out what comes first.
    private static func verify(
        _ log: LogReader, _ end: Question.Moment, _ plans: [Plan], _ progress: Progress
    ) throws(JournalError) -> Counts {
        var counts = try sum(log, end, plans, progress) { plan, share in
            var replay = Replay(plan, of: share)
            let step: Step = { commit, _, counts in
                replay.take(commit)
                if counts.differ != replay.differing {
                    (counts.differ, counts.first) = (replay.differing, replay.first)
                }
            }
            return (step, { ($0.undecided, $0.lastDecided) = (replay.undecidedAtEnd, replay.lastDecided) })
        }
        // Also of a stretch that holds nothing.
        counts.differ = counts.differ ?? 0
        counts.countPassedOver()
        guard plans.count > 1, let differ = counts.differ, differ > 0 else { return counts }
        return try verify(log, end, [plans[0]], progress)
    }

    /// What is done with the commits of one share, in order: their events, and whom each is about.
    private typealias Step = (_ commit: [Event], _ subjects: [Int?], _ counts: inout Counts) -> Void
    /// What is known only once all of them were taken.
    private typealias Ending = (_ counts: inout Counts) -> Void

    private static func sum(
        _ log: LogReader, _ end: Question.Moment, _ plans: [Plan], _ progress: Progress,
        _ begin: @Sendable (Plan, Share) -> (Step, Ending)
    ) throws(JournalError) -> Counts {
        let parts = try Cores(plans.count).read(log) { (events, share) throws(JournalError) -> Counts in
            var counts = Counts()
            let (step, finish) = begin(plans[share.place], share)
            while let commit = try events.nextCommit() {
                // A commit is whole or not: one that is only partly asked for is left out.
                let head = events.head
                guard end.holds(head) else { break }
                counts.count(commit, withGeneral: share.isFirst)
                step(commit, events.subjects, &counts)
                counts.head = head
                if share.isFirst { progress.update(bytes: Int(head.position)) }
            }
            finish(&counts)
            return counts
        }
        var all = parts[0]
        for part in parts.dropFirst() { all.add(part) }
        return all
    }

    // MARK: Telling

    private static func tell(
        _ counts: Counts, _ name: LogName, _ arguments: Arguments, _ output: Output
    ) {
        let head = "\(counts.head.hash)"
        if arguments.has(CommandSpec.json) {
            let differ = counts.differ.map { ",\"differ\":\($0)" } ?? ""
            output.line(
                "{\(name.member)\"events\":\(counts.events),\"decisions\":\(counts.decisions)\(differ),\"head\":\"\(head)\"}"
            )
            return
        }
        output.line(counts.sentence)
        output.line("head \(head)")
    }

    private static func failure(_ difference: Replay.Difference) -> Failure {
        func text(_ payload: Payload?) -> String {
            guard let payload else { return "nothing" }
            var buffer = ByteBuffer()
            payload.writeJSON(into: &buffer)
            return "\(payload.type.name) \(buffer.text)"
        }
        return Failure(
            .no,
            "the first difference is at event \(difference.seq), \(difference.at), about \(difference.user ?? "nobody")",
            further: ["  recorded  \(text(difference.recorded))", "  decided   \(text(difference.decided))"])
    }
}
