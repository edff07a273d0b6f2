public import CivilTime
public import Notices
public import Worker

/// A few people's facts over some time, the same for the same seed: ordinary days with much that goes wrong in them.
///
/// It is lived through while it is made up, so that facts can fall on the very instants at which something is due, and
/// can name jobs that there are. What would be refused is left out.
public struct RandomHistory {
    /// What a history is made of.
    public struct Recipe: Sendable {
        public var seed: UInt64
        public var policy: String
        public var pace: Pace
        public var peopleMax = 3
        public var days: Int
        public var factsMax: Int

        public init(seed: UInt64, policy: String, pace: Pace = .days) {
            self.seed = seed
            self.policy = policy
            self.pace = pace
            switch pace {
            case .days: (days, factsMax) = (8, 60)
            case .months: (days, factsMax) = (120, 80)
            case .years: (days, factsMax) = (900, 100)
            }
        }
    }

    /// How fast things follow one another. Where weeks lie between them, slots are often brought forward from afar.
    public enum Pace: String, Sendable {
        case days, months, years

        /// The longest pause, in minutes.
        var pauseMax: Int64 {
            switch self {
            case .days: 1500
            case .months: 8 * 1440
            case .years: 50 * 1440
            }
        }
    }

    public let recipe: Recipe
    public let plan: Plan
    /// As a sender would write them, for `belfry simulate`.
    public private(set) var lines: [String] = []
    public private(set) var facts: [Fact] = []
    /// The number each fact got; `nil` for a duplicate.
    public private(set) var numbers: [UInt64?] = []
    public private(set) var commits: [Chronicle.Commit] = []
    /// What was to be told and is no fact at all, each with why: a mistake in the telling.
    public private(set) var unreadable: [String] = []
    /// How far everything due has been decided.
    public private(set) var end = Instant.distantPast

    public init(_ recipe: Recipe) {
        self.recipe = recipe
        plan = ShippedPlans[recipe.policy]
        let told = Commits()
        var teller = Teller(recipe, Chronicle(plan) { told.all.append($0) })
        teller.tell()
        lines = teller.lines
        facts = teller.facts
        numbers = teller.numbers
        unreadable = teller.unreadable
        end = teller.end
        commits = told.all
    }

    public var events: [Event] { commits.flatMap { $0 } }

    public var adoptsPolicies: Bool {
        facts.contains { if case .policyAdopted = $0.payload { true } else { false } }
    }

    /// The facts lived through once more.
    public func livedAgain() -> [Chronicle.Commit] { lived(facts) }

    /// As it would be were one person alone in the log. Facts that name notices by their numbers name those they have there.
    public func lived(by user: String) -> [Chronicle.Commit] {
        let places = OwnNumbers(of: user, in: events)
        let reader = FactReader(zoneProblem: { _ in nil })
        let own = zip(lines, facts).filter { $0.1.user == nil || $0.1.user == user }
        return lived(
            own.map { line, fact in
                line.contains("/#") ? (try? reader.read(places.renumbered(line))) ?? fact : fact
            })
    }

    private func lived(_ facts: [Fact]) -> [Chronicle.Commit] {
        let told = Commits()
        var chronicle = Chronicle(plan) { told.all.append($0) }
        for fact in facts { _ = chronicle.take(fact) }
        chronicle.wind(to: end)
        return told.all
    }

    /// What comes after the first commits, by someone who knows of those only what the log tells.
    ///
    /// - Parameter kept: what is done with that knowledge before going on from it.
    public func resumed(after count: Int, _ kept: (Register) -> Register = { $0 }) -> [Chronicle.Commit] {
        var register = Register(plan)
        var ids: [String: UInt64] = [:]
        var last: UInt64 = 0
        var now = Instant.distantPast
        for event in commits.prefix(count).joined() {
            register.fold(event)
            if let id = event.id { ids[id] = event.seq }
            (last, now) = (event.seq, event.at)
        }
        let told = Commits()
        var chronicle = Chronicle(resuming: kept(register), at: now, nextSequence: last + 1, ids: ids) {
            told.all.append($0)
        }
        for (fact, number) in zip(facts, numbers) where number.map({ $0 > last }) ?? false {
            _ = chronicle.take(fact)
        }
        chronicle.wind(to: end)
        return told.all
    }

    private final class Commits {
        var all: [Chronicle.Commit] = []
    }
}
