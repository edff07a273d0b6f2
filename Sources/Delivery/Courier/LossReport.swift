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
    private var minuteEnd: Instant?
    /// Those of this minute that were not told yet.
    private var untold = 0
    private var last: GivenUp?

    private static let minuteMs: Int64 = 60_000

    init(sink: String) { self.sink = sink }

    /// When there will be something to say.
    var nextDue: Instant? { untold > 0 ? minuteEnd : nil }

    mutating func hear(_ loss: GivenUp, at now: Instant) -> [Line] {
        let ended = tell(at: now)
        let fields =
            [
                ("sink", sink), ("seq", "\(loss.seq)"), ("job", loss.job), ("reason", loss.reason),
                ("tries", "\(loss.tries)"),
            ]
            + (loss.trace.map { [("traceparent", $0)] } ?? [])
        let each = Line(level: .debug, message: "given up", fields: fields)
        if minuteEnd == nil {
            minuteEnd = now.advanced(byMilliseconds: Self.minuteMs)
            return [each, Line(level: .warning, message: "a job is given up", fields: fields)]
        }
        untold += 1
        last = loss
        return [ended, each].compactMap { $0 }
    }

    /// What there is to say when the minute is over. One that is longer than a minute is of a clock that has gone back since.
    mutating func tell(at now: Instant) -> Line? {
        guard let left = minuteEnd?.milliseconds(since: now), left <= 0 || left > Self.minuteMs else { return nil }
        let line = tellRest()
        // Where it goes on, the next minute is counted too.
        minuteEnd = line == nil ? nil : now.advanced(byMilliseconds: Self.minuteMs)
        return line
    }

    /// What is still to be said, whatever the time.
    mutating func tellRest() -> Line? {
        guard untold > 0, let last else { return nil }
        defer { untold = 0 }
        return Line(
            level: .warning, message: "more jobs are given up",
            fields: [
                ("sink", sink), ("jobs", "\(untold)"), ("last_seq", "\(last.seq)"), ("last_job", last.job),
                ("last_reason", last.reason),
            ])
    }
}
