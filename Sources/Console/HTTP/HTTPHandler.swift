/// Who answers the requests of an `HTTPServer`.
public struct HTTPHandler: Sendable {
    public typealias Reply = @Sendable (HTTPResponse) -> Void

    /// What can be said from the head alone, before a body is read: refusals, and what must be answered even when
    /// everything is busy. Notes in the head who asks. Asked on the server's own thread, so it must not wait for anything.
    public var atOnce: @Sendable (inout HTTPRequest) -> HTTPResponse?

    /// Answers the whole request. The reply may be given later and from any thread. Only the first is heard, and none
    /// after the time for it has passed or the asker has gone.
    ///
    /// A request with a body is handed over on the server's intake lane, where its body may be read. One without a body is
    /// handed over on the server's own thread: whatever takes long has to be done elsewhere.
    public var answer: @Sendable (HTTPRequest, Asker, @escaping Reply) -> Void

    /// Told of every answer that is sent, the server's own among them: what is too large, came too late or is no request at all
    /// (`nil`) nobody else hears of. `took` is counted from when the request was whole, and zero of one that never was. Told on the server's own thread.
    public var answered: @Sendable (_ request: HTTPRequest?, HTTPResponse, _ took: Duration) -> Void = { _, _, _ in }

    public init(
        atOnce: @escaping @Sendable (inout HTTPRequest) -> HTTPResponse? = { _ in nil },
        answer: @escaping @Sendable (HTTPRequest, Asker, @escaping Reply) -> Void
    ) {
        self.atOnce = atOnce
        self.answer = answer
    }
}
