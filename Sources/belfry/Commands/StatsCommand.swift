import CivilTime
import Console
import Journal
import Notices
import Reports
import Worker

/// `belfry stats`: the figures of a log (SPEC §13, §16 `V6`).
enum StatsCommand: ReadingWholeLogs {
    private static let from = CommandSpec.Option(
        name: "--from", value: "T",
        help: "from this day of UTC on, or the day of this instant (default: the log's first)")
    private static let to = CommandSpec.Option(
        name: "--to", value: "T", help: "up to this day, included (default: the log's last)")
    private static let grouping = CommandSpec.Option(
        name: "--by", value: "WHAT", help: "a row for each day, kind or channel (default day)",
        completion: .words(NumbersQuery.Grouping.allCases.map(\.rawValue)))
    private static let kind = CommandSpec.Option(name: "--kind", value: "K", help: "only of this kind")
    private static let csv = CommandSpec.Option(name: "--csv", value: nil, help: "print a table with commas")

    static let spec = CommandSpec(
        name: "stats", summary: "Counts what was raised, sent, read and blocked, and who uses which settings.",
        positional: nil,
        options: [
            from, to, grouping, kind, csv, CommandSpec.data, FetchedLogs.postgres, CommandSpec.partition,
            CommandSpec.json,
        ],
        notes: """
            Days are days of UTC. raised, held and gathered count notices, each once; emitted counts jobs; sent,
            delivered and failed count what channels and providers said; blocked counts dropped notices and skipped
            slots by their reason. Tests count for nothing. The settings in use are those at the end of --to.

            By channel, "any" counts what concerns a notice and no single channel. late is how long a job came after
            its slot, or after the end of its hold.

            The figures are kept beside the log (numbers.snapshot) and read on from there. The file may be deleted.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let query = try query(arguments)
        if arguments.has(csv), arguments.has(CommandSpec.json) { throw .usage("--csv and --json are two", spec) }
        let form: StatsQuestion.Form = arguments.has(csv) ? .csv : arguments.has(CommandSpec.json) ? .json : .text
        let meant = try LogsMeant(arguments, world, withEveryone: false, spec)
        // A worker tells of all.
        if meant.names == meant.directory.names, let worker = WorkerClient(meant.directory.path),
            let target = query.target,
            let body = try worker.ask(target, accepting: form.mediaType)
        {
            return tell(body, form, world.output)
        }
        var parts: [Figures] = []
        try meant.forEach(world, heads: false) { (_, log) throws(Failure) in parts.append(try figures(log, world)) }
        let counted = Figures(of: parts)
        if let problem = counted.problem(with: query) { throw Failure(.badInput, "\(problem)") }
        tell(counted.report(query).body(form), form, world.output)
    }

    /// Without a worker: from what is kept beside the log, read on to its end.
    private static func figures(_ log: LogReader, _ world: World) throws(Failure) -> Figures {
        let beginning = Beginning.standard(try world.zones())
        do throws(JournalError) {
            guard let identity = log.identity else { return Figures() }
            var numbers: Numbers
            switch try KeptNumbers(beside: log, beginning) {
            case .upToDate(let figures)?: return figures
            case .behind(let kept)?: numbers = kept
            case nil: numbers = Numbers(of: identity, beginning)
            }
            let progress = Progress("counting", total: log.byteCount)
            var told = ContinuousClock.now
            while try !numbers.read(log, until: { ContinuousClock.now - told > .milliseconds(100) }) {
                told = ContinuousClock.now
                progress.update(bytes: Int(numbers.head.position))
            }
            progress.finish()
            // Whoever may only read the log counts anew the next time, as does whoever comes while somebody is erased.
            _ = try? numbers.keep(in: log.directory, on: world.disk, beginning, draftSuffix: ".beside")
            return numbers.counted
        } catch {
            throw Failure(error)
        }
    }

    private static func tell(_ body: [UInt8], _ form: StatsQuestion.Form, _ output: Output) {
        let text = String(decoding: body, as: UTF8.self)
        switch form {
        case .json: output.line { $0.append(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        case .text, .csv:
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last == "" { lines.removeLast() }
            for line in lines { output.line(String(line)) }
        }
    }

    // MARK: The question

    private static func query(_ arguments: Arguments) throws(Failure) -> NumbersQuery {
        var query = NumbersQuery()
        query.from = try arguments[from].map { word throws(Failure) in try day(word, "--from") }
        query.to = try arguments[to].map { word throws(Failure) in try day(word, "--to") }
        if let from = query.from, let to = query.to, to < from {
            throw .usage("--to \(to) is before --from \(from)", spec)
        }
        if let word = arguments[grouping] {
            guard let known = NumbersQuery.Grouping(rawValue: word) else {
                throw .usage("--by takes day, kind or channel, not \"\(word)\"", spec)
            }
            query.grouping = known
        }
        query.kind = arguments[kind]
        return query
    }

    private static func day(_ word: String, _ option: String) throws(Failure) -> LocalDate {
        if let date = LocalDate(word) { return date }
        if let instant = try? Instant(rfc3339: word) { return ZoneRules.utc.localDate(at: instant) }
        throw .usage("\(option) takes a day such as 2026-03-02 or an instant, not \"\(word)\"", spec)
    }
}

extension NumbersQuery {
    /// As a worker is asked it; `nil` for a kind that can have no name.
    fileprivate var target: PathAndQuery? {
        guard kind.map(Identifier.isAccepted) ?? true else { return nil }
        return PathAndQuery(
            "/v1/stats",
            [
                ("from", from.map { "\($0)" }), ("to", to.map { "\($0)" }), ("by", grouping.rawValue), ("kind", kind),
            ])
    }
}

extension StatsQuestion.Form {
    fileprivate var mediaType: String {
        switch self {
        case .json: "application/json"
        case .text: "text/plain"
        case .csv: "text/csv"
        }
    }
}
