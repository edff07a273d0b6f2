/// How facts stand in a body.
enum FactFormat: Equatable {
    /// One JSON object a line.
    case lines
    /// One JSON object, over as many lines as it likes; or lines after all, where it is none and a line by itself is one.
    case document

    private static let lineTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
        "application/json-lines", "application/jsonlines",
    ]

    /// A body of no declared type is looked at as if it were JSON.
    init(_ headers: HTTPHeaders) throws(RouteProblem) {
        let given = headers["Content-Type"] ?? "application/json"
        let type = MediaType(given)
        let isUnicode = type["charset"].map { $0.isSameIgnoringCase("utf-8") } ?? true
        if isUnicode, Self.lineTypes.contains(type.name) {
            self = .lines
        } else if isUnicode, type.name == "application/json" {
            self = .document
        } else {
            throw .unsupportedType(
                given: given.shownInMessage, accepted: "application/json or application/x-ndjson, in UTF-8")
        }
    }
}
