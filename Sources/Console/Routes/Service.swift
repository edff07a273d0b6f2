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

    /// Passes a request about somebody on to whoever owns their partition, and says so; `false` where that is this worker. `nil`
    /// where one worker owns all.
    public var passOn: (@Sendable (HTTPRequest, _ user: String, @escaping HTTPHandler.Reply) -> Bool)?

    public init(health: @escaping @Sendable () -> Health) { self.health = health }
}
