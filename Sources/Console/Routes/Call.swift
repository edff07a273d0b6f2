internal import Notices

/// A request that has found its route: who asks, what stands in its path and its query, which are all as the route wants them.
struct Call: Sendable {
    let request: HTTPRequest
    let query: Query
    let asker: Asker
    fileprivate let places: [PathVariable: String]
    private let headers: [RequestHeader]

    init(
        _ request: HTTPRequest, _ query: Query, _ places: [PathVariable: String], _ headers: [RequestHeader],
        _ asker: Asker
    ) {
        (self.request, self.query, self.places, self.asker) = (request, query, places, asker)
        self.headers = headers
    }

    /// What a header says, which the route must have declared.
    subscript(_ header: RequestHeader) -> String? {
        precondition(headers.contains(header), "the route does not declare \(header.rawValue)")
        return request.headers[header.rawValue]
    }

    var access: Access { request.access }

    /// What stands in a place of the path, which the route's path must have.
    subscript(_ variable: PathVariable) -> String {
        guard let text = places[variable] else { preconditionFailure("the path has no {\(variable.rawValue)}") }
        return text
    }

    subscript<Value>(_ parameter: QueryParameter<Value>) -> Value? { query[parameter] }

    /// The trace that the request belongs to; of several the first, and none where it is not one (`N11`).
    var trace: TraceParent? { self[.trace].flatMap { TraceParent(header: $0) } }

    /// Whom it is about.
    var user: String { self[.user] }

    /// Whom it is about, where its path names somebody.
    var userIfAny: String? { places[.user] }

    var wantsText: Bool { MediaType.prefersText(request.headers) }

    /// Whether the person themselves asks, here or at another worker.
    var isTheirOwn: Bool {
        if case .person = request.party { true } else { false }
    }

    /// The operator who asks; `nil` for a person.
    var `operator`: Operator? { if case .operator(let known) = access { known } else { nil } }
}
