public import CivilTime

/// One entry of the log: a fact or a decision, with its place in it.
public struct Event: Sendable, Equatable {
    public var payload: Payload
    /// Its number in the log, from 1.
    public var seq: UInt64
    public var at: Instant
    public var user: String?
    /// The sender's idempotency key (SPEC §2).
    public var id: String?
    /// When the sender says it happened, where that was given and the log's own clock decided otherwise.
    public var occurredAt: Instant?
    /// The trace it belongs to (`N11`): a fact's own, and for a job that of the fact it was decided because of.
    public var trace: TraceParent?

    /// The line that `log` prints (SPEC §12), without a line end.
    public func writeJSON(into buffer: inout ByteBuffer) {
        buffer.append("{\"seq\":")
        buffer.appendDecimal(seq)
        buffer.append(",\"at\":")
        at.writeJSON(into: &buffer)
        buffer.append(",\"type\":\"")
        buffer.append(payload.type.name)
        buffer.append(UInt8(ascii: "\""))
        if let user {
            buffer.append(",\"user\":")
            buffer.appendJSONString(user)
        }
        if let id {
            buffer.append(",\"id\":")
            buffer.appendJSONString(id)
        }
        if let occurredAt {
            buffer.append(",\"occurred_at\":")
            occurredAt.writeJSON(into: &buffer)
        }
        if let trace {
            buffer.append(",\"traceparent\":")
            buffer.appendJSONString(trace.text)
        }
        buffer.append(",\"data\":")
        payload.writeJSON(into: &buffer)
        buffer.append(UInt8(ascii: "}"))
    }
}

extension Event {
    /// Made whole, by the initialiser that the compiler writes: an event that is filled in field by field is copied at the end.
    public init(
        seq: UInt64, at: Instant, user: String?, id: String? = nil, occurredAt: Instant? = nil,
        trace: TraceParent? = nil, payload: Payload
    ) {
        self.init(payload: payload, seq: seq, at: at, user: user, id: id, occurredAt: occurredAt, trace: trace)
    }
}
