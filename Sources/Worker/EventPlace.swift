/// Where in the log an event stands.
public struct EventPlace: Sendable, Hashable {
    /// Of its commit.
    public var position: UInt64
    public var seq: UInt64

    public init(position: UInt64, seq: UInt64) {
        self.position = position
        self.seq = seq
    }
}
