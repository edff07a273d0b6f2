import CivilTime
import Simulation
import Testing
import Worker

@Suite("The agenda")
struct AgendaTests {
    private let nine = Instant(milliseconds: 1_772_438_400_000)

    @Test func `within a millisecond people come in the order of their numbers`() {
        var agenda = Agenda(startingAt: nine)
        for person in [700, 3, 70_000, 64, 63] { agenda.set(person, nine.advanced(bySeconds: 5)) }
        #expect(agenda.earliest() == nine.advanced(bySeconds: 5))
        #expect(agenda.wakes(through: nine.advanced(byDays: 1)).map(\.person) == [3, 63, 64, 700, 70_000])
    }

    @Test func `who is set to now while now is given out comes in their place`() {
        var agenda = Agenda(startingAt: nine)
        for person in 5..<8 { agenda.set(person, nine.advanced(bySeconds: 1)) }
        #expect(agenda.next(through: .distantFuture)?.person == 5)
        agenda.set(2, nine)
        #expect(agenda.due(of: 2) == nine.advanced(bySeconds: 1))
        agenda.cancel(6)
        #expect(agenda.wakes(through: nine.advanced(bySeconds: 1)).map(\.person) == [2, 7])
    }

    @Test func `looking ahead does not hinder who comes in before what was seen`() {
        var agenda = Agenda(startingAt: nine)
        for person in 0..<100 { agenda.set(person, nine.advanced(byDays: 1).advanced(bySeconds: Int64(person))) }
        #expect(agenda.earliest() == nine.advanced(byDays: 1))
        agenda.set(500, nine.advanced(byMilliseconds: 1))
        #expect(agenda.next(through: nine, budget: 1) == .nothing(until: nine.advanced(byMilliseconds: 1)))
        #expect(agenda.wakes(through: nine.advanced(byHours: 1)).map(\.person) == [500])
        #expect(agenda.earliest() == nine.advanced(byDays: 1))
    }

    @Test func `a clock that went back wakes nobody again and nobody early (T7)`() {
        var agenda = Agenda(startingAt: nine)
        #expect(agenda.next(through: nine.advanced(byHours: 2)) == nil)
        agenda.set(1, nine)
        #expect(agenda.next(through: nine, budget: 1) == .nothing(until: nine.advanced(byHours: 2)))
        #expect(agenda.next(through: nine.advanced(byHours: 2), budget: 1) == .wake(person: 1, at: agenda.elapsed))
    }

    @Test func `never does not come, and is no end of the agenda`() {
        var agenda = Agenda(startingAt: nine)
        agenda.set(1, .distantFuture)
        #expect(agenda.next(through: .distantFuture) == nil)
        #expect(agenda.due(of: 1) == nil)
        agenda.set(2, nine)
        #expect(agenda.next(through: .distantFuture)?.person == 2)
    }
}

@Suite("The agenda with a million people")
struct AgendaCrowdTests {
    private let nine = Instant(milliseconds: 1_772_438_400_000)
    private let million = 1_000_000

    @Test func `a million due in one millisecond are never one long step`() {
        var agenda = Agenda(startingAt: nine)
        // Backwards, so that the order is the agenda's doing.
        for person in (0..<million).reversed() { agenda.set(person, nine.advanced(byDays: 3)) }
        // One more in the same days, so that the slot of them all has to be told apart.
        agenda.set(million, nine.advanced(byDays: 3).advanced(byMilliseconds: 1))
        expectInPieces(&agenda, through: nine.advanced(byDays: 4), count: million + 1)
    }

    @Test func `a million due within a day are never one long step`() {
        var random = SeededRandom(seed: 5)
        var agenda = Agenda(startingAt: nine)
        for person in 0..<million {
            agenda.set(person, nine.advanced(byMilliseconds: Int64.random(in: 0..<86_400_000, using: &random)))
        }
        expectInPieces(&agenda, through: nine.advanced(byDays: 1), count: million)
    }

    /// A step is a wake that is moved within the agenda. If a call took more than it was allowed, the number of calls
    /// would be smaller than the steps that all of them must have taken.
    private func expectInPieces(_ agenda: inout Agenda, through instant: Instant, count: Int) {
        let budget = 1_000
        var (woken, pieces, last) = (0, 0, (at: Instant.distantPast, person: -1))
        var isInOrder = true
        giving: while true {
            switch agenda.next(through: instant, budget: budget) {
            case .wake(let person, let at):
                isInOrder = isInOrder && (last.at < at || last.at == at && last.person < person)
                (woken, last) = (woken + 1, (at, person))
            case .more: pieces += 1
            case .nothing(let until):
                #expect(until == nil)
                break giving
            }
        }
        #expect(isInOrder)
        #expect(woken == count)
        #expect(pieces >= million / budget, "\(pieces) pieces are too few for \(budget) steps each")
        // Once a level at most, and once more into the order of numbers.
        #expect(pieces <= 12 * million / budget)
    }

    @Test func `the steps of a wake do not grow with the number of people`() {
        func steps(_ people: Int) -> Double {
            var random = SeededRandom(seed: 9)
            var agenda = Agenda(startingAt: nine)
            for person in 0..<people {
                agenda.set(person, nine.advanced(byMilliseconds: Int64.random(in: 0..<86_400_000, using: &random)))
            }
            var steps = 0
            while true {
                switch agenda.next(through: nine.advanced(byDays: 1), budget: 1) {
                case .wake: continue
                case .more: steps += 1
                case .nothing: return Double(steps) / Double(people)
                }
            }
        }
        let (few, many) = (steps(1_000), steps(200_000))
        #expect(many <= 6)
        #expect(many <= few + 3)
    }
}

extension Agenda {
    /// Everyone due up to an instant, in turn.
    fileprivate mutating func wakes(through instant: Instant) -> [(person: Int, at: Instant)] {
        var wakes: [(person: Int, at: Instant)] = []
        while let wake = next(through: instant) { wakes.append(wake) }
        return wakes
    }
}
