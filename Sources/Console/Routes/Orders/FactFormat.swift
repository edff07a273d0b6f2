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

    static let batchType = "application/cloudevents-batch+json"

    /// What the content type of each is called, where it has one of its own.
    static let types: [(type: String, format: FactFormat)] = [
        ("application/json", .document), ("application/x-ndjson", .lines),
        ("application/cloudevents+json", .cloudEvent),
        (batchType, .cloudEvents),
    ]

    static let accepted =
        types.dropLast().map(\.type).joined(separator: ", ") + " or " + (types.last?.type ?? "") + ", in UTF-8"

    /// A body of no declared type is looked at as if it were JSON.
    init(_ headers: HTTPHeaders) throws(RouteProblem) {
        let given = headers["Content-Type"] ?? "application/json"
        let type = MediaType(given)
        let isUnicode = type["charset"].map { $0.isSameIgnoringCase("utf-8") } ?? true
        guard isUnicode else { throw .unsupportedType(given: given.shownInMessage, accepted: Self.accepted) }
        let known = Self.types.first { $0.type == type.name }?.format
        switch known {
        case .cloudEvent?: self = .cloudEvent
        case .cloudEvents?: self = .cloudEvents
        // Its data may be of any type; whether that is JSON is asked of the event.
        case _ where headers[RequestHeader.ceSpecversion.rawValue] != nil: self = .binaryCloudEvent
        case let known?: self = known
        case nil where Self.lineTypes.contains(type.name): self = .lines
        case nil: throw .unsupportedType(given: given.shownInMessage, accepted: Self.accepted)
        }
    }
}
