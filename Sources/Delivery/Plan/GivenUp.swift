/// A job that one sink has given up.
public struct GivenUp: Sendable, Equatable {
    /// Which sink, in the order they were given.
    public let sink: Int
    /// The event's number.
    public var seq: UInt64 = 0
    /// Its id, without the person.
    public let job: String
    public let reason: String
    /// How often it was tried; 0 for one whose time had passed before.
    public let tries: Int
    /// The trace it belongs to, as a log line says it.
    public var trace: String?
}
