import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry explain`: why, and why not (SPEC §13): the pipeline kept in full.
enum ExplainCommand: Command {
    private static let kind = CommandSpec.Option(
        name: "--kind", value: "K", help: "what would become of a notice of this kind at that moment")
    private static let notice = CommandSpec.Option(
        name: "--notice", value: "N", help: "everything that was decided about this notice or job")

    static let spec = CommandSpec(
        name: "explain",
        summary: "Says why a notice was sent, waits or was dropped, and why nothing came.",
        positional: nil,
        options: [PersonCommands.user, kind, PersonCommands.at, notice, CommandSpec.data, CommandSpec.json],
        notes: """
            With --notice: each decision about it, with every rule in order, what the rule saw and what it said.
            With --kind: the same for such a notice raised at that moment, what came of the last one, and when
            the next can come. With neither: one line for every kind. --at defaults to the end of the log.
            """, needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        let moment = try Question.Moment(arguments, PersonCommands.at, spec)
        let (kind, notice) = (arguments[kind], arguments[notice])
        guard kind == nil || notice == nil else {
            throw .usage("--kind and --notice cannot be given together", spec)
        }
        // Names that no kind or notice can have a worker would refuse in other words than the log's.
        let isAskable = kind.map(Identifier.isAccepted) ?? notice.map(NoticeName.isAccepted) ?? true
        let path = PersonPath(
            "explain", about: user, [("kind", kind), ("notice", notice), ("at", arguments[PersonCommands.at])])
        try PersonCommands.answer(isAskable ? path : nil, about: user, arguments, world) {
            (answers) throws(Unanswered) in
            try answers.explain(kind: kind, notice: notice, at: moment)
        }
    }
}

extension Explanation {
    /// The rules, each with what it saw and said; what comes behind the objection that stands is told as well.
    func lines(in zone: ZoneRules) -> [String] {
        var lines: [String] = []
        if let exemption { lines.append("    \(exemption)") }
        var hasStopped = false
        for line in self.lines {
            let said: String
            if !line.isAsked {
                said = "not asked"
            } else if let objection = line.objection {
                said = (hasStopped ? "would also " : "objects: ") + objection.told(in: zone)
                hasStopped = true
            } else {
                said = "no objection"
            }
            let label = "P\(line.rule) \(line.name)"
            lines.append(
                "    \(label)\(String(repeating: " ", count: max(1, 21 - label.count)))\(said)  [\(line.saw)]")
        }
        return lines
    }

    var document: JSONValue {
        .object([
            .init("at", .string("\(at)")), .init("kind", .string(kind)),
            .init("exempt", exemption.map { .string($0) } ?? .null),
            .init(
                "rules",
                .array(
                    self.lines.map { line in
                        .object([
                            .init("rule", .string("P\(line.rule)")), .init("name", .string(line.name)),
                            .init("asked", .bool(line.isAsked)), .init("saw", .string(line.saw)),
                            .init("says", line.objection?.document ?? .null),
                        ])
                    })),
            .init("outcome", outcome?.document ?? .object([.init("send", .array(channels.map { .string($0.name) }))])),
        ])
    }
}

extension Objection {
    func told(in zone: ZoneRules) -> String {
        switch self {
        case .hold(let until, let reason): "hold until \(until.told(in: zone)) (\(reason.name))"
        case .gather(let reason, .daily): "gather (\(reason.name))"
        case .gather(let reason, .weekly): "gather for the week (\(reason.name))"
        case .drop(let reason): "drop (\(reason.name))"
        }
    }

    var document: JSONValue {
        switch self {
        case .hold(let until, let reason):
            .object([.init("hold", .string("\(until)")), .init("reason", .string(reason.name))])
        case .gather(let reason, let scope):
            // What is too much at once waits for a summary, and for no digest.
            .object(
                [.init("gather", .bool(true))]
                    + (reason == .overload ? [] : [.init("digest", .string(scope.name))])
                    + [.init("reason", .string(reason.name))])
        case .drop(let reason): .object([.init("drop", .bool(true)), .init("reason", .string(reason.name))])
        }
    }
}
