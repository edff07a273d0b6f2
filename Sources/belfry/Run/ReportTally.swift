import CivilTime

/// Says of providers' reports what came to nothing: of each sort the first at once, those of the following minute in one
/// line at its end. Anybody on the internet may send some, and a provider that serves others too sends many; neither is to
/// fill the log, and none is to be lost in silence.
struct ReportTally {
    /// What became of a report, for the log and for `/metrics`.
    enum Sort: String, CaseIterable, Sendable {
        case recorded
        case duplicate
        /// Its token is missing, was altered, or is another installation's.
        case namesNoJob = "no_job"
        /// It names a job that the log does not have, or has not for these people any more.
        case unknownJob = "unknown_job"
        case changesNothing = "unchanged"
        case notBelieved = "not_believed"
        /// Signed, and not as it must be.
        case wrong
        case comesAgain = "comes_again"

        /// `nil` for what needs no word.
        fileprivate var words: String? {
            switch self {
            case .recorded, .duplicate: nil
            case .namesNoJob:
                "a report names no job of ours: it came without our token, the token was altered, or another installation made it"
            case .unknownJob: "a report is about a job that is not in the log"
            case .changesNothing: "a report changes nothing"
            case .notBelieved: "a report is not believed"
            case .wrong: "a report is signed, and wrong"
            case .comesAgain: "a report has to come again"
            }
        }

        /// That the log knows better is no fault of anybody's.
        fileprivate var level: RunLog.Level { self == .changesNothing ? .info : .warning }
    }

    struct Line: Equatable {
        var level: RunLog.Level
        var message: String
        var fields: [String: String]
    }

    private struct Minute {
        var end: Instant
        /// Those that were not told yet.
        var untold = 0
        var last = ""
    }

    private struct Key: Hashable {
        var provider: String
        var sort: Sort
    }

    /// Providers are few, and sorts too.
    private var minutes: [Key: Minute] = [:]
    private(set) var counts: [String: [Sort: Int]] = [:]

    private static let minuteMs: Int64 = 60_000

    /// When there will be something to say.
    var nextDue: Instant? { minutes.values.filter { $0.untold > 0 }.map(\.end).min() }

    /// - Parameter detail: which field, or why; holds nothing of what the report said of anybody.
    mutating func hear(_ sort: Sort, from provider: String, _ detail: String = "", at now: Instant) -> [Line] {
        counts[provider, default: [:]][sort, default: 0] += 1
        guard let words = sort.words else { return [] }
        let key = Key(provider: provider, sort: sort)
        let ended = tell(at: now)
        guard minutes[key] != nil else {
            minutes[key] = Minute(end: now.advanced(byMilliseconds: Self.minuteMs))
            return ended + [Line(level: sort.level, message: words, fields: Self.fields(provider, detail))]
        }
        minutes[key]?.untold += 1
        minutes[key]?.last = detail
        return ended
    }

    /// What there is to say of minutes that are over. One that is longer than a minute is of a clock that has gone back since.
    mutating func tell(at now: Instant) -> [Line] {
        tellRest { minute in
            let left = minute.end.milliseconds(since: now)
            return left <= 0 || left > Self.minuteMs
        } then: { minute in
            // Where it goes on, the next minute is counted too.
            minute.untold > 0 ? Minute(end: now.advanced(byMilliseconds: Self.minuteMs)) : nil
        }
    }

    /// What is still to be said, whatever the time.
    mutating func tellRest() -> [Line] {
        tellRest { _ in
            true
        } then: { _ in
            nil
        }
    }

    private mutating func tellRest(where isOver: (Minute) -> Bool, then next: (Minute) -> Minute?) -> [Line] {
        let keys = minutes.filter { isOver($0.value) }.keys
            .sorted { ($0.provider, $0.sort.rawValue) < ($1.provider, $1.sort.rawValue) }
        return keys.compactMap { key in
            guard let minute = minutes[key], let words = key.sort.words else { return nil }
            minutes[key] = next(minute)
            guard minute.untold > 0 else { return nil }
            var fields = Self.fields(key.provider, minute.last)
            fields["reports"] = "\(minute.untold)"
            return Line(level: key.sort.level, message: "more of it: \(words)", fields: fields)
        }
    }

    private static func fields(_ provider: String, _ detail: String) -> [String: String] {
        ["provider": provider].merging(detail.isEmpty ? [:] : ["what": detail]) { $1 }
    }
}
