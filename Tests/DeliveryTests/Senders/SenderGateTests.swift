import CivilTime
import Simulation
import Testing

@testable import Delivery

@Suite("N5, the limits of a sender")
struct SenderGateTests {
    /// A gate and the time at it.
    private final class World {
        var gate: SenderGate
        var now = newYear

        init(calls: Int = 100, perSecond: Int? = nil) { gate = SenderGate(.init(calls: calls, perSecond: perSecond)) }

        func enter(after milliseconds: Int64 = 0) -> SenderGate.Answer {
            now = now.advanced(byMilliseconds: milliseconds)
            return gate.enter(at: now)
        }

        func end(_ verdict: SenderVerdict) { gate.ended(verdict, at: now) }

        /// So many jobs, one after the other, each with this end.
        func go(_ count: Int, _ verdict: SenderVerdict) -> [SenderGate.Answer] {
            (0..<count).map { _ in
                let answer = enter()
                if answer == .go { end(verdict) }
                return answer
            }
        }
    }

    private let failure = SenderVerdict.transient(reason: "answered 500")

    @Test func `no more calls are under way than it may have`() {
        let world = World(calls: 2)
        #expect([world.enter(), world.enter(), world.enter()] == [.go, .go, .full])
        world.end(.taken(providerID: nil))
        #expect([world.enter(), world.enter()] == [.go, .full])
        world.gate.left()
        #expect(world.enter() == .go)
    }

    @Test func `no more calls begin in any second than it may have`() {
        let world = World(perSecond: 3)
        #expect([world.enter(), world.enter(after: 400), world.enter(after: 400)] == [.go, .go, .go])
        #expect(world.enter(after: 199) == .later(newYear.advanced(bySeconds: 1)))
        #expect(world.enter(after: 1) == .go)
        #expect(world.enter(after: 399) == .later(newYear.advanced(byMilliseconds: 1400)))
        // The clock was set back by a year: nobody waits for a year.
        #expect(world.enter(after: -365 * 86_400_000) == .go)
    }

    @Test func `nothing begins in a pause that the provider asked for`() {
        let world = World()
        _ = (world.enter(), world.enter())
        world.end(.wait(seconds: 30, reason: "answered 429", whom: .sender))
        world.end(.wait(seconds: 10, reason: "answered 429", whom: .sender))
        #expect(world.enter(after: 29_999) == .later(newYear.advanced(bySeconds: 30)))
        #expect(world.enter(after: 1) == .go)
        world.end(.wait(seconds: 30, reason: "answered 429", whom: .address))
        #expect(world.enter() == .go)
        world.end(.wait(seconds: 1_000_000, reason: "answered 503", whom: .sender))
        #expect(world.enter(after: 3_600_000) == .go)
    }

    @Test func `after twenty failures in a row it is tried with one job at a time until one succeeds`() {
        let world = World()
        #expect(world.go(19, failure) == Array(repeating: .go, count: 19))
        #expect(!world.gate.isBroken)
        #expect(world.go(1, failure) == [.go])
        #expect(world.gate.isBroken)
        #expect(world.enter() == .later(newYear.advanced(bySeconds: 5)))
        #expect([world.enter(after: 5000), world.enter()] == [.go, .full])
        world.end(failure)
        #expect(world.enter(after: 9999) == .later(newYear.advanced(bySeconds: 15)))
        #expect([world.enter(after: 1), world.enter()] == [.go, .full])
        world.end(.taken(providerID: nil))
        #expect(!world.gate.isBroken)
        #expect([world.enter(), world.enter(), world.enter()] == [.go, .go, .go])
    }

    @Test func `what was under way when it was left alone makes no pause longer`() {
        let world = World()
        for _ in 0..<60 { #expect(world.enter() == .go) }
        for _ in 0..<60 { world.end(failure) }
        #expect(world.enter() == .later(newYear.advanced(bySeconds: 5)))
        #expect(world.enter(after: 5000) == .go)
        world.end(failure)
        #expect(world.enter() == .later(newYear.advanced(bySeconds: 15)))
    }

    @Test func `between two that are tried there is a minute at most`() {
        let world = World()
        _ = world.go(20, failure)
        var pauses: [Int64] = []
        for _ in 0..<7 {
            guard case .later(let due) = world.enter() else { break }
            pauses.append(due.milliseconds(since: world.now) / 1000)
            world.now = due
            _ = world.enter()
            world.end(failure)
        }
        #expect(pauses == [5, 10, 20, 40, 60, 60, 60])
    }

    @Test func `what is about an address says nothing against the sender`() {
        for kind in [
            SenderVerdict.dead(reason: ""), .stopped(reason: ""), .final(reason: ""), .taken(providerID: nil),
            .misconfigured(.init("", cure: "", whom: .address)), .wait(seconds: 1, reason: "", whom: .address),
            .transient(reason: "", whom: .address), .misconfigured(.init("", cure: "", whom: .some)),
        ] {
            let world = World()
            _ = world.go(50, kind)
            #expect(!world.gate.isBroken, "\(kind)")
            #expect(world.enter() == .go)
        }
        for kind in [failure, .misconfigured(.init("", cure: "")), .renew(reason: "")] {
            let world = World()
            _ = world.go(20, kind)
            #expect(world.gate.isBroken, "\(kind)")
        }
    }

    @Test func `a dead address shows that the provider is there, a message that cannot be made does not`() {
        let world = World()
        _ = world.go(19, failure)
        _ = world.go(1, .dead(reason: ""))
        _ = world.go(19, failure)
        #expect(!world.gate.isBroken)
        _ = world.go(1, .final(reason: "the job's data is too long"))
        _ = world.go(1, failure)
        #expect(world.gate.isBroken)
    }

    @Test(arguments: 0..<200) func `whatever happens it keeps its limits, and never stands still for ever`(seed: UInt64)
    {
        var chance = SeededRandom(seed: seed)
        let calls = Int.random(in: 1...8, using: &chance)
        let perSecond = Bool.random(using: &chance) ? Int.random(in: 1...5, using: &chance) : nil
        let world = World(calls: calls, perSecond: perSecond)
        let verdicts: [SenderVerdict] = [
            failure, failure, .taken(providerID: nil), .dead(reason: ""), .wait(seconds: 7, reason: "", whom: .sender),
        ]
        var underWay = 0
        var begun: [Instant] = []
        for _ in 0..<400 {
            switch world.enter(after: Int64.random(in: 0...400, using: &chance)) {
            case .go:
                underWay += 1
                begun.append(world.now)
            case .later(let due):
                #expect(due > world.now && due <= world.now.advanced(bySeconds: 60))
            case .full:
                #expect(underWay > 0)
            }
            #expect(underWay <= calls)
            if let perSecond {
                #expect(begun.filter { $0 > world.now.advanced(bySeconds: -1) }.count <= perSecond)
            }
            if underWay > 0, Bool.random(using: &chance) {
                underWay -= 1
                world.end(verdicts.randomElement(using: &chance) ?? failure)
            }
        }
    }
}

@Suite("N5, the tries of a job at an address")
struct SenderTriesTests {
    /// A job at an address.
    private final class Job {
        var tries = SenderTries()

        func next(_ verdict: SenderVerdict, notAfter: Instant? = nil, at now: Instant = newYear) -> SenderTries.Next {
            tries.next(after: verdict, key: "j/phone", notAfter: notAfter, at: now)
        }
    }

    @Test func `what somebody can mend for some of the addresses is tried again, and what is one's own is not`() {
        for whom in [SenderVerdict.Whom.sender, .some] {
            guard case .again = Job().next(.misconfigured(.init("answered 401", cure: "", whom: whom))) else {
                Issue.record("given up: \(whom)")
                return
            }
        }
        let own = SenderVerdict.misconfigured(.init("answered 403", cure: "", whom: .address))
        #expect(Job().next(own) == .failed(reason: "answered 403"))
    }

    @Test func `there are five`() {
        let job = Job()
        var now = newYear
        for _ in 0..<4 {
            guard case .again(let due) = job.next(.transient(reason: "answered 500"), at: now) else {
                Issue.record("given up early")
                return
            }
            #expect(due > now)
            now = due
        }
        let last = job.next(.transient(reason: "answered 500"), at: now)
        #expect(last == .failed(reason: "answered 500, 5 tries"))
        #expect(job.tries.count == 5)
    }

    @Test func `waits use up none, and end with not_after or a day`() {
        let job = Job()
        let wait = SenderVerdict.wait(seconds: 60, reason: "answered 429", whom: .sender)
        for _ in 0..<50 {
            guard case .again = job.next(wait) else {
                Issue.record("given up early")
                return
            }
        }
        let late = job.next(wait, notAfter: newYear.advanced(bySeconds: 59))
        #expect(late == .failed(reason: "answered 429, 51 tries before not_after"))
        let tired = job.next(wait, at: newYear.advanced(byHours: 24))
        #expect(tired == .failed(reason: "answered 429, 52 tries in 24 h"))
    }

    @Test func `what may pass of an address uses up its tries, also while its sender is down`() {
        let full = SenderVerdict.transient(reason: "answered 452 4.2.2", whom: .address)
        #expect(full.ofWhoIsDown == full)
        let job = Job()
        for _ in 0..<4 { _ = job.next(full) }
        let last = job.next(full)
        #expect(last == .failed(reason: "answered 452 4.2.2, 5 tries"))
    }

    @Test func `nothing is tried again after not_after`() {
        let job = Job()
        let end = job.next(.transient(reason: "answered 500"), notAfter: newYear.advanced(bySeconds: 1))
        #expect(end == .failed(reason: "answered 500, 1 try before not_after"))
    }

    @Test func `an end is an end`() {
        let job = Job()
        #expect(job.next(.taken(providerID: "x")) == .taken(providerID: "x"))
        #expect(job.next(.dead(reason: "r")) == .dead(reason: "r"))
        #expect(job.next(.stopped(reason: "r")) == .stopped(reason: "r"))
        #expect(job.next(.final(reason: "r")) == .failed(reason: "r"))
        #expect(job.next(.misconfigured(.init("r", cure: "", whom: .address))) == .failed(reason: "r"))
        guard case .again = job.next(.misconfigured(.init("r", cure: ""))) else {
            Issue.record("the operator had no time to mend it")
            return
        }
    }
}
