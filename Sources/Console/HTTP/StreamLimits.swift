/// The limits of streams, which do not count among the connections and requests of `HTTPLimits`.
public struct StreamLimits: Sendable {
    /// Streams open at once, of all doors. Beyond it 503.
    public var streamsMax = 16_384
    /// A stream whose client takes no byte of what waits for it is closed after so long.
    public var stallTime = Duration.seconds(10)
    /// A piece must have been taken so long after it began to be sent, however steadily a client drips.
    public var pieceTime = Duration.seconds(60)
    /// Where nothing was sent for so long, a sign of life is.
    public var heartbeatTime = Duration.seconds(15)
    /// Once a stream has ended, so long is left for reading the end.
    public var lingerTime = Duration.seconds(2)
    /// What the system keeps of a stream that was sent and not yet read.
    public var sendBufferBytes = 64 << 10
    /// What a client may send behind its request; nobody reads it.
    public var strayBytesMax = 64 << 10
    /// How often deadlines are looked at while anyone reads.
    public var lookInterval = Duration.milliseconds(500)

    public init() {}
}
