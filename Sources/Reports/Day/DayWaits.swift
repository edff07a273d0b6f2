public import CivilTime
internal import Notices

/// Something that waited already when the day began.
public struct DayWait: Sendable, Equatable {
    public var notice: String
    public var kind: String
    public var subject: String?
    public var raisedAt: Instant
    /// Until when it was held then.
    public var until: Instant?
    /// Or the digest or summary that it was gathered for.
    public var into: String?
    public var reason: String
}

/// What waited for somebody when each of their days began: looked at before the first thing that happens on a day.
struct DayWaits {
    private var waits: [Instant: [DayWait]] = [:]

    /// As many are told as anybody can take in.
    private static let most = 200

    /// - Parameters:
    ///   - person: as they were before it happened.
    ///   - start: when the day that it happens on began.
    mutating func look(at person: Person, on start: Instant, _ plan: Plan) {
        if waits[start] == nil { waits[start] = Self.all(of: person, plan) }
    }

    /// Those of the day that began then, or is to begin.
    /// - Parameter person: as they are at its end, or now.
    func all(on start: Instant, _ person: Person, _ plan: Plan, isToCome: Bool) -> [DayWait] {
        let all = waits[start] ?? Self.all(of: person, plan)
        let told = all.filter { wait in
            // Of a day to come: what is gathered is told of by then, for all that is known, and what is held until before has come.
            wait.raisedAt < start && (!isToCome || wait.until.map { $0 > start } ?? false)
        }
        return Array(told.prefix(Self.most))
    }

    private static func all(of person: Person, _ plan: Plan) -> [DayWait] {
        guard person.hasDetails else { return [] }
        return person.details.waiting.prefix(2 * most).map { waiting in
            let name = NoticeName(waiting.notice.name)
            return DayWait(
                notice: waiting.notice.name, kind: plan.kind(waiting.notice.kind).name.text, subject: name.subject,
                raisedAt: waiting.notice.raisedAt, until: waiting.heldUntil, into: waiting.gatheredInto,
                reason: waiting.reason.name)
        }
    }
}
