internal import CivilTime
public import Notices
public import Worker

extension AgendaSurvey {
    /// For machines.
    public var document: JSONValue {
        .object([
            .init("from", .instant(query.from)), .init("step_minutes", .count(query.stepMinutes)),
            .init("buckets", .array(buckets.map(\.document))),
            .init("next", .array(next.map(\.document))),
        ])
    }
}

extension AgendaSurvey.Bucket {
    fileprivate var document: JSONValue {
        .object([
            .init("at", .instant(at)),
            .init("kinds", .object(kinds.sorted { $0.key < $1.key }.map { .init($0.key, .count($0.value)) })),
            .init("people", .count(people)),
        ])
    }
}

extension AgendaSurvey.Coming {
    fileprivate var document: JSONValue {
        .object([
            .init("at", .instant(at)), .init("user", .string(user)), .init("timezone", .string(zone)),
            .init("kind", .string(kind)), .init("subject", .text(subject)), .init("cause", .text(cause?.rawValue)),
            .init("notice", .text(notice)),
        ])
    }
}
