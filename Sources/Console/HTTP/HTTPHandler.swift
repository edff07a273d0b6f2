/// Who answers the requests of an `HTTPServer`.
public struct HTTPHandler: Sendable {
    public typealias Reply = @Sendable (HTTPResponse) -> Void

    /// What can be said from the head alone, before a body is read: refusals, and what must be answered even when
    /// everything is busy. Asked on the server's own thread, so it must not wait for anything.
    public var atOnce: @Sendable (HTTPRequest) -> HTTPResponse?

    /// Answers the whole request. Asked on a queue of the server's; the reply may be given later and from any thread.
    /// Only the first is heard, and none after the time for it has passed.
    public var answer: @Sendable (HTTPRequest, @escaping Reply) -> Void

    public init(
        atOnce: @escaping @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil },
        answer: @escaping @Sendable (HTTPRequest, @escaping Reply) -> Void
    ) {
        self.atOnce = atOnce
        self.answer = answer
    }
}
