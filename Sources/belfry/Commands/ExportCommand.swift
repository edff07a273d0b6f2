import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry export`: everything that is known of a person, for them to have.
enum ExportCommand: Command {
    static let spec = CommandSpec(
        name: "export", summary: "Prints everything that is known of one person, to be given to them.",
        positional: nil, options: [PersonCommands.user, CommandSpec.data, CommandSpec.json],
        notes: """
            What was told about them, what was decided and sent, and what it has come to. With --json one document:
            user, at, state, and events as `belfry log` prints them.
            """, needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        try PersonCommands.answer(PathAndQuery("export", about: user, []), about: user, arguments, world) {
            (answers) throws(Unanswered) in try answers.export()
        }
    }
}

extension PersonAnswers {
    func export() throws(Unanswered) -> PersonAnswer {
        var events: [Event] = []
        let (biography, now) = try source.tell(until: .end, zones) { event, _ in
            // What holds for everybody is nobody's.
            if event.user != nil { events.append(event) }
        }
        guard let person = biography.settled(), let last = biography.last else { throw .notKnownThen(source.user) }
        let report = StateReport(
            user: source.user, person: person, plan: biography.plan, seq: last.seq, now: now, analyserHere: analyser)
        let document = JSONValue.object([
            .init("user", .string(source.user)), .init("at", .string("\(now)")), .init("state", report.document),
            .init("events", .array(events.map(\.document))),
        ])
        let title = "Everything that is known of \(source.user), as of \(now.told(in: person.zone))"
        let said = events.map { event in
            "\(event.at.told(in: person.zone))  \(event.payload.type.text)\(event.details.map { "  \($0)" } ?? "")"
        }
        return PersonAnswer(
            lines: [title, "", "What it has come to", ""] + report.lines + ["", "What happened, in order", ""] + said,
            documents: [document])
    }
}

extension Event {
    fileprivate var document: JSONValue {
        var buffer = ByteBuffer()
        writeJSON(into: &buffer)
        return JSONValue(parsing: String(decoding: buffer.bytes, as: UTF8.self)) ?? .null
    }

    /// What it says, for people to read; `nil` where it says nothing more.
    fileprivate var details: String? {
        guard let members = document["data"]?.members, !members.isEmpty else { return nil }
        return members.map { member in "\(member.key) \(member.value.string ?? member.value.text)" }
            .joined(separator: ", ")
    }
}
