internal import CivilTime
internal import Notices

/// A journey, and what was decided because of it: at its instant, before anything else is told of the person (T9).
struct Journey {
    /// What slots are of.
    struct Theme: Hashable {
        var kind: String
        var subject: String?
    }

    struct Superseded {
        var theme: Theme
        var base: String
        var seq: UInt64
    }

    let at: Instant
    let seq: UInt64
    /// The kind of a daily digest whose slot of the day there has passed and may still come.
    let digest: String?
    var superseded: [Superseded] = []
    var raised: Set<Theme> = []
    var missed: Set<Theme> = []
}

/// Where a person has been, as far as T9 asks.
struct Whereabouts {
    /// The zone before the last move, until it was kept after all.
    var before: String?
    /// When each zone was left.
    var left: [String: Instant] = [:]
    /// The last move that led back to a zone left less than a day before.
    var lastReturn: UInt64?
}

extension Auditor {
    /// T9: a move to another zone that is known.
    mutating func move(_ person: Int, to zone: String, _ event: Event) {
        let old = people[person].zoneName ?? policy.defaultZone
        people[person].zoneName = zone
        guard let there = rules(of: zone), let here = rules(of: people[person].lastKnownZone ?? old) else { return }
        people[person].lastKnownZone = zone
        // Another name of the same zone is no journey.
        guard !there.hasSameClocks(as: here) else { return }
        people[person].whereabouts.before = here.name
        people[person].whereabouts.left[here.name] = event.at
        var isBack = false
        for (name, at) in people[person].whereabouts.left where event.at < at.advanced(byHours: 24) {
            isBack = isBack || name == there.name || rules(of: name)?.hasSameClocks(as: there) == true
        }
        if isBack { people[person].whereabouts.lastReturn = event.seq }
    }

    /// T9: said of the zone that the schedule has moved to, `keep` takes it back to the one before.
    mutating func keepZone(_ person: Int, after zone: String, _ event: Event) {
        guard let before = people[person].whereabouts.before, let there = rules(of: zone),
            let here = rules(of: people[person].lastKnownZone ?? policy.defaultZone), there.hasSameClocks(as: here)
        else { return }
        people[person].whereabouts.left[there.name] = event.at
        people[person].zoneName = before
        people[person].lastKnownZone = before
        people[person].whereabouts.before = nil
    }
}

/// T9: after a journey the digest of the day there is asked in its turn, and a slot that is missed supersedes nothing.
extension Auditor {
    /// Whether a person's clocks are others than those of the zone before.
    mutating func hasTravelled(_ person: Int, from zone: String) -> Bool {
        guard let now = people[person].zoneName, now != zone else { return people[person].zoneName == nil }
        guard let here = rules(of: zone), let there = rules(of: now) else { return true }
        return !there.hasSameClocks(as: here)
    }

    mutating func beginJourney(_ event: Event, _ person: Int) {
        journeys[person] = Journey(at: event.at, seq: event.seq, digest: digestOfToday(event, person))
    }

    /// The kind of the daily digest that has passed in the new zone's today, is not too late (C5) and was not taken.
    private mutating func digestOfToday(_ event: Event, _ person: Int) -> String? {
        let (clock, isKnown) = clock(of: person)
        guard isKnown else { return nil }
        let today = clock.localDay(at: event.at)
        for kind in policy.kinds.values where kind.digest == .daily && kind.cause == .daily {
            guard let time = kind.time, today == clock.date(at: event.at) else { continue }
            let slot = LocalDateTime(date: today, time: time)
            let due = clock.first(showing: slot)
            guard due <= event.at, event.at <= due.advanced(byMinutes: Int64(policy.catchUpMinutes)) else { continue }
            // Slots are after enrolment, and after the change of their schedule (T10).
            let since = max(people[person].knownSince, policy.scheduledSince[kind.name] ?? .distantPast)
            guard due > since else { continue }
            guard slots[identity(of: slot, kind: kind.name, subject: nil, person)] == nil else { continue }
            return kind.name
        }
        return nil
    }

    mutating func note(_ person: Int, _ event: Event, _ change: (inout Journey) -> Void) {
        guard !journeys.isEmpty, var journey = journeys[person], journey.at == event.at else { return }
        change(&journey)
        journeys[person] = journey
    }

    /// Everything that follows from a journey has been told.
    mutating func endJourney(_ person: Int) {
        guard let journey = journeys.removeValue(forKey: person) else { return }
        for superseded in journey.superseded
        where journey.missed.contains(superseded.theme) && !journey.raised.contains(superseded.theme) {
            broken(
                .superseded, seq: superseded.seq, at: journey.at, user: people[person].id,
                "\(superseded.base) gave way to a slot that was missed (T9)")
        }
        guard let digest = journey.digest else { return }
        asked(.waiting)
        guard people[person].notices.lastTrace[digest] != journey.at else { return }
        let forgotten = people[person].notices.gathered.filter { $0.gathering == .daily && comesBefore($0, journey) }
        guard let first = forgotten.min(by: { $0.seq < $1.seq }) else { return }
        broken(
            .waiting, seq: journey.seq, at: journey.at, user: people[person].id,
            "\(first.id.base) was gathered, and \(digest), whose time had come in the new zone, was not asked (T9)")
    }

    /// Whether a notice is gathered by the turn of a digest of that instant, which is medium (P18).
    private func comesBefore(_ notice: LiveNotice, _ journey: Journey) -> Bool {
        if let gathered = notice.gatheredAt, gathered < journey.at { return true }
        let priority = notice.priority?.rawValue ?? 0
        return priority >= Priority.medium.rawValue && notice.raisedAt < journey.at
    }
}
