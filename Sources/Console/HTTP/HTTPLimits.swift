/// How much a server takes on, so that no client, however slow or greedy, can hold up another (`G11`).
public struct HTTPLimits: Sendable {
    /// A body, before and after its content coding is undone. A larger one is 413.
    public var bodyBytesMax = 16 << 20
    /// Of a body that is refused, so much is read and thrown away for the client to get to read the answer. Where more
    /// is announced or comes, the connection is closed.
    public var drainBytesMax = 64 << 20
    /// Bodies and answers held in memory at once, of all clients. Beyond it a body is 503, and so is an answer that is
    /// larger than a head may be.
    public var bytesMax = 64 << 20
    /// Of these, so much of the bodies of one address; counted as its connections are.
    public var bytesPerAddress = 64 << 20
    /// Requests being answered at once. Beyond it 503.
    public var requestsMax = 192
    /// Beyond it, whoever has the least standing gives up the place (`ConnectionLedger`). Where nobody can be asked to,
    /// further clients wait to be accepted.
    public var connectionsMax = 256
    /// Of these, so many of one address: an IPv4 address, or a network of 64 bits in IPv6. Whoever comes from this machine
    /// is not counted, so that a proxy here may use them all.
    public var connectionsPerAddress = 64
    /// The head of a request. A longer one is 431.
    public var headBytesMax = 32 << 10
    /// A head must be whole so long after its first byte, the first head of a connection after its beginning, however
    /// steadily a client drips bytes.
    public var headTime = Duration.seconds(5)
    /// Between requests, and without a byte either way within one, a connection is closed after so long.
    public var idleTime = Duration.seconds(15)
    /// A body must have come in so long after its head, and the answer must have been taken in the same time.
    public var transferTime = Duration.seconds(60)
    /// Without a reply for so long the client is told 503.
    public var answerTime = Duration.seconds(30)
    /// Who has ended their side of a TCP connection has gone, or still reads. So long they may read a question's answer.
    public var partingTime = Duration.seconds(1)
    /// After an answer that ends the connection so long is left for reading it.
    public var lingerTime = Duration.seconds(2)
    /// How often deadlines are looked at while anyone is connected.
    public var lookInterval = Duration.milliseconds(250)

    public init() {}
}
