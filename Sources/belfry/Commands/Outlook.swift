import CivilTime
import Console
import Journal
import Notices
import Worker

/// What can come to a person from a moment on: for one kind with every rule, or a line for each.
struct Outlook {
    /// A decision in words; a job's go on to what became of it.
    private struct Last {
        var seq: UInt64
        var at: Instant
        var says: String
        var fate: JobFate?

        var told: String { fate.map { "\(says) \($0.told)" } ?? says }
    }

    private struct KindOutlook {
        var kind: String
        /// What the log last decided about the kind.
        var last: Last?
        var now: Prospect
        var slot: (instant: Instant, prospect: Prospect)?
        var isScheduled: Bool
        /// Whether no slot was found as far as may be foreseen, which is not far.
        var isSlotUnforeseen: Bool
    }

    private let user: String
    private let at: Instant
    private let zone: ZoneRules
    private let isWhole: Bool
    private let showsAll: Bool
    private var kinds: [KindOutlook] = []

    /// - Parameters:
    ///   - asked: a notice as it might be raised; `nil` for one of every kind.
    ///   - showsAll: whether the rules without an objection are listed too.
    init(
        _ asked: Question.Imagined?, showsAll: Bool, at moment: Question.Moment, _ source: StorySource,
        _ zones: ZoneDatabase
    ) throws(Unanswered) {
        let kind = asked?.kind
        let user = source.user
        var last: [String: Last] = [:]
        var test: UInt64?
        let (biography, now) = try source.tell(until: moment, zones) { event, biography in
            if case .testRequested = event.payload { test = event.seq }
            for (kind, says, fate) in Self.decided(event.payload, biography) where !event.payload.isSample(of: test) {
                last[kind] = Last(seq: event.seq, at: event.at, says: says, fate: fate)
            }
            for kind in last.keys { _ = last[kind]?.fate?.take(event) }
        }
        guard let known = biography.settled() else {
            throw .notKnownThen(user)
        }
        let plan = biography.plan
        let own = plan.rules.kinds.prefix(plan.rules.ownKinds).map(\.name.text)
        if let kind, !own.contains(kind) {
            let nearest = NearestName.of(kind, among: own).map { "; did you mean \($0)?" } ?? ""
            throw .refused(
                "\"\(kind)\" is not a kind of the policy \(plan.rules.policy.name) (\(own.joined(separator: ", ")))\(nearest)"
            )
        }
        let foresight = Foresight(work: Foresight.workOfOneAnswer, isWanted: source.isWanted)
        let person = try Self.standing(of: known, at: now, plan, source, foresight)
        self.user = user
        isWhole = kind == nil
        self.showsAll = showsAll
        zone = person.zone
        at = now
        for (place, name) in own.enumerated() where kind == nil || kind == name {
            guard source.isWanted() else { throw .abandoned }
            let imagined = person.imagined(
                kind: place, subject: asked?.subject, priority: asked?.priority, at: now, user: user, plan: plan)
            let ahead =
                person.isErased
                ? .none
                : person.slotAhead(of: place, about: asked?.subject, after: now, user: user, plan: plan, foresight)
            kinds.append(
                KindOutlook(
                    kind: name, last: last[name],
                    now: Prospect(imagined, of: person, user: user, plan, from: now, foresight),
                    slot: ahead.slot.map { slot in
                        let prospect = Prospect(
                            slot, of: person, user: user, plan, from: now, about: asked?.subject, foresight)
                        return (slot.instant, prospect)
                    },
                    isScheduled: plan.rules.kinds[place].schedule?.hasSlots ?? false,
                    isSlotUnforeseen: ahead.isUnforeseen))
        }
    }

    /// The person at a moment. What is due between the end of the log and a later one has been decided by then.
    private static func standing(
        of known: Person, at moment: Instant, _ plan: Plan, _ source: StorySource, _ foresight: Foresight
    ) throws(Unanswered) -> Person {
        let end = source.head.at
        guard moment > end else { return known }
        if let then = known.foreseen(at: moment, from: end, user: source.user, plan: plan, foresight) { return then }
        guard source.isWanted() else { throw .abandoned }
        throw .refused(
            "too much happens to \(source.user) until \(moment) to be foretold: ask about an earlier moment")
    }

    /// What an event says of kinds: a digest's job tells of its own and of those it lists.
    private static func decided(
        _ event: Payload, _ biography: Biography
    ) -> [(kind: String, says: String, fate: JobFate?)] {
        let zone = biography.person?.zone ?? .utc
        switch event {
        case .noticeHeld(let held):
            return [
                (held.kind.text, "\(held.notice) was held until \(held.until.told(in: zone)): \(held.reason.name)", nil)
            ]
        case .noticeGathered(let gathered):
            let told = "\(gathered.notice) was gathered into \(gathered.into): \(gathered.reason.name)"
            return [(gathered.kind.text, told, nil)]
        case .noticeDropped(let dropped):
            return [(dropped.kind.text, "\(dropped.notice) was dropped: \(dropped.reason.name)", nil)]
        case .slotsSkipped(let skipped):
            let slots =
                skipped.count == 1
                ? "the slot \(skipped.last) was"
                : "\(skipped.count) slots from \(skipped.first) to \(skipped.last) were"
            return [(skipped.kind.text, "\(slots) skipped: \(skipped.reason.name)", nil)]
        case .jobEmitted(let job):
            let fate = JobFate(job)
            let listed = job.notices.compactMap { notice -> (String, String, JobFate?)? in
                guard let kind = notice.kind, kind != job.kind.text else { return nil }
                return (kind, "\(notice) is in \(job.job), which", fate)
            }
            return listed + [(job.kind.text, "\(job.job)", fate)]
        case .analysisConcluded(let conclusion):
            let rules = biography.plan.rules
            guard let kind = rules.kinds.prefix(rules.ownKinds).first(where: { $0.schedule == .message }) else {
                return []
            }
            return [(kind.name.text, conclusion.told, nil)]
        default: return []
        }
    }

    // MARK: For people

    var lines: [String] {
        var lines = ["\(user), \(at.told(in: zone))"]
        for kind in kinds {
            lines.append(kind.kind)
            if let last = kind.last {
                lines.append("  last: event \(last.seq), \(last.at.told(in: zone)): \(last.told)")
            }
            lines.append("  raised now: \(told(kind.now, from: at))")
            if !isWhole, let first = kind.now.first { lines += first.lines(in: zone, showsAll: showsAll) }
            if let slot = kind.slot {
                lines.append(
                    "  next slot: \(slot.instant.told(in: zone)); as things stand \(told(slot.prospect, from: slot.instant))"
                )
                if !isWhole, let first = slot.prospect.first { lines += first.lines(in: zone, showsAll: showsAll) }
            } else if kind.isScheduled {
                lines.append("  next slot: \(kind.isSlotUnforeseen ? Self.unforeseen : "none is planned")")
            }
        }
        return lines
    }

    /// Where the look ahead was cut short.
    private static let unforeseen = "too much happens to them until then to be foretold"

    private func told(_ prospect: Prospect, from instant: Instant) -> String {
        let next = prospect.nextEligible.map { "; the next of its kind can come at \($0.told(in: zone))" }
        let none = prospect.isCutShort ? "; of what comes then, \(Self.unforeseen)" : nil
        return switch prospect.outcome {
        case .sent(let at) where at == instant: "it would be sent at once"
        case .sent(let at): "it would be held, and sent at \(at.told(in: zone))"
        case .joined(let at): "it would be told with another of its kind, at \(at.told(in: zone)) (P19)"
        case .gathered(let at, let reason):
            "it would be gathered (\(reason.name))\(at == instant ? "" : " at \(at.told(in: zone))")"
                + (prospect.nextEligible.map { ", and told at \($0.told(in: zone))" } ?? none
                    ?? ", and no digest would tell it until something changes")
        case .dropped(let at, let reason):
            "it would be dropped (\(reason.asDropped))\(at == instant ? "" : " at \(at.told(in: zone))")"
                + (next ?? none ?? "; none of its kind comes until something changes")
        case .never(let why):
            why + (next ?? none ?? "")
        case .unforeseen: Self.unforeseen
        }
    }

    // MARK: For machines

    var document: JSONValue {
        .object([
            .init("user", .string(user)), .init("at", .string("\(at)")),
            .init("kinds", .array(kinds.map(document))),
        ])
    }

    private func document(_ kind: KindOutlook) -> JSONValue {
        var members: [JSONValue.Member] = [.init("kind", .string(kind.kind))]
        members.append(
            .init(
                "last",
                kind.last.map { last in
                    .object([
                        .init("seq", .number("\(last.seq)")), .init("at", .string("\(last.at)")),
                        .init("says", .string(last.told)),
                    ])
                } ?? .null))
        members.append(.init("now", document(kind.now)))
        members.append(
            .init(
                "next_slot",
                kind.slot.map { slot in
                    .object([.init("at", .string("\(slot.instant)")), .init("prospect", document(slot.prospect))])
                } ?? .null))
        if kind.isSlotUnforeseen { members.append(.init("unforeseen", .string(Self.unforeseen))) }
        return .object(members)
    }

    private func document(_ prospect: Prospect) -> JSONValue {
        var members: [JSONValue.Member] = []
        let eligible =
            prospect.isCutShort
            ? JSONValue.Member("unforeseen", .string(Self.unforeseen))
            : JSONValue.Member("next_eligible", prospect.nextEligible.map { .string("\($0)") } ?? .null)
        switch prospect.outcome {
        case .sent: members.append(eligible)
        case .joined(let at): members += [.init("joined_at", .string("\(at)")), eligible]
        case .gathered(let at, let reason):
            members += [.init("gathered_at", .string("\(at)")), .init("reason", .string(reason.name)), eligible]
        case .dropped(let at, let reason):
            members += [.init("dropped_at", .string("\(at)")), .init("reason", .string(reason.name)), eligible]
        case .never(let why):
            members.append(.init("never", .string(why)))
            if prospect.nextEligible != nil || prospect.isCutShort { members.append(eligible) }
        case .unforeseen: members.append(eligible)
        }
        if let first = prospect.first { members.append(.init("explanation", first.document)) }
        return .object(members)
    }
}

extension Payload {
    /// Whether it is what came of a test, sent or dropped, which counts for nothing (`N8`).
    ///
    /// - Parameter test: the fact that asked for the last one; a test is decided at once.
    fileprivate func isSample(of test: UInt64?) -> Bool {
        switch self {
        case .jobEmitted(let job): job.isTest == true
        case .noticeDropped(let dropped): test != nil && dropped.notice.cause == test
        default: false
        }
    }
}
