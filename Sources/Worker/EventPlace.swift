/// Where in the log an event stands.
package struct EventPlace: Sendable, Hashable {
    /// Of its commit.
    package var position: UInt64
    package var seq: UInt64

    package init(position: UInt64, seq: UInt64) {
        self.position = position
        self.seq = seq
    }
}
