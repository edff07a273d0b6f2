import CivilTime
import Console
import Notices

/// `belfry token`: tokens of operators, made, listed and revoked (`V1`).
enum TokenCommand: Command {
    private static let actions = ["make", "list", "revoke"]
    private static let file = CommandSpec.Option(
        name: "--tokens", value: "FILE", help: "the file that `belfry run --tokens` reads", completion: .file)
    private static let name = CommandSpec.Option(
        name: "--name", value: "N", help: "whose token it is; the worker's log shows this name")
    private static let role = CommandSpec.Option(
        name: "--role", value: "R", help: "read (sees everything), operate (acts for people) or admin",
        completion: .words(Role.allCases.map(\.rawValue)))
    private static let expires = CommandSpec.Option(
        name: "--expires", value: "T", help: "the instant at which it ends, such as 2027-01-01T00:00:00Z")
    private static let days = CommandSpec.Option(name: "--days", value: "N", help: "the number of days until it ends")

    static let spec = CommandSpec(
        name: "token", summary: "Makes, lists and revokes the tokens of operators.",
        positional: CommandSpec.Positional(name: "make|list|revoke", isRequired: true, completion: .words(actions)),
        second: CommandSpec.Positional(name: "NAME", isRequired: false, completion: .none),
        options: [file, name, role, expires, days, CommandSpec.json],
        notes: """
            belfry token make --tokens FILE --name N --role R [--expires T | --days N]
                              prints a new token. FILE keeps its hash, so it is shown this once
            belfry token list --tokens FILE
            belfry token revoke NAME --tokens FILE
                              ends it, and every session that was begun with it

            A worker that runs with --tokens FILE reads the file again within seconds of a change.
            """, needs: [file])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard let path = arguments[file] else { throw .usage("token needs --tokens FILE", spec) }
        switch (arguments.positional, arguments.second) {
        case ("make", nil): try make(arguments, path, world)
        case ("make", _?): throw .usage("token make takes the name with --name", spec)
        case ("list", nil): try list(path, world, isJSON: arguments.has(CommandSpec.json))
        case ("list", let word?): throw .usage("\"\(word)\" is more than token list takes", spec)
        case ("revoke", let named):
            try revoke(named ?? arguments[name], path, world, isJSON: arguments.has(CommandSpec.json))
        case (let word, _):
            throw .usage("token cannot \"\(word ?? "")\"; it can \(actions.joined(separator: ", "))", spec)
        }
    }

    private static func make(_ arguments: Arguments, _ path: String, _ world: World) throws(Failure) {
        guard let named = arguments[name] else { throw .usage("token make needs --name N", spec) }
        guard let word = arguments[role], let role = Role(rawValue: word) else {
            throw .usage("token make needs --role, one of \(Role.names)", spec)
        }
        let end = try end(arguments, now: world.clock())
        let token = OperatorTokens.newToken()
        try TokensFile.change(path, mayMake: true, world) { (tokens) throws(Failure) in
            do throws(FieldError) {
                try tokens.add(OperatorTokens.Entry(name: named, role: role, endsAt: end, token: token))
            } catch {
                throw Failure(.badInput, "--name: \(error)")
            }
        }
        guard arguments.has(CommandSpec.json) else { return world.output.line(token) }
        let document = JSONValue.object([
            .init("token", .string(token)), .init("name", .string(named)), .init("role", .string(role.rawValue)),
            .init("expires_at", end.map { .string("\($0)") } ?? .null),
        ])
        world.output.line { document.write(into: &$0) }
    }

    private static func end(_ arguments: Arguments, now: Instant) throws(Failure) -> Instant? {
        switch (arguments[expires], arguments[days]) {
        case (nil, nil): return nil
        case (let word?, nil):
            guard let end = try? Instant(rfc3339: word) else {
                throw .usage("--expires takes an instant such as 2027-01-01T00:00:00Z, not \"\(word)\"", spec)
            }
            guard end > now else { throw .usage("--expires \(word) has passed", spec) }
            return end
        case (nil, let word?):
            guard let days = Int64(word), (1...3650).contains(days) else {
                throw .usage("--days takes a number from 1 to 3650, not \"\(word)\"", spec)
            }
            return now.advanced(byDays: days)
        case (_?, _?): throw .usage("token make takes one of --expires and --days", spec)
        }
    }

    private static func list(_ path: String, _ world: World, isJSON: Bool) throws(Failure) {
        let now = world.clock()
        let entries = try TokensFile.read(path).tokens.entries
        if entries.isEmpty, !isJSON { world.output.line("no tokens") }
        let width = (entries.map(\.name.count).max() ?? 0) + 2
        for entry in entries {
            guard !isJSON else {
                let document = JSONValue.object([
                    .init("name", .string(entry.name)), .init("role", .string(entry.role.rawValue)),
                    .init("expires_at", entry.endsAt.map { .string("\($0)") } ?? .null),
                    .init("ended", .bool(!entry.isAlive(at: now))),
                ])
                world.output.line { document.write(into: &$0) }
                continue
            }
            let gap = String(repeating: " ", count: width - entry.name.count)
            let role = entry.role.rawValue + String(repeating: " ", count: 9 - entry.role.rawValue.count)
            let end = entry.endsAt.map { (entry.isAlive(at: now) ? "until " : "ended ") + "\($0)" } ?? "does not end"
            world.output.line(entry.name + gap + role + end)
        }
    }

    private static func revoke(
        _ named: String?, _ path: String, _ world: World, isJSON: Bool
    ) throws(Failure) {
        guard let named else { throw .usage("token revoke needs NAME", spec) }
        var wasThere = false
        try TokensFile.change(path, mayMake: false, world) { tokens in wasThere = tokens.revoke(named) }
        guard wasThere else { throw Failure(.no, "there is no token called \"\(named)\" in \(path)") }
        guard isJSON else { return world.output.line("\(named) is revoked") }
        world.output.line { JSONValue.object([.init("revoked", .string(named))]).write(into: &$0) }
    }
}
