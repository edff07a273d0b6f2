import CivilTime
import Foundation
import Notices
import Worker

/// Deciding, without a disk: one wake, one slot, a month of many people, and what people cost in memory.
struct DecideRows {
    let options: Options

    func run(into table: inout Table) throws {
        say("decide")
        let zones = try ZoneDatabase()
        guard let text = ShippedPolicies.text(of: "standard") else { return }
        let plan = Plan(Rulebook(try Policy(document: text)), zone: { try? zones.zone(named: $0) })
        // First, while the process is small: what it already had cannot be handed out again.
        memory(plan, &table)
        try nextSlot(zones, &table)
        decide(plan, &table)
        try simulate(plan, &table)
    }

    // MARK: One wake

    private func decide(_ plan: Plan, _ table: inout Table) {
        let count = options.isQuick ? 2_000 : 50_000
        // Enrolled on a Sunday; Monday's 09:00 in Paris is 08:00 UTC.
        let enrolled = Instant(milliseconds: 1_772_366_400_000)
        let due = Instant(milliseconds: 1_772_438_400_000)
        var best = (decide: Double.infinity, whole: Double.infinity)
        for _ in 0..<5 {
            var register = Register(plan)
            for number in 0..<count { enrol(number, at: enrolled, &register) }
            let desk = Desk(register.someone, user: "", plan: plan, now: due, nextSequence: 1)
            for number in 0..<count { register[number].nextWake = register[number].earliestWake(plan) }
            var emitted = 0
            let start = seconds()
            for number in 0..<count {
                desk.begin(
                    with: register[number], user: register.names[number], plan: plan, now: due, nextSequence: 1)
                desk.settle()
                emitted += desk.written.count
                desk.written.removeAll(keepingCapacity: true)
            }
            let middle = seconds()
            for number in 0..<count {
                desk.begin(
                    with: register[number], user: register.names[number], plan: plan, now: due, nextSequence: 1)
                desk.finish()
            }
            let end = seconds()
            precondition(emitted == count, "\(emitted) of \(count) check-ins were emitted")
            best.decide = min(best.decide, (middle - start) / Double(count))
            best.whole = min(best.whole, (end - start) / Double(count))
        }
        table.add(
            "`decide` for a check-in that is emitted",
            "\(nanoseconds(best.decide)); \(nanoseconds(best.whole)) with the next wake",
            goal: "≤ 500 ns", isMet: best.decide <= 5e-7, ("seconds", best.decide), ("with_wake_seconds", best.whole))
    }

    private func enrol(_ number: Int, at: Instant, _ register: inout Register) {
        var fact = UserEnrolled()
        fact.timezone = ZoneName("Europe/Paris")
        register.fold(Event(seq: 1, at: at, user: "p\(number)", payload: .userEnrolled(fact)))
    }

    // MARK: One slot

    private func nextSlot(_ zones: ZoneDatabase, _ table: inout Table) throws {
        let paris = try zones.zone(named: "Europe/Paris")
        guard let nine = LocalTime(hour: 9, minute: 0) else { return }
        // Made once, as preferences do: to make a set out of a list costs ten times what is measured.
        let days: WeekdaySet = [.mon, .wed, .fri]
        let count = options.isQuick ? 100_000 : 5_000_000
        var instant = Instant(milliseconds: 1_772_366_400_000)
        let start = seconds()
        for _ in 0..<count {
            guard let slot = paris.nextSlot(time: nine, days: days, strictlyAfter: instant) else { break }
            instant = slot.instant
            if instant.milliseconds > 4_000_000_000_000 { instant = Instant(milliseconds: 1_772_366_400_000) }
        }
        let each = (seconds() - start) / Double(count)
        table.add(
            "next slot in a zone already seen", nanoseconds(each), goal: "≤ 100 ns", isMet: each <= 1e-7,
            ("seconds", each))
    }

    // MARK: A month of many people

    private func simulate(_ plan: Plan, _ table: inout Table) throws {
        let people = options.isQuick ? 200 : 10_000
        let lines = History(people: people, days: 30, factsEach: 20).lines
        let zones = try ZoneDatabase()
        let start = seconds()
        let reader = FactReader(zoneProblem: zones.problem(with:))
        var decisions = 0
        let printed = Printed()
        var chronicle = Chronicle(plan) { commit in
            for event in commit where event.payload.type.side == .decision {
                decisions += 1
                printed.take(event)
            }
        }
        for line in lines { _ = chronicle.take(try reader.read(line)) }
        chronicle.wind(to: Instant(milliseconds: History.start + 30 * 86_400_000))
        let took = seconds() - start
        let rate = Double(decisions) / took
        table.add(
            "`simulate`: \(grouped(Double(people))) people, 30 days, 20 facts each, read and printed",
            "\(String(format: "%.2f", took)) s; \(grouped(Double(decisions))) decisions, \(grouped(rate)) decisions/s, \(grouped(Double(decisions + lines.count) / took)) events/s",
            goal: "≥ 500,000 decisions/s", isMet: rate >= 500_000, ("seconds", took), ("decisions_per_second", rate))
    }

    private final class Printed {
        private var buffer = ByteBuffer()

        func take(_ event: Event) {
            event.writeJSON(into: &buffer)
            if buffer.count > 1 << 16 { buffer.removeAll() }
        }
    }

    // MARK: Memory

    private func memory(_ plan: Plan, _ table: inout Table) {
        let count = options.isQuick ? 50_000 : 1_000_000
        let before = residentBytes()
        var register = Register(plan)
        let enrolled = Instant(milliseconds: 1_772_366_400_000)
        for number in 0..<count { enrol(number, at: enrolled, &register) }
        let chronicle = Chronicle(resuming: register, at: enrolled, nextSequence: 1) { _ in }
        let each = Double(residentBytes() - before) / Double(count)
        precondition(chronicle.register.names.count == count)
        table.add(
            "memory per idle person, name and wake included (\(grouped(Double(count))) people)",
            String(format: "%.0f B", each), goal: "≤ 160 B", isMet: each <= 160, ("bytes", each))
    }

}

func nanoseconds(_ seconds: Double) -> String { String(format: "%.0f ns", seconds * 1e9) }

/// Facts such as an app sends, over a month, in the order of time.
private struct History {
    static let start: Int64 = 1_772_409_600_000
    let lines: [String]

    init(people: Int, days: Int, factsEach: Int) {
        let zones = [
            "Europe/Paris", "America/New_York", "America/Los_Angeles", "Asia/Tokyo", "Asia/Kathmandu",
            "America/Sao_Paulo", "Africa/Cairo", "Australia/Lord_Howe", "Europe/Dublin", "Asia/Kolkata",
        ]
        var random = SplitMix(state: 11)
        var facts: [(at: Int64, text: String)] = []
        for person in 0..<people {
            let enrolled = Self.start + Int64(random.next() % 3_600_000)
            let zone = zones[Int(random.next() % UInt64(zones.count))]
            facts.append(
                (enrolled, "\"type\":\"user_enrolled\",\"user\":\"user\(person)\",\"data\":{\"timezone\":\"\(zone)\"}"))
            for _ in 1..<factsEach {
                let at = Self.start + 3_600_000 + Int64(random.next() % UInt64(days * 86_400_000 - 7_200_000))
                facts.append((at, "\(Self.fact(&random)),\"user\":\"user\(person)\""))
            }
        }
        lines = facts.sorted { $0.at < $1.at }.map {
            "{\"at\":\"\(Instant(milliseconds: $0.at))\",\($0.text)}"
        }
    }

    private static func fact(_ random: inout SplitMix) -> String {
        let draw = random.next() % 100
        switch draw {
        case ..<30: return #""type":"session_completed","data":{}"#
        case ..<50: return #""type":"checked_in","data":{}"#
        case ..<75:
            return
                #""type":"notice_requested","data":{"kind":"\#(draw % 3 == 0 ? "alert" : "reminder")","title":"Hello"}"#
        case ..<85: return #""type":"points_earned","data":{"points":\#(draw)}"#
        case ..<95: return #""type":"app_opened","data":{}"#
        default:
            let words = ["daily", "weekly", "few_times_a_week"]
            return #""type":"preferences_changed","data":{"patch":{"frequency":"\#(words[Int(draw % 3)])"}}"#
        }
    }
}
