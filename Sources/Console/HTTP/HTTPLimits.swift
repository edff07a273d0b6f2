/// How much a server takes on, so that no client, however slow or greedy, can hold up another.
public struct HTTPLimits: Sendable {
    /// A body, after its content coding is undone. A larger one is 413.
    public var bodyBytesMax = 16 << 20
    /// Of a body that is refused, so much is read and thrown away for the client to get to read the answer. Where more
    /// is announced or comes, the connection is closed.
    public var drainBytesMax = 64 << 20
    /// Bodies and answers held in memory at once, of all clients. Beyond it a body is 503, and so is an answer that is
    /// larger than a connection's buffer.
    public var bytesMax = 64 << 20
    /// Requests being answered at once. Beyond it 503.
    public var requestsMax = 192
    /// Further clients wait to be accepted.
    public var connectionsMax = 256
    /// For the head of a request and as a buffer for the rest. A longer head is 431.
    public var connectionBytesMax = 32 << 10
    /// After so long without a byte either way a connection is closed.
    public var idleSeconds = 15
    /// A request's head must have come in this long after the answer before it, and its body this long after its head;
    /// however steadily a client drips bytes. The answer must have been taken in the same time.
    public var transferTime = Duration.seconds(60)
    /// Without a reply for so long the client is told 503.
    public var answerTime = Duration.seconds(30)
    /// How often deadlines are looked at while anyone is connected.
    public var lookInterval = Duration.milliseconds(250)

    public init() {}
}
