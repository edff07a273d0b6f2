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

    private static let subject = CommandSpec.Option(
        name: "--subject", value: "S", help: "with --kind: what it would be about, such as goal:g1")
    private static let priority = CommandSpec.Option(
        name: "--priority", value: "P", help: "with --kind: in place of the kind's own",
        completion: .words(Priority.names))
    private static let all = CommandSpec.Option(
        name: "--all", value: nil, help: "list the rules that have no objection too")

    static let spec = CommandSpec(
        name: "explain",
        summary: "Says why a notice was sent, waits or was dropped, and why nothing came.",
        positional: nil,
        options: [
            PersonCommands.user, kind, subject, priority, PersonCommands.at, notice, all, CommandSpec.data,
            CommandSpec.json,
        ],
        notes: """
            With --notice: each decision about it, with the rules that objected, what they saw and what they said.
            With --kind: the same for such a notice raised at that moment, what came of the last one, and when
            the next can come. With neither: one line for every kind. --at defaults to the end of the log.
            --all lists every rule in order, and so does --json.
            \(PersonCommands.atNote)
            An instant behind the end of the log is asked about as things will stand then if nothing is told meanwhile.
            """, needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        let moment = try Question.Moment(arguments, PersonCommands.at, spec)
        let asked = try asked(arguments)
        let showsAll = arguments.has(all)
        let path = PathAndQuery(
            "explain", about: user,
            [
                ("kind", arguments[kind]), ("subject", arguments[subject]), ("priority", arguments[priority]),
                ("notice", arguments[notice]), ("all", showsAll ? "true" : nil),
                ("at", arguments[PersonCommands.at]),
            ])
        try PersonCommands.answer(asked.isAskable ? path : nil, about: user, arguments, world) {
            (answers) throws(Unanswered) in
            try answers.explain(asked, showsAll: showsAll, at: moment)
        }
    }

    private static func asked(_ arguments: Arguments) throws(Failure) -> Question.Explained {
        let (kind, notice) = (arguments[kind], arguments[notice])
        guard kind == nil || notice == nil else {
            throw .usage("--kind and --notice cannot be given together", spec)
        }
        let priority = try arguments[priority].map { (word) throws(Failure) in
            guard let priority = Priority(name: word) else {
                throw Failure.usage(
                    "--priority takes \(Priority.names.joined(separator: ", ")), not \"\(word)\"", spec)
            }
            return priority
        }
        let subject = arguments[subject]
        // A notice about it could never be asked for.
        guard subject.map(Identifier.isAccepted) ?? true else {
            throw .usage("--subject takes \(Identifier.allowed), not \"\(subject ?? "")\"", spec)
        }
        if let kind { return .kind(.init(kind: kind, subject: subject, priority: priority)) }
        guard subject == nil, priority == nil else {
            throw .usage("--subject and --priority are of a kind: name it with --kind", spec)
        }
        return notice.map { .notice($0) } ?? .everyKind
    }
}

extension Question.Explained {
    /// Names that no kind or notice can have a worker would refuse in other words than the log's.
    fileprivate var isAskable: Bool {
        switch self {
        case .everyKind: true
        case .kind(let asked): Identifier.isAccepted(asked.kind)
        case .notice(let name): NoticeName.isAccepted(name)
        }
    }
}

extension Explanation {
    /// The rules that object, each with what it saw and said; what comes behind the objection that stands is told as well.
    ///
    /// - Parameter showsAll: also those without an objection, and those that are not asked.
    func lines(in zone: ZoneRules, showsAll: Bool) -> [String] {
        var lines: [String] = []
        if let exemption { lines.append("    \(exemption)") }
        let objecting = self.lines.count { $0.isAsked && $0.objection != nil }
        if !showsAll, objecting == 0 {
            lines.append("    none of the \(self.lines.count { $0.isAsked }) rules asked objects (--all lists them)")
        }
        var hasStopped = false
        for line in self.lines where showsAll || line.isAsked && line.objection != nil {
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
