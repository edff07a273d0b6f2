public import CivilTime

/// What is counted: of the log by day, kind and channel, and of the worker since it started.
public struct NumberService: Sendable {
    public var stats: @Sendable (StatsQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// The worker's metrics, as Prometheus reads them or as OpenMetrics. Must not wait for the worker.
    public var metrics: @Sendable (_ isOpenMetrics: Bool) -> [UInt8]

    public init(
        stats: @escaping @Sendable (StatsQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        metrics: @escaping @Sendable (Bool) -> [UInt8]
    ) {
        (self.stats, self.metrics) = (stats, metrics)
    }
}

/// Which figures are asked for.
public struct StatsQuestion: Sendable, Equatable {
    public enum Grouping: String, Sendable, CaseIterable { case day, kind, channel }

    /// Days of UTC, both included.
    public var from: LocalDate?
    public var to: LocalDate?
    public var grouping: Grouping
    public var kind: String?
    public var form: Form

    public enum Form: Sendable { case json, text, csv }

    public init(
        from: LocalDate? = nil, to: LocalDate? = nil, by grouping: Grouping = .day, kind: String? = nil,
        form: Form = .json
    ) {
        (self.from, self.to, self.grouping, self.kind, self.form) = (from, to, grouping, kind, form)
    }
}
