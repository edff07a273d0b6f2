import CivilTime
import Notices
import Simulation
import Testing
import Worker

@Suite("People in a snapshot")
struct KeptPeopleTests {
    private final class Told {
        var all: [Chronicle.Commit] = []
    }

    private static func histories(_ seeds: Range<UInt64>) -> [RandomHistory] {
        ShippedPolicies.names.flatMap { policy in
            seeds.map { RandomHistory(RandomHistory.Recipe(seed: $0, policy: policy)) }
        }
    }

    @Test func `come back as they were, and decide what they would have decided (G1, G2)`() throws {
        for history in Self.histories(1000..<1060) {
            let seed = "\(history.recipe.policy), seed \(history.recipe.seed)"
            var random = SeededRandom(seed: history.recipe.seed)
            let count = Int.random(in: 0...history.commits.count, using: &random)
            var fault: KeptFault?
            let resumed = history.resumed(after: count) { register in
                let kept = KeptPeople(register.withWakes())
                do throws(KeptFault) {
                    let again = try kept.register(like: register)
                    #expect(KeptPeople(again) == kept, "\(seed): written again")
                    for (was, now) in zip(register.people, again.people) {
                        #expect(described(was) == described(now), "\(seed)")
                        #expect(now.earliestWake(again.plan) == was.nextWake, "\(seed)")
                    }
                    return again
                } catch {
                    fault = error
                    return register
                }
            }
            #expect(fault == nil, "\(seed)")
            let difference = firstDifference(printed(history.commits.dropFirst(count)), printed(resumed))
            if let difference {
                Issue.record("\(seed), after \(count) commits: \(difference)")
                return
            }
        }
    }

    /// Facts that were appended while no worker ran: what they raised waits to be decided.
    @Test func `come back with what nobody has decided yet (G5)`() throws {
        var decisions = 0
        for history in Self.histories(1100..<1120) {
            func register() -> Register {
                var register = Register(history.plan)
                for event in history.events where event.isFact { register.fold(event) }
                return register.withWakes()
            }
            func decided(from register: Register) -> [Chronicle.Commit] {
                let told = Told()
                var chronicle = Chronicle(resuming: register, at: history.end, nextSequence: 1) { told.all.append($0) }
                chronicle.wind(to: history.end.advanced(byDays: 1))
                return told.all
            }
            let kept = try KeptPeople(register()).register(like: register())
            for (was, now) in zip(register().people, kept.people) { #expect(described(was) == described(now)) }
            let expected = printed(decided(from: register()))
            decisions += expected.count
            #expect(firstDifference(expected, printed(decided(from: kept))) == nil, "seed \(history.recipe.seed)")
        }
        #expect(decisions > 100)
    }

    @Test func `who changed nothing takes 48 bytes, and shares their preferences`() throws {
        let plan = ShippedPlans["standard"]
        var register = Register(plan)
        let count = PeopleChunk.size + 10
        for number in 0..<count { _ = register.number(enrolling: "u\(number)", at: Instant(milliseconds: 1)) }
        let kept = KeptPeople(register)
        #expect(kept.chunks.map(\.count) == [8 + PeopleChunk.size * 48, 8 + 10 * 48])
        #expect(kept.zones == ["UTC"])
        let people = try kept.people(count, plan)
        #expect(people.allSatisfy { $0.preferences === register.someone.preferences && !$0.hasDetails })
    }

    /// The checksums would tell long before; yet whatever the bytes are, reading them ends with a person or an error.
    @Test func `any bytes at all are read or refused`() {
        var random = SeededRandom(seed: 9)
        var refused = 0
        for history in Self.histories(2000..<2004) {
            var register = Register(history.plan)
            for event in history.events { register.fold(event) }
            let kept = KeptPeople(register)
            guard let whole = kept.chunks.first else { continue }
            for _ in 0..<400 {
                var broken = kept
                switch Int.random(in: 0..<3, using: &random) {
                case 0: broken.chunks[0] = Array(whole.prefix(.random(in: 0..<whole.count, using: &random)))
                case 1: broken.chunks[0] = whole + [.random(in: 0...255, using: &random)]
                default:
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        broken.chunks[0][.random(in: 0..<whole.count, using: &random)] = .random(
                            in: 0...255, using: &random)
                    }
                }
                do {
                    let again = try broken.register(like: register)
                    _ = KeptPeople(again)
                } catch {
                    refused += 1
                }
            }
        }
        // A cut or a longer one is always refused, a changed instant never.
        #expect(refused > 4000)
    }
}
