import Notices
import Worker

/// People that were found, for people and for machines.
struct PeopleTable {
    private let search: PeoplePage

    init(_ page: PeoplePage) { search = page }

    var answer: PersonAnswer { PersonAnswer(lines: lines, documents: search.found.map(document)) }

    private var lines: [String] {
        guard !search.found.isEmpty else {
            return [search.query == PeopleQuery() ? "nobody is known yet" : "nobody of whom that is true"]
        }
        let names = search.found.map { $0.user + ($0.name.map { " (\($0))" } ?? "") }
        let width = names.map(\.count).max() ?? 0
        var lines = zip(search.found, names).map { person, name in
            let wake = person.nextWake.map { "next wake \($0)" } ?? "nothing is planned        "
            let row = ["\(left(name, width))", "last active \(person.lastActive)", wake, waits(person)]
            return row.filter { !$0.isEmpty }.joined(separator: "  ")
        }
        if search.isThereMore, let last = search.found.last {
            lines.append("there may be more: --after \(last.user) goes on")
        }
        return lines
    }

    private func waits(_ person: PersonSummary) -> String {
        [(person.held, "held"), (person.gathered, "gathered"), (person.snoozed, "snoozed")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func document(_ person: PersonSummary) -> JSONValue {
        .object([
            .init("user", .string(person.user)), .init("name", person.name.map { .string($0) } ?? .null),
            .init("timezone", .string(person.timezone)), .init("last_active", .string("\(person.lastActive)")),
            .init("next_wake", person.nextWake.map { .string("\($0)") } ?? .null),
            .init("held", .number("\(person.held)")), .init("gathered", .number("\(person.gathered)")),
            .init("snoozed", .number("\(person.snoozed)")),
        ])
    }
}
