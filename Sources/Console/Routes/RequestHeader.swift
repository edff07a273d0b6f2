/// A header by which a request says something to the route that it asks for. A route declares those that it reads, its description
/// has them, and none can be read that was not declared.
enum RequestHeader: String, Sendable, CaseIterable {
    case idempotencyKey = "Idempotency-Key"
    case lastEventID = "Last-Event-ID"
    case trace = "traceparent"

    var shape: ValueShape {
        switch self {
        case .idempotencyKey: .identifier
        case .lastEventID: .cursor
        case .trace: .text
        }
    }

    var summary: String {
        switch self {
        case .idempotencyKey: "what is sent again with the same key, for the same person, is recorded once"
        case .lastEventID: "up to which event all was had; the stream goes on behind it"
        case .trace: "the trace that the facts belong to (W3C Trace Context); one that is none is ignored"
        }
    }
}
