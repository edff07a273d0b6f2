import CivilTime
import Journal
import Notices
import Worker

/// `belfry people`: whom the log knows (SPEC §13).
enum PeopleCommand: Command {
    private static let prefix = CommandSpec.Option(name: "--prefix", value: "P", help: "only ids that begin so")
    private static let state = CommandSpec.Option(
        name: "--with", value: "STATE", help: "only those for whom something waits, failed, and so on",
        completion: .words(PeopleQuery.State.allCases.map(\.rawValue)))
    private static let limit = CommandSpec.Option(
        name: "--limit", value: "N", help: "at most this many (default \(PeopleQuery.limitUsual))")
    private static let after = CommandSpec.Option(
        name: "--after", value: "U", help: "start after this person, the last one of the page before")

    static let spec = CommandSpec(
        name: "people", summary: "Lists whom the log knows: last activity, next wake, what waits.", positional: nil,
        options: [prefix, state, limit, after, CommandSpec.data, CommandSpec.json],
        notes: """
            People come in the order in which the log met them, and partition by partition where there are several.
            --with takes: waiting (held or gathered), snoozed, failed (a job of the last 7 days got through on no
            channel), opted_out (everything switched off), unreachable (no channel but the app), warned (something of
            theirs cannot be read). A page that is not full is the last.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let query = try query(arguments)
        let isJSON = arguments.has(CommandSpec.json)
        if let worker = WorkerClient(World.dataDirectory(arguments)),
            let body = try worker.ask(query.target, wantsText: !isJSON)
        {
            return PersonCommands.tell(body, isJSON: isJSON, world.output)
        }
        let page = try PeoplePage(query, try world.directory(arguments).whole()) { (name, query) throws(Failure) in
            try search(query, try world.log(at: try world.directory(arguments).log(name)), world)
        }
        PersonCommands.tell(PeopleTable(page).answer.body(isJSON: isJSON), isJSON: isJSON, world.output)
    }

    /// Without a worker: through the fold of the log.
    private static func search(
        _ query: PeopleQuery, _ log: LogReader, _ world: World
    ) throws(Failure) -> PeopleSearch {
        let zones = try world.zones()
        var search: PeopleSearch
        let folded: FoldedLog
        do throws(JournalError) {
            search = PeopleSearch(query, candidates: try query.candidates(in: log, at: world.clock()))
            folded = try FoldedLog.load(log, .shown(zones))
            Progress.clear()
        } catch {
            throw Failure(error)
        }
        do throws(FieldError) {
            while !search.isDone { try search.go(through: folded.register, until: { false }) }
        } catch {
            throw Failure(.badInput, "\(error)")
        }
        return search
    }

    private static func query(_ arguments: Arguments) throws(Failure) -> PeopleQuery {
        for option in [prefix, after] {
            guard let word = arguments[option], !Identifier.isAccepted(word) else { continue }
            throw .usage("\(option.name) takes \(Identifier.allowed), not \"\(word)\"", spec)
        }
        var query = PeopleQuery(prefix: arguments[prefix] ?? "", after: arguments[after])
        if let word = arguments[state] {
            guard let state = PeopleQuery.State(rawValue: word) else {
                let known = PeopleQuery.State.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--with takes \(known), not \"\(word)\"", spec)
            }
            query.state = state
        }
        if let word = arguments[limit] {
            let allowed = PeopleQuery.limitAllowed
            guard let limit = Int(word), allowed.contains(limit) else {
                throw .usage(
                    "--limit takes a number from \(allowed.lowerBound) to \(allowed.upperBound), not \"\(word)\"", spec)
            }
            query.limit = limit
        }
        return query
    }
}

extension PeopleQuery {
    /// Who has the state that only the log knows; `nil` where the register knows.
    func candidates(
        in log: LogReader, at now: Instant, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> Set<String>? {
        guard state == .failed else { return nil }
        return try FailedJobs(log).people(since: now.advanced(byDays: -FailedJobs.days), isWanted: isWanted)
    }

    /// As a worker is asked it.
    fileprivate var target: PathAndQuery {
        PathAndQuery(
            "/v1/people",
            [
                ("prefix", prefix.isEmpty ? nil : prefix), ("with", state?.rawValue), ("limit", "\(limit)"),
                ("after", after),
            ])
    }
}
