import CivilTime
import Console
import Journal
import Notices
import Worker

/// Whom the partitions know: the leaves of a page, as far as the page can need them.
struct PeopleParts: PartedQuestion {
    static let word = "people"
    let query: PeopleQuery

    init(_ query: PeopleQuery) { self.query = query }

    // MARK: The question

    var members: [JSONValue.Member] {
        [
            .init("prefix", .string(query.prefix)),
            .init("with", query.state.map { .string($0.rawValue) } ?? .null),
            .init("limit", .number("\(query.limit)")), .init("after", query.after.map { .string($0) } ?? .null),
        ]
    }

    init?(_ question: JSONValue) {
        guard let prefix = question["prefix"]?.string, let limit = question["limit"]?.integer,
            PeopleQuery.limitAllowed.contains(limit)
        else { return nil }
        query = PeopleQuery(
            prefix: prefix, state: question["with"]?.string.flatMap { PeopleQuery.State(rawValue: $0) }, limit: limit,
            after: question["after"]?.string)
    }

    // MARK: A part

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> [PeoplePage.Leaf] {
        try PeoplePage.leaves(query, service.town.directory, logs.map(\.name)) {
            (name, query) throws(WorkerService.Refusal) in
            guard let log = service.town.log(name.number ?? 0) else { throw .unable(.noOwner(name.number ?? 0)) }
            return try service.search(log, query, asker)
        }
    }

    static func document(of leaves: [PeoplePage.Leaf]) -> JSONValue {
        .object([.init("leaves", .array(leaves.map(\.document)))])
    }

    func part(_ document: JSONValue) -> [PeoplePage.Leaf]? {
        guard let leaves = document["leaves"]?.elements?.map(PeoplePage.Leaf.init),
            !leaves.contains(where: { $0 == nil })
        else { return nil }
        return leaves.compactMap(\.self)
    }
}

extension PeoplePage.Leaf {
    fileprivate var document: JSONValue {
        .object([
            .init("partition", .number("\(partition)")), .init("more", .bool(isThereMore)),
            .init("people", .array(found.map(\.document))),
        ])
    }

    fileprivate init?(_ document: JSONValue) {
        guard let partition = document["partition"]?.integer, let isThereMore = document["more"]?.bool,
            let people = document["people"]?.elements?.map(PersonSummary.init), !people.contains(where: { $0 == nil })
        else { return nil }
        self.init(partition: partition, found: people.compactMap(\.self), isThereMore: isThereMore)
    }
}

extension PersonSummary {
    fileprivate var document: JSONValue {
        .object([
            .init("user", .string(user)), .init("name", name.map { .string($0) } ?? .null),
            .init("last_active", .number("\(lastActive.milliseconds)")),
            .init("next_wake", nextWake.map { .number("\($0.milliseconds)") } ?? .null),
            .init("held", .number("\(held)")), .init("gathered", .number("\(gathered)")),
            .init("snoozed", .number("\(snoozed)")), .init("timezone", .string(timezone)),
        ])
    }

    fileprivate init?(_ document: JSONValue) {
        guard let user = document["user"]?.string, let active = document["last_active"]?.integer,
            let held = document["held"]?.integer, let gathered = document["gathered"]?.integer,
            let snoozed = document["snoozed"]?.integer, let timezone = document["timezone"]?.string
        else { return nil }
        self.init(
            user: user, name: document["name"]?.string, lastActive: Instant(milliseconds: Int64(active)),
            nextWake: document["next_wake"]?.integer.map { Instant(milliseconds: Int64($0)) }, held: held,
            gathered: gathered, snoozed: snoozed, timezone: timezone)
    }
}
