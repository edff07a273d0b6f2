/// How facts stand in a body.
enum FactFormat: Equatable {
    /// One JSON object a line.
    case lines
    /// One JSON object, over as many lines as it likes; or lines after all, where it is none and a line by itself is one.
    case document
    /// One CloudEvent, as a JSON object (`V7`).
    case cloudEvent
    /// A JSON array of CloudEvents.
    case cloudEvents
    /// One CloudEvent whose attributes are headers and whose data is the body.
    case binaryCloudEvent

    private static let lineTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
        "application/json-lines", "application/jsonlines",
    ]

    static let accepted =
        "application/json, application/x-ndjson, application/cloudevents+json or application/cloudevents-batch+json, in UTF-8"

    /// A body of no declared type is looked at as if it were JSON.
    init(_ headers: HTTPHeaders) throws(RouteProblem) {
        let given = headers["Content-Type"] ?? "application/json"
        let type = MediaType(given)
        let isUnicode = type["charset"].map { $0.isSameIgnoringCase("utf-8") } ?? true
        guard isUnicode else { throw .unsupportedType(given: given.shownInMessage, accepted: Self.accepted) }
        switch type.name {
        case "application/cloudevents+json": self = .cloudEvent
        case "application/cloudevents-batch+json": self = .cloudEvents
        // Its data may be of any type; whether that is JSON is asked of the event.
        case _ where headers["ce-specversion"] != nil: self = .binaryCloudEvent
        case "application/json": self = .document
        case _ where Self.lineTypes.contains(type.name): self = .lines
        default: throw .unsupportedType(given: given.shownInMessage, accepted: Self.accepted)
        }
    }
}
