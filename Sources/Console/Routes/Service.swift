/// What the API asks of the worker, a family of routes at a time. The composition fills it in; nothing here knows how
/// it is done. A family that is `nil` is not there yet, since the log is still being read: its routes say so.
///
/// Replies may come later and from any thread, each exactly once. A closure must return without waiting.
public struct Service: Sendable {
    /// Asked on the server's own thread and answered even when everything is busy: it must not wait for the worker.
    public var health: @Sendable () -> Health
    public var access: AccessService?
    public var orders: OrderService?
    public var questions: QuestionService?
    public var persons: PersonService?
    public var streams: StreamService?
    public var sight: SightService?
    public var policies: PolicyService?
    public var numbers: NumberService?
    public var cluster: ClusterService?

    /// Passes a request on to whoever owns what it is about, or says that it is to be answered here. `nil` where one worker owns
    /// all.
    public var passOn:
        (@Sendable (HTTPRequest, Home, @escaping HTTPHandler.Reply, _ here: @escaping @Sendable () -> Void) -> Void)?

    public init(health: @escaping @Sendable () -> Health) { self.health = health }
}
