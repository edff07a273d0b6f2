public import Notices

/// Where in the log an event stands.
public struct EventPlace: Sendable, Hashable {
    /// Of its commit.
    public var position: UInt64
    public var seq: UInt64
    /// Of a job, those that it is still to go out on; none for all that it names.
    public var channels: ChannelSet
    /// The channel that a provider reported, where one of `channels` is to take its place (`N4`).
    public var insteadOf: Channel?

    public init(position: UInt64, seq: UInt64, channels: ChannelSet = [], insteadOf: Channel? = nil) {
        self.position = position
        self.seq = seq
        self.channels = channels
        self.insteadOf = insteadOf
    }
}
