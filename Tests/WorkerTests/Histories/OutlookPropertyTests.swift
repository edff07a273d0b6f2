import CivilTime
import Notices
import Simulation
import Testing

@testable import Worker

/// What `explain` says will become of a notice is what becomes of it, if nothing else happens meanwhile.
@Suite("Random histories, as they are foretold")
struct OutlookPropertyTests {
    @Test(arguments: ShippedPolicies.names)
    func `what is foretold of a notice raised now, and of the next slot, is what comes`(policy: String) throws {
        var compared = 0
        for seed in 0..<UInt64(LongRun.lives == nil ? 12 : 400) {
            let history = RandomHistory(RandomHistory.Recipe(seed: 7_000 + seed, policy: policy))
            var random = SeededRandom(seed: seed)
            for isAhead in [false, false, true] {
                guard let moment = Moment(in: history, isAhead: isAhead, &random) else { continue }
                for (user, kind) in moment.asked { compared += moment.check(user, kind) }
            }
        }
        // Under a policy whose kinds all come because something else happens there is nothing to foretell.
        let comesByItself = ShippedPlans[policy].rules.kinds.contains {
            $0.isOnRequest || $0.schedule?.hasSlots == true
        }
        #expect(comesByItself == (compared > 0), "\(policy): \(compared)")
    }
}

/// A history cut off at a moment: everything due by then has been decided.
private struct Moment {
    private let history: RandomHistory
    private let known: [Event]
    /// Where the history is cut off.
    private let end: Instant
    /// The moment that is asked about: the end, or one after it until which nothing is told.
    private let at: Instant
    /// What is decided from the end on if nothing is told.
    private let untold: [Event]

    private static let aheadMost: Int64 = 7 * 86_400_000
    /// How far is looked.
    private static let daysAhead: Int64 = 39

    init?(in history: RandomHistory, isAhead: Bool, _ random: inout SeededRandom) {
        let commits = history.commits
        guard !history.adoptsPolicies, commits.count > 1 else { return nil }
        let place = Int.random(in: 1..<commits.count, using: &random)
        guard let end = commits[place - 1].last?.at, let next = commits[place].first?.at, next > end else { return nil }
        self.history = history
        self.end = end
        at = isAhead ? end.advanced(byMilliseconds: Int64.random(in: 1...Self.aheadMost, using: &random)) : end
        let known = Array(commits.prefix(place).joined())
        self.known = known
        var events: [Event] = []
        var chronicle = Chronicle(
            resuming: Self.register(history, known), at: end, nextSequence: (known.last?.seq ?? 0) + 1, ids: [:]
        ) { events += $0 }
        chronicle.wind(to: at.advanced(byDays: Self.daysAhead))
        untold = events
    }

    /// Everybody, each with every kind of the policy.
    var asked: [(String, Int)] {
        let users = Set(known.compactMap(\.user)).sorted()
        return users.flatMap { user in (0..<history.plan.rules.ownKinds).map { (user, $0) } }
    }

    private var register: Register { Self.register(history, known) }

    private static func register(_ history: RandomHistory, _ known: [Event]) -> Register {
        var register = Register(history.plan)
        for event in known { register.fold(event) }
        return register
    }

    /// Gives how much of what was foretold was compared with what came.
    func check(_ user: String, _ kind: Int) -> Int {
        let register = register
        guard let number = register.number(of: user) else { return 0 }
        let (known, plan) = (register[number], register.plan)
        guard !known.isErased else { return 0 }
        known.nextWake = known.earliestWake(plan)
        guard known.nextWake > end,
            let person = known.foreseen(at: at, from: end, user: user, plan: plan, Foresight(work: .max))
        else { return 0 }
        if plan.rules.kinds[kind].isOnRequest {
            let imagined = person.imagined(kind: kind, at: at, user: user, plan: plan)
            return compare(
                Prospect(imagined, of: person, user: user, plan, from: at, Foresight(work: .max)), user, kind,
                asks: true, name: nil)
        } else {
            let foresight = Foresight(work: .max)
            let imagined = person.imagined(kind: kind, at: at, user: user, plan: plan)
            let next = compareNext(
                Prospect(imagined, of: person, user: user, plan, from: at, foresight), user, kind,
                from: at.advanced(byMilliseconds: 1))
            guard let (slot, notice) = person.nextSlot(of: kind, after: at, user: user, plan: plan) else { return next }
            let foretold = Prospect(slot, of: person, user: user, plan, from: at, foresight)
            return next + compare(foretold, user, kind, asks: false, name: notice.name)
                + compareNext(foretold, user, kind, from: slot.instant)
        }
    }

    /// Of one that does not come, when the next of its kind comes by itself.
    private func compareNext(_ foretold: Prospect, _ user: String, _ kind: Int, from start: Instant) -> Int {
        switch foretold.outcome {
        case .dropped, .never: break
        case .sent, .joined, .gathered, .unforeseen: return 0
        }
        let rule = history.plan.rules.kinds[kind]
        guard rule.schedule?.hasSlots == true else { return 0 }
        let (name, last) = (rule.name.text, at.advanced(byDays: Self.daysAhead))
        let came = untold.first { event in
            guard event.user == user, event.at >= start, case .jobEmitted(let job) = event.payload else { return false }
            return job.notices.contains { $0.kind == name }
        }
        let next = foretold.nextEligible.flatMap { $0 > last ? nil : $0 }
        #expect(
            came?.at == next,
            """
            \(history.recipe.policy), seed \(history.recipe.seed), \(user)/\(name) asked at \(at) from \(start)
            after \(known.last?.seq ?? 0) events: foretold \(foretold.outcome)
            """)
        return 1
    }

    private func compare(_ foretold: Prospect, _ user: String, _ kind: Int, asks: Bool, name: String?) -> Int {
        var events: [Event] = []
        var chronicle = Chronicle(
            resuming: register, at: end, nextSequence: (known.last?.seq ?? 0) + 1, ids: [:]
        ) { events += $0 }
        var name = name ?? ""
        if asks {
            var request = NoticeRequested()
            request.kind = history.plan.rules.kinds[kind].name
            let fact = Fact(user: user, at: at, payload: .noticeRequested(request))
            // What is refused, or there already, is not foretold.
            guard case .recorded(let seq, _) = chronicle.take(fact) else { return 0 }
            name = "\(user)/\(request.kind)/#\(seq)"
        }
        chronicle.wind(to: at.advanced(byDays: Self.daysAhead))
        let came = End(of: name, in: events)
        #expect(
            came?.told == End(foretold)?.told || came == nil && foretold.nextEligible == nil,
            """
            \(history.recipe.policy), seed \(history.recipe.seed), \(name) asked at \(at)
            after \(known.last?.seq ?? 0) events: came \(came?.told ?? "nothing"), foretold \(foretold.outcome), \(foretold.nextEligible.map { "\($0)" } ?? "never")
            """)
        return 1
    }
}

/// How a notice ends.
private struct End {
    let told: String

    /// `nil` for one that leaves no trace.
    init?(of name: String, in events: [Event]) {
        var gathered: Event?
        for event in events {
            switch event.payload {
            case .noticeGathered(let one) where one.notice.text == name: gathered = gathered ?? event
            case .noticeDropped(let drop) where drop.notice.text == name:
                told = "dropped (\(drop.reason.name)) at \(event.at)"
                return
            case .jobEmitted(let job) where job.notices.contains(where: { $0.text == name }):
                told = gathered.map { "gathered at \($0.at), told at \(event.at)" } ?? "sent at \(event.at)"
                return
            default: continue
            }
        }
        return nil
    }

    init?(_ foretold: Prospect) {
        switch foretold.outcome {
        case .sent(let at), .joined(let at): told = "sent at \(at)"
        case .gathered(let at, _):
            told = "gathered at \(at), told at \(foretold.nextEligible.map { "\($0)" } ?? "never")"
        case .dropped(let at, let reason): told = "dropped (\(reason.name)) at \(at)"
        case .never, .unforeseen: return nil
        }
    }
}
