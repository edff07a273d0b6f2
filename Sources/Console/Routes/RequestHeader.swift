/// A header by which a request says something to the route that it asks for. A route declares those that it reads, its description
/// has them, and none can be read that was not declared.
enum RequestHeader: String, Sendable, CaseIterable {
    case idempotencyKey = "Idempotency-Key"
    case lastEventID = "Last-Event-ID"
    case trace = "traceparent"
    case ceSpecversion = "ce-specversion"
    case ceType = "ce-type"
    case ceSource = "ce-source"
    case ceID = "ce-id"
    case ceSubject = "ce-subject"
    case ceTime = "ce-time"
    case ceTrace = "ce-traceparent"

    /// The attributes of a CloudEvent in binary mode, whose data is the body.
    static let ofCloudEvents: [RequestHeader] = [
        .ceSpecversion, .ceType, .ceSource, .ceID, .ceSubject, .ceTime, .ceTrace,
    ]

    var shape: ValueShape {
        switch self {
        case .idempotencyKey: .identifier
        case .lastEventID: .cursor
        case .trace, .ceSource, .ceID, .ceTrace: .text
        case .ceSpecversion: .oneOf([CloudEvent.version])
        case .ceType: .oneOf(CloudEvent.types)
        case .ceSubject: .identifier
        // Generated clients know no header that is a date.
        case .ceTime: .text
        }
    }

    var summary: String {
        switch self {
        case .idempotencyKey:
            "what is sent again with the same key, for the same person and as the same type of fact, is recorded once"
        case .lastEventID: "up to which event all was had; the stream goes on behind it"
        case .trace: "the trace that the facts belong to (W3C Trace Context); one that is none is ignored"
        case .ceSpecversion:
            "makes the request a CloudEvent in binary mode: the other ce- headers are its attributes, in which percent signs stand for whatever is no plain ASCII and double quotes around a value say nothing, and the body is the fact's data, as JSON"
        case .ceType: "of a CloudEvent in binary mode: the fact's type"
        case .ceSource: "of a CloudEvent in binary mode: with its id what the fact is known by"
        case .ceID: "of a CloudEvent in binary mode: with its source what the fact is known by"
        case .ceSubject: "of a CloudEvent in binary mode: whom it is about"
        case .ceTime: "of a CloudEvent in binary mode: when it happened"
        case .ceTrace: "of a CloudEvent in binary mode: its own trace, in place of the request's"
        }
    }
}
