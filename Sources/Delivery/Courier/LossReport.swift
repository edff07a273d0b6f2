internal import CivilTime

/// Says of a sink which jobs it was given up with: the first at once, those of the following minute in one line at its end,
/// and each by itself for whoever debugs. So nothing is lost in silence, and a night's outage does not fill a log.
struct LossReport {
    struct Line: Equatable {
        var level: Courier.LogLevel
        var message: String
        var fields: [(String, String)]

        static func == (left: Self, right: Self) -> Bool {
            left.level == right.level && left.message == right.message
                && left.fields.elementsEqual(right.fields) { $0 == $1 }
        }
    }

    private let sink: String
    private var minute = MinuteCount()
    private var last: GivenUp?

    init(sink: String) { self.sink = sink }

    /// When there will be something to say.
    var nextDue: Instant? { minute.nextDue }

    mutating func hear(_ loss: GivenUp, at now: Instant) -> [Line] {
        let ended = tell(at: now)
        let fields =
            [
                ("sink", sink), ("seq", "\(loss.seq)"), ("job", loss.job), ("reason", loss.reason),
                ("tries", "\(loss.tries)"),
            ]
            + (loss.trace.map { [("traceparent", $0)] } ?? [])
        let each = Line(level: .debug, message: "given up", fields: fields)
        if minute.isFirst(at: now) {
            return [each, Line(level: .warning, message: "a job is given up", fields: fields)]
        }
        last = loss
        return [ended, each].compactMap { $0 }
    }

    /// What there is to say when the minute is over.
    mutating func tell(at now: Instant) -> Line? { minute.over(at: now).flatMap(more) }

    /// What is still to be said, whatever the time.
    mutating func tellRest() -> Line? { minute.rest().flatMap(more) }

    private func more(_ count: Int) -> Line? {
        guard let last else { return nil }
        return Line(
            level: .warning, message: "more jobs are given up",
            fields: [
                ("sink", sink), ("jobs", "\(count)"), ("last_seq", "\(last.seq)"), ("last_job", last.job),
                ("last_reason", last.reason),
            ])
    }
}
