internal import CivilTime
internal import Notices
internal import Worker

/// Makes a random history up, one fact after another, and lives through it meanwhile.
struct Teller {
    let recipe: RandomHistory.Recipe
    var random: SeededRandom
    var chronicle: Chronicle
    private let reader = FactReader(zoneProblem: { _ in nil })
    private(set) var lines: [String] = []
    private(set) var facts: [Fact] = []
    private(set) var numbers: [UInt64?] = []
    /// Lines that are no facts at all, each with why. There should be none: what a register refuses is meant, as a job
    /// answered to that there is not; what no reader takes is in no life, whatever the types that were meant to be.
    private(set) var unreadable: [String] = []
    private(set) var end = Instant.distantPast
    let home: HistoryStart

    init(_ recipe: RandomHistory.Recipe, _ chronicle: Chronicle) {
        self.recipe = recipe
        self.chronicle = chronicle
        var random = SeededRandom(
            seed: recipe.seed &* 5 &+ UInt64(ShippedPolicies.names.firstIndex(of: recipe.policy) ?? 0))
        home = HistoryStart.all.randomElement(using: &random) ?? HistoryStart.all[0]
        self.random = random
    }

    /// Each person has a next moment; whoever's is first does something then.
    mutating func tell() {
        let start = home.instant.advanced(byMinutes: Int64.random(in: 0..<2880, using: &random))
        let last = start.advanced(byDays: Int64(recipe.days))
        var next: [(at: Instant, user: String)] = (0..<Int.random(in: 1...recipe.peopleMax, using: &random)).map {
            (start.advanced(byMinutes: $0 == 0 ? 0 : Int64.random(in: 0..<1440, using: &random)), "u\($0 + 1)")
        }
        let adoptions = adoptionMoments(from: start)
        var adopted = 0
        while facts.count < recipe.factsMax, let place = next.indices.min(by: { next[$0].at < next[$1].at }) {
            let (at, user) = next[place]
            if at > last { break }
            while adopted < adoptions.count, adoptions[adopted].at <= at {
                adopt(adoptions[adopted].policy, at: adoptions[adopted].at)
                adopted += 1
            }
            chronicle.wind(to: at)
            act(user, at: at)
            next[place].at = moment(after: chronicle.now, for: user)
        }
        close()
    }

    /// Everyone's preferences go back to the defaults, so that whatever waits may come to its end; then days pass.
    private mutating func close() {
        let at = chronicle.now.advanced(byMinutes: 1)
        for name in chronicle.register.names { put("preferences_reset", "{}", user: name, at: at) }
        end = max(at, lastDigestTaken).advanced(byDays: 5)
        chronicle.wind(to: end)
    }

    /// What is gathered waits for the first day whose digest was not brought forward.
    private var lastDigestTaken: Instant {
        let kinds = chronicle.register.plan.rules.kinds
        let taken = chronicle.register.people.flatMap { $0.marks + $0.details.ahead }
            .filter { kinds[Int($0.kind)].digest == .daily && $0.flags.contains(.slot) }
        return Instant(seconds: Int64(taken.map(\.date.daysSince1970).max() ?? 0) * 86_400)
    }

    // MARK: Policies

    /// In some histories another policy comes, and the first again.
    private mutating func adoptionMoments(from start: Instant) -> [(at: Instant, policy: String)] {
        guard Int.random(in: 0..<8, using: &random) == 0 else { return [] }
        let other = ShippedPolicies.names.randomElement(using: &random) ?? recipe.policy
        let first = start.advanced(byMinutes: Int64.random(in: 60..<5760, using: &random))
        return [
            (first, other), (first.advanced(byMinutes: Int64.random(in: 0..<2880, using: &random)), recipe.policy),
        ]
    }

    private mutating func adopt(_ policy: String, at: Instant) {
        var document = (ShippedPolicies.text(of: policy) ?? "").split(separator: "\n").joined(separator: " ")
        // Some keep nobody who left, and some nothing that was said.
        let (people, texts) = ("\"people_after_days\":30", "\"texts_after_days\":30")
        let retention = ["{\(people)}", "{\(people),\(texts)}", nil, "{\(texts)}"][
            Int.random(in: 0..<4, using: &random)]
        if let retention {
            document = "{\"retention\":\(retention)," + document.drop { $0 != "{" }.dropFirst()
        }
        put("policy_adopted", "{\"policy\":\(document)}", user: nil, at: at)
    }

    // MARK: Facts

    mutating func put(_ type: String, _ data: String, user: String?, at: Instant) {
        let at = max(at, chronicle.now)
        var line = "{\"type\":\"\(type)\""
        if let user { line += ",\"user\":\"\(user)\"" }
        if oneIn(20) { line += ",\"id\":\"f-\(facts.count)\"" }
        line += ",\"at\":\"\(at)\",\"data\":\(data)}"
        let fact: Fact
        do { fact = try reader.read(line) } catch {
            unreadable.append("\(line): \(error)")
            return
        }
        let receipt = chronicle.take(fact)
        guard receipt.seq != nil else { return }
        keep(line, fact, receipt)
        // A duplicate changes nothing.
        if fact.id != nil, oneIn(4) { keep(line, fact, chronicle.take(fact)) }
    }

    private mutating func keep(_ line: String, _ fact: Fact, _ receipt: FactReceipt) {
        lines.append(line)
        facts.append(fact)
        if case .recorded(let seq, _) = receipt { numbers.append(seq) } else { numbers.append(nil) }
    }

    // MARK: Moments

    /// Often a moment at which something is due, or the millisecond beside it.
    private mutating func moment(after at: Instant, for user: String) -> Instant {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4:
            guard let number = chronicle.register.number(of: user) else { break }
            let wake = chronicle.register[number].earliestWake(chronicle.register.plan)
            guard wake > at, wake < at.advanced(byMinutes: 3 * recipe.pace.pauseMax) else { break }
            return max(at, wake.advanced(byMilliseconds: pick([0, 0, -1, 1, 300_000])))
        case 4..<6: return max(at, edge(after: at, for: user).advanced(byMilliseconds: pick([-1, 0, 1])))
        case 6..<11:
            return at.advanced(
                byMilliseconds: pick([0, 1, 1000, 60_000, 119_999, 120_000, 600_000, 1_799_999, 1_800_000, 2_700_000]))
        default: break
        }
        return at.advanced(byMinutes: Int64.random(in: 1..<recipe.pace.pauseMax, using: &random))
    }

    /// The next of the times at which windows begin or end for most people.
    private mutating func edge(after at: Instant, for user: String) -> Instant {
        let zone = chronicle.register.number(of: user).map { chronicle.register[$0].zone } ?? .utc
        let time = LocalTime(pick(["08:00", "09:00", "18:00", "19:00", "20:00", "22:00", "00:00"])) ?? .midnight
        for day in 0..<3 {
            let date = zone.localDate(at: at).advanced(byDays: day)
            let instant = zone.instant(of: LocalDateTime(date: date, time: time), occurrence: .first)
            if instant > at { return instant }
        }
        return at
    }

    // MARK: Chance

    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }
}

/// Where and when a history begins: shortly before the clocks do something.
struct HistoryStart {
    let instant: Instant
    let zone: String

    init(_ day: String, _ zone: String) {
        instant = (try? Instant(rfc3339: day + "T00:00:00Z")) ?? .distantPast
        self.zone = zone
    }

    static let all = [
        HistoryStart("2018-11-01", "America/Sao_Paulo"), HistoryStart("2018-02-15", "America/Sao_Paulo"),
        HistoryStart("2023-04-25", "Africa/Cairo"), HistoryStart("2023-10-24", "Africa/Cairo"),
        HistoryStart("2024-03-28", "Asia/Beirut"), HistoryStart("2022-10-27", "Asia/Beirut"),
        HistoryStart("2025-10-02", "Australia/Lord_Howe"), HistoryStart("2026-04-02", "Australia/Lord_Howe"),
        HistoryStart("2011-12-26", "Pacific/Apia"), HistoryStart("2011-12-28", "Pacific/Apia"),
        HistoryStart("2010-11-04", "America/St_Johns"), HistoryStart("2011-03-10", "America/St_Johns"),
        HistoryStart("2026-02-12", "Africa/Casablanca"), HistoryStart("2026-03-19", "Africa/Casablanca"),
        HistoryStart("2026-03-26", "Europe/Dublin"), HistoryStart("2025-10-23", "Europe/Dublin"),
        HistoryStart("2026-03-26", "Antarctica/Troll"), HistoryStart("2026-10-22", "Antarctica/Troll"),
        HistoryStart("2026-06-01", "Asia/Kathmandu"), HistoryStart("2026-03-05", "America/New_York"),
        HistoryStart("2025-12-29", "Asia/Tokyo"), HistoryStart("2024-02-26", "Europe/Paris"),
    ]

    /// Zones that lie a day apart, and those above.
    static let destinations =
        [
            "Pacific/Kiritimati", "Pacific/Honolulu", "Pacific/Pago_Pago", "Pacific/Auckland", "Pacific/Chatham",
            "Asia/Pyongyang", "America/Caracas", "Asia/Gaza", "Europe/Istanbul", "Antarctica/Casey", "Pacific/Norfolk",
            "Asia/Tehran", "America/Nuuk", "Pacific/Tongatapu", "Europe/Volgograd",
        ]
        + all.map(\.zone)
}
