import CivilTime
import Simulation
import Testing
import Worker

@Suite("The agenda against a sorted list")
struct AgendaPropertyTests {
    @Test(arguments: 0..<1_500) func `it gives the same wakes in the same order`(seed: UInt64) {
        var script = AgendaScript(seed: seed)
        script.play(steps: 120)
        script.playToTheEnd()
    }
}

/// A random life of an agenda: wakes set, moved and cancelled, also while others are being given out, and time that goes
/// on by milliseconds, hours and years.
private struct AgendaScript {
    private let seed: UInt64
    private var random: SeededRandom
    private let people: Int
    /// Some scripts ask in small pieces, the others in one go.
    private let budget: Int?
    private var now: Instant
    private var agenda: Agenda
    private var list: SortedWakes
    /// Said once, not at every step after it.
    private var isWrong = false
    /// Moments that many wakes are set to.
    private var herd: Instant

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        people = [3, 20, 70, 5_000].randomElement(using: &random) ?? 3
        budget = Bool.random(using: &random) ? Int.random(in: 1...6, using: &random) : nil
        let starts: [Int64] = [0, -1, 1_772_438_400_000, -62_135_596_800_000, .min, .max - 10_000, 63, 4095]
        now = Instant(milliseconds: starts.randomElement(using: &random) ?? 0)
        herd = now
        agenda = Agenda(startingAt: now)
        list = SortedWakes(startingAt: now)
        if Bool.random(using: &random) { beginWithEverybody() }
    }

    /// Near each other, many at the same moment, a few far away or due already, some never.
    private mutating func beginWithEverybody() {
        var wakes: [Instant] = []
        // Of thousands a few have a wake.
        if people > 1_000 {
            wakes = [Instant](repeating: .distantFuture, count: people)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                wakes[Int.random(in: 0..<people, using: &random)] = instant()
            }
            return begin(with: wakes)
        }
        for _ in 0..<Int.random(in: 0...min(people, 300), using: &random) {
            let near = now.advanced(byMilliseconds: Int64.random(in: 0..<100_000, using: &random))
            wakes.append(Int.random(in: 0..<4, using: &random) == 0 ? instant() : near)
        }
        begin(with: wakes)
    }

    private mutating func begin(with wakes: [Instant]) {
        agenda = Agenda(startingAt: now, of: wakes.count) { wakes[$0] }
        for (person, at) in wakes.enumerated() { list.set(person, at) }
    }

    mutating func play(steps: Int) {
        for _ in 0..<steps where !isWrong {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: set()
            case 5: cancel()
            case 6: burst()
            case 7: herd = now.advanced(byMilliseconds: distance())
            default: advance(to: now.advanced(byMilliseconds: max(0, distance())))
            }
            compare()
        }
    }

    /// Everything there is must come out.
    mutating func playToTheEnd() {
        while !isWrong, let last = list.wakes.last { advance(to: last.at, changing: false) }
        compare()
        #expect(agenda.count == 0, "seed \(seed)")
    }

    private mutating func distance() -> Int64 {
        let spans: [Int64] = [1, 64, 1_000, 60_000, 3_600_000, 86_400_000, 40 * 31_536_000_000, 1 << 61]
        let span = spans.randomElement(using: &random) ?? 1
        return Int64.random(in: -span / 8...span, using: &random)
    }

    private mutating func instant() -> Instant {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: herd
        case 2: .distantFuture
        case 3: list.wakes.randomElement(using: &random)?.at ?? now
        default: now.advanced(byMilliseconds: distance())
        }
    }

    private mutating func set() {
        let (person, at) = (Int.random(in: 0..<people, using: &random), instant())
        agenda.set(person, at)
        list.set(person, at)
    }

    private mutating func cancel() {
        let some = list.wakes.randomElement(using: &random)?.person
        let person = some ?? Int.random(in: 0..<people, using: &random)
        agenda.cancel(person)
        list.set(person, .distantFuture)
    }

    private mutating func burst() {
        let at = Bool.random(using: &random) ? herd : instant()
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let person = Int.random(in: 0..<people, using: &random)
            agenda.set(person, at)
            list.set(person, at)
        }
    }

    private mutating func advance(to instant: Instant, changing: Bool = true) {
        while true {
            let expected = list.next(through: instant)
            let given = next(through: instant)
            #expect(given.person == expected?.person, "seed \(seed)")
            #expect(given.at == expected?.at, "seed \(seed)")
            isWrong = given.person != expected?.person || given.at != expected?.at
            guard let expected, !isWrong else { break }
            now = expected.at
            guard changing else { continue }
            // Whoever was woken mostly has a next wake, and what they do may wake somebody else.
            for _ in 0..<Int.random(in: 0...2, using: &random) where list.wakes.count < 200 { set() }
        }
        now = max(now, instant)
    }

    private mutating func next(through instant: Instant) -> (person: Int?, at: Instant?) {
        guard let budget else {
            let wake = agenda.next(through: instant)
            return (wake?.person, wake?.at)
        }
        while true {
            switch agenda.next(through: instant, budget: budget) {
            case .wake(let person, let at): return (person, at)
            case .nothing(let until):
                #expect(until == list.earliest, "seed \(seed)")
                return (nil, nil)
            case .more:
                // Between two pieces others have their turn.
                if Int.random(in: 0..<20, using: &random) == 0 { setLater(than: instant) }
            }
        }
    }

    /// Only what does not change who is next, as the list was asked first.
    private mutating func setLater(than instant: Instant) {
        let at = instant.advanced(byMilliseconds: Int64.random(in: 1...100_000, using: &random))
        guard at < .distantFuture, let last = list.wakes.last, last.at > instant else { return }
        agenda.set(last.person, at)
        list.set(last.person, at)
    }

    private mutating func compare() {
        let earliest = agenda.earliest()
        #expect(earliest == list.earliest, "seed \(seed)")
        isWrong = isWrong || earliest != list.earliest
        #expect(agenda.count == list.wakes.count, "seed \(seed)")
        let person = Int.random(in: 0..<people, using: &random)
        #expect(agenda.due(of: person) == list.due(of: person), "seed \(seed)")
    }
}
