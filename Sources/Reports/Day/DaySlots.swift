public import CivilTime
internal import Notices

/// A slot of a person's day, and what became of it.
public struct DaySlot: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case toCome = "to_come"
        /// It raised a notice, whatever became of that.
        case fired
        /// It was not needed: the person had been active (`C3`).
        case skipped
        /// Nobody was there to handle it in time (`C5`).
        case missed
    }

    public var at: Instant
    public var kind: String
    public var label: String
    public var subject: String?
    public var state: State
    public var notice: String?
    /// When that was recorded: on a day before where somebody had the slot brought forward; `nil` of one to come.
    public var decidedAt: Instant?
    /// Of a slot to come today, why nothing would come of it if nothing is told until then: a digest that has nothing to tell (`D1`),
    /// a kind that is switched off (`P5`).
    public var silence: String?
}

/// Gathers the slots of a day: those that came are named by what was recorded of them, those to come by the schedules.
struct DaySlots {
    private struct Key: Hashable {
        var kind: String
        var subject: String?
        var word: SlotWord
    }

    private struct Found {
        var at: Instant
        var state: DaySlot.State
        var notice: String?
        var decidedAt: Instant?
        var silence: String?
    }

    private var found: [Key: Found] = [:]
    private var order: [Key] = []

    /// - Parameters:
    ///   - person: as they were before the event.
    ///   - stretch: only slots within it. The event may lie before it: "run now" brings slots forward.
    mutating func take(_ event: Event, before person: Person, _ plan: Plan, in stretch: Range<Instant>) {
        switch event.payload {
        case .jobEmitted(let job): for notice in job.notices { fire(notice, person.zone, at: event.at, in: stretch) }
        case .noticeHeld(let held): fire(held.notice, person.zone, at: event.at, in: stretch)
        case .noticeGathered(let gathered): fire(gathered.notice, person.zone, at: event.at, in: stretch)
        case .noticeDropped(let dropped): fire(dropped.notice, person.zone, at: event.at, in: stretch)
        case .slotsSkipped(let skipped): skip(skipped, person, plan, at: event.at, in: stretch)
        default: break
        }
    }

    /// Nothing where no slot raised the notice.
    private mutating func fire(
        _ name: NoticeName, _ zone: ZoneRules, at now: Instant, in stretch: Range<Instant>
    ) {
        guard let kind = name.kind, let slot = name.slot else { return }
        note(
            Key(kind: kind, subject: name.subject, word: slot),
            Found(at: slot.instant(in: zone), state: .fired, notice: name.text, decidedAt: now), in: stretch)
    }

    private mutating func skip(
        _ skipped: SlotsSkipped, _ person: Person, _ plan: Plan, at now: Instant, in stretch: Range<Instant>
    ) {
        let state: DaySlot.State = skipped.reason == .missed ? .missed : .skipped
        guard let first = SlotWord(skipped.first.text), let last = SlotWord(skipped.last.text) else { return }
        let ends = [first, last].map { ($0, $0.instant(in: person.zone)) }
        var slots = ends
        if skipped.count > 2, ends[1].1 >= stretch.lowerBound, let kind = plan.rules.place(of: skipped.kind.text) {
            slots += person.slots(
                of: kind, about: skipped.subject?.text, from: first.local(in: person.zone),
                through: last.local(in: person.zone), in: stretch, plan
            ).map { (.local($0.local), $0.instant) }
        }
        for (word, at) in slots {
            note(
                Key(kind: skipped.kind.text, subject: skipped.subject?.text, word: word),
                Found(at: at, state: state, decidedAt: now), in: stretch)
        }
    }

    private mutating func note(_ key: Key, _ slot: Found, in stretch: Range<Instant>) {
        guard stretch.contains(slot.at) else { return }
        if found[key] == nil { order.append(key) }
        // The first word on it is what became of the slot; later ones are about its notice.
        if found[key] == nil { found[key] = slot }
    }

    /// What the schedules have in store, as things stand: digests too that have nothing to say as yet. Of what is due already
    /// only what is sure to be decided still: a digest may have come without a trace (`C5`).
    mutating func expect(
        _ person: Person, of user: String, in day: Range<Instant>, at now: Instant, _ plan: Plan, _ foresight: Foresight
    ) {
        let last = day.upperBound.advanced(byMilliseconds: -1)
        let overdue = person.due(from: day.lowerBound, through: min(now, last), plan, most: Self.expectedMax)
        let start = max(day.lowerBound, now.advanced(byMilliseconds: 1))
        let ahead = person.due(from: start, through: last, plan, most: Self.expectedMax, withSilentDigests: true)
        let matters = overdue + ahead
        // What a later day's digest will have to tell, nobody knows yet.
        let silences: [String?] =
            day.contains(now)
            ? person.silences(
                of: matters, from: now, user: user, plan, foresight)
            : Array(repeating: nil, count: matters.count)
        for (matter, silence) in zip(matters, silences) {
            guard case .slot(let word) = matter.cause, let kind = matter.kind else { continue }
            let key = Key(kind: plan.kind(kind).name.text, subject: matter.subject, word: word)
            note(key, Found(at: matter.at, state: .toCome, silence: silence), in: day)
        }
    }

    /// Somebody with hundreds of goals has hundreds of reminders a day.
    private static let expectedMax = 500

    func all(in day: Range<Instant>, _ plan: Plan) -> [DaySlot] {
        let slots = order.compactMap { key -> DaySlot? in
            guard let slot = found[key], day.contains(slot.at) else { return nil }
            let label = plan.rules.place(of: key.kind).map { plan.kind($0).label } ?? key.kind
            return DaySlot(
                at: slot.at, kind: key.kind, label: label, subject: key.subject, state: slot.state, notice: slot.notice,
                decidedAt: slot.decidedAt, silence: slot.silence)
        }
        return slots.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
