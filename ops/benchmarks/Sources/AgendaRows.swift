import CivilTime
import Worker

/// The agenda alone: what a wake costs to set, to move and to come, with few people and with many.
struct AgendaRows {
    let options: Options
    private let start = Instant(milliseconds: 1_772_438_400_000)
    private let day: UInt64 = 86_400_000

    init(options: Options) { self.options = options }

    func run(into table: inout Table) {
        say("agenda")
        var few: Double?
        for people in options.isQuick ? [10_000, 100_000] : [10_000, 1_000_000, 10_000_000] {
            let cost = spread(people)
            let growth = few.map { cost.wake / $0 }
            few = few ?? cost.wake
            table.add(
                "agenda, \(grouped(Double(people))) people within a day",
                "\(nanoseconds(cost.set)) a set, \(nanoseconds(cost.move)) a move, \(nanoseconds(cost.wake)) a wake and its next",
                ("set_seconds", cost.set), ("move_seconds", cost.move), ("wake_seconds", cost.wake))
            if let growth { table.add("— a wake beside that of 10,000 people", "\(ratio(growth)) ×") }
        }
        herd(options.isQuick ? 100_000 : 1_000_000, &table)
    }

    /// Wakes all over a day; then each is moved; then an hour passes, and everyone woken is set to the next day.
    private func spread(_ people: Int) -> (set: Double, move: Double, wake: Double) {
        var random = SplitMix(state: 7)
        let dues = (0..<people).map { _ in start.advanced(byMilliseconds: Int64(random.next() % day)) }
        let order = (0..<min(people, 1_000_000)).map { _ in Int(random.next() % UInt64(people)) }
        var agenda = Agenda(startingAt: start)
        let rounds = max(1, 1_000_000 / people)
        let begun = seconds()
        for round in 0..<rounds {
            if round > 0 { agenda = Agenda(startingAt: start) }
            for person in 0..<people { agenda.set(person, dues[person]) }
        }
        let isSet = seconds()
        for (place, person) in order.enumerated() { agenda.set(person, dues[place]) }
        let isMoved = seconds()
        var woken = 0
        let end = start.advanced(byHours: people < 100_000 ? 24 : 1)
        while let wake = agenda.next(through: end) {
            woken += 1
            agenda.set(wake.person, wake.at.advanced(byDays: 1))
        }
        let isDone = seconds()
        return (
            (isSet - begun) / Double(rounds * people), (isMoved - isSet) / Double(order.count),
            (isDone - isMoved) / Double(woken)
        )
    }

    /// Everyone due in the same millisecond, given out in pieces of a thousand steps.
    private func herd(_ people: Int, _ table: inout Table) {
        var agenda = Agenda(startingAt: start)
        for person in 0..<people { agenda.set(person, start.advanced(byHours: 8)) }
        agenda.set(people, start.advanced(byHours: 9))
        var longest = 0.0
        let begun = seconds()
        var last = begun
        giving: while true {
            switch agenda.next(through: start.advanced(byHours: 10), budget: 1_000) {
            case .nothing: break giving
            case .wake, .more:
                let now = seconds()
                longest = max(longest, now - last)
                last = now
            }
        }
        let took = seconds() - begun
        table.add(
            "agenda, \(grouped(Double(people))) people in one millisecond",
            "\(milliseconds(took)) for all of them, \(milliseconds(longest)) the longest that one call took",
            ("seconds", took), ("longest_seconds", longest))
    }
}
