import CivilTime
import Console
import Notices

/// What became of the notices that a run did not send, counted by reason: one line, whether it was one person or a million.
struct UnsentTally {
    private enum Fate: String, CaseIterable {
        case held, gathered, dropped, skipped

        /// The decision that it is, as the log calls it.
        var type: String {
            switch self {
            case .held: NoticeHeld.type.text
            case .gathered: NoticeGathered.type.text
            case .dropped: NoticeDropped.type.text
            case .skipped: SlotsSkipped.type.text
            }
        }

        init?(type: String?) {
            guard let known = Self.allCases.first(where: { $0.type == type }) else { return nil }
            self = known
        }
    }

    private struct Count {
        var reason: Reason
        var count: Int
        /// Of those that are held: when the first and the last of them are looked at again.
        var until: ClosedRange<Instant>?
    }

    private var counts: [Fate: [Count]] = [:]

    mutating func take(_ decision: Payload) {
        switch decision {
        case .noticeHeld(let held): add(.held, held.reason, until: held.until...held.until)
        case .noticeGathered(let gathered): add(.gathered, gathered.reason)
        case .noticeDropped(let dropped): add(.dropped, dropped.reason)
        case .slotsSkipped(let skipped): add(.skipped, skipped.reason, Int(skipped.count))
        default: break
        }
    }

    /// A decision as the log prints it.
    mutating func take(printed decision: JSONValue) {
        let data = decision["data"]
        guard let fate = Fate(type: decision["type"]?.string),
            let reason = data?["reason"]?.string.flatMap({ Reason(name: $0) })
        else { return }
        let until = data?["until"]?.string.flatMap { try? Instant(rfc3339: $0) }
        add(fate, reason, data?["count"]?.integer ?? 1, until: until.map { $0...$0 })
    }

    /// What another has counted.
    mutating func take(_ counted: [RunReport.Withheld]) {
        for one in counted {
            if let fate = Fate(type: one.type) { add(fate, one.reason, one.count, until: one.until) }
        }
    }

    /// As an answer tells it.
    var withheld: [RunReport.Withheld] {
        Fate.allCases.flatMap { fate in
            (counts[fate] ?? []).map {
                RunReport.Withheld(type: fate.type, reason: $0.reason, count: $0.count, until: $0.until)
            }
        }
    }

    /// What those come to that an answer lists: a worker of an older version does not count them itself.
    static func withheld(printed decisions: [JSONValue]) -> [RunReport.Withheld] {
        var tally = Self()
        for decision in decisions { tally.take(printed: decision) }
        return tally.withheld
    }

    /// Whether it says that a notice was not sent.
    static func counts(_ decision: Payload) -> Bool {
        switch decision {
        case .noticeHeld, .noticeGathered, .noticeDropped, .slotsSkipped: true
        default: false
        }
    }

    private mutating func add(
        _ fate: Fate, _ reason: Reason, _ count: Int = 1, until: ClosedRange<Instant>? = nil
    ) {
        guard let place = counts[fate]?.firstIndex(where: { $0.reason == reason }) else {
            return counts[fate, default: []].append(Count(reason: reason, count: count, until: until))
        }
        counts[fate]?[place].count += count
        guard let until, let known = counts[fate]?[place].until else { return }
        counts[fate]?[place].until =
            min(known.lowerBound, until.lowerBound)...max(known.upperBound, until.upperBound)
    }

    /// Such as "1 held (quiet hours, until 2026-03-02T08:00:00.000Z)"; `nil` where nothing was kept back.
    var text: String? {
        let parts = Fate.allCases.compactMap { fate -> String? in
            guard let counts = counts[fate] else { return nil }
            let total = counts.reduce(0) { $0 + $1.count }
            let reasons = counts.map { (counts.count > 1 ? "\($0.count): " : "") + Self.told($0) }
            return "\(total) \(fate.rawValue) (\(reasons.joined(separator: "; ")))"
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func told(_ count: Count) -> String {
        guard let until = count.until else { return count.reason.words }
        let first = "\(count.reason.words), until \(until.lowerBound)"
        return until.lowerBound == until.upperBound
            ? first : "\(first) at the earliest, \(until.upperBound) at the latest"
    }
}
