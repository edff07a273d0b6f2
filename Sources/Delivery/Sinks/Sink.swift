public import CivilTime

/// What a job is handed to: standard output, a spool directory, a webhook.
public protocol Sink: Sendable {
    /// How reasons and the log call it. Never holds a secret.
    var name: String { get }
    /// How many jobs may be with it at once.
    var window: Int { get }
    /// Takes a job and answers exactly once, on any thread, within a bounded time unless whoever reads it stands still.
    func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void)
    /// Forgets what it holds of people who were erased (`E1`). Returns what it removed, in a phrase; `nil` for nothing.
    ///
    /// - Parameter instant: when that was. What was decided later is about whoever has their id since then (`E4`).
    func erase(_ users: Set<String>, through instant: Instant) -> String?
    /// Gives up what is with it and lets go of what it holds; `done` is called when it is over. Nothing is handed to it
    /// after that.
    func close(_ done: @escaping @Sendable () -> Void)
}

extension Sink {
    /// Most keep nothing.
    public func erase(_ users: Set<String>, through instant: Instant) -> String? { nil }
}

/// What a sink says of a job it was handed. Reasons are phrases that follow its name: "answered 503".
public enum SinkOutcome: Sendable, Equatable {
    case taken(providerID: String?)
    /// Not now: try again. Where it said after how many seconds, that wait is no failure and uses up no try.
    case retry(after: Int?, reason: String)
    /// Not this job, however often it is tried.
    case refused(reason: String)
}
