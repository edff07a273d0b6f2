import Shared
import SimulatedShared
import Simulation
import Synchronization
import Testing

@Suite("M2, M4: how far a worker trusts its lease")
struct LeaseTrustTests {
    private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: Int64(seconds * 1e9)) }

    @Test func `trust lasts from when the renewal was sent, whenever the answer came`() {
        var trust = LeaseTrust(.usual)
        #expect(!trust.mayDecide(at: at(0)))
        trust.renewed(sent: at(10), now: at(14.5))
        #expect(trust.mayDecide(at: at(14.999)))
        #expect(!trust.mayDecide(at: at(15)))
        trust.renewed(sent: at(12), now: at(14.9))
        #expect(trust.end == at(17))
        // An older one that was answered later takes nothing back.
        trust.renewed(sent: at(11), now: at(15))
        #expect(trust.end == at(17))
    }

    @Test func `a renewal whose answer came too late gives no trust`() {
        var trust = LeaseTrust(.usual)
        trust.renewed(sent: at(10), now: at(16))
        #expect(!trust.mayDecide(at: at(16)))
        #expect(trust.mustLook)
    }

    @Test func `after a lapse a renewal is not enough, the worker looks at what it owns`() {
        var trust = LeaseTrust(.usual)
        trust.renewed(sent: at(0), now: at(0))
        trust.renewed(sent: at(9), now: at(9))
        #expect(!trust.mayDecide(at: at(9)))
        #expect(trust.mustLook)
        // Asked before the renewal was confirmed: somebody may have taken a partition in between.
        trust.looked(asked: at(8.9), now: at(9.1))
        #expect(trust.mustLook)
        trust.looked(asked: at(9), now: at(9.1))
        #expect(trust.mayDecide(at: at(9.1)))
    }

    @Test func `a look that took longer than the lease is none`() {
        var trust = LeaseTrust(.usual)
        trust.renewed(sent: at(0), now: at(0))
        trust.renewed(sent: at(9), now: at(9))
        trust.looked(asked: at(9), now: at(14))
        #expect(trust.mustLook)
        trust.renewed(sent: at(15), now: at(15))
        trust.looked(asked: at(14.5), now: at(15.5))
        #expect(trust.mustLook)
    }

    @Test func `a worker that the database forgot never decides again`() {
        var trust = LeaseTrust(.usual)
        trust.renewed(sent: at(0), now: at(0))
        trust.gone()
        #expect(!trust.mayDecide(at: at(0)))
        trust.renewed(sent: at(1), now: at(1))
        trust.looked(asked: at(1), now: at(1))
        #expect(!trust.mayDecide(at: at(1)))
        #expect(trust.isOver)
    }

    @Test func `whoever ends its life by itself trusts its lease no longer`() throws {
        let lease = Lease(of: .random(), .usual) { BootInstant(nanoseconds: 0) }
        try lease.extend { () throws(SharedLogError) in true }
        #expect(lease.mayDecide && lease.unbrokenSince != nil)
        lease.end()
        #expect(!lease.mayDecide && lease.unbrokenSince == nil && lease.isOver)
        // A renewal that was under way changes nothing.
        try lease.extend { () throws(SharedLogError) in true }
        #expect(!lease.mayDecide)
    }

    /// A worker whose clock runs up to a tenth faster or slower than the database's, whose renewals and answers are late or
    /// are lost, and who is frozen now and then. Somebody else takes what it owns as soon as the database lets them.
    @Test(arguments: 0..<200) func `whoever may decide is still the owner`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func time(_ most: Double) -> Double { Double.random(in: 0...most, using: &random) }
        let rate = 0.9 + time(0.2)
        var trust = LeaseTrust(.usual)
        // In the database's seconds; the worker's own clock shows `rate` times as many.
        var now = 100.0
        var aliveUntil = 0.0
        var isOwner = true
        var decided = 0
        func own() -> BootInstant { at(now * rate) }
        func pass(_ seconds: Double) {
            now += seconds
            if now >= aliveUntil, aliveUntil > 0 { isOwner = false }
        }
        // Registered, which is answered at once; whoever's registration is not answered draws another id.
        aliveUntil = now + 6
        trust.renewed(sent: own(), now: own())
        for _ in 0..<400 {
            let sent = own()
            pass(time(0.5))
            if Double.random(in: 0..<1, using: &random) < 0.9 {
                aliveUntil = now + 6
                pass(time(random.next() % 8 == 0 ? 9 : 0.5))
                if random.next() % 10 != 0 { trust.renewed(sent: sent, now: own()) }
            }
            if random.next() % 3 == 0 {
                let asked = own()
                pass(time(0.3))
                // Whoever sees that it owns nothing any more takes it again, where it can: it is alive then.
                if now < aliveUntil { isOwner = true }
                pass(time(0.3))
                trust.looked(asked: asked, now: own())
            }
            for _ in 0..<4 {
                pass(time(random.next() % 20 == 0 ? 12 : 0.6))
                trust.lookForLapse(at: own())
                if trust.mayDecide(at: own()) {
                    decided += 1
                    #expect(isOwner, "seed \(seed), at \(now), alive until \(aliveUntil)")
                }
            }
        }
        #expect(decided > 0)
    }
}

@Suite("M4: the heartbeat")
struct HeartbeatTests {
    private final class Clock: Sendable {
        private let now = Mutex(BootInstant(nanoseconds: 0))
        var current: BootInstant { now.withLock { $0 } }
        func advance(by time: Duration) { now.withLock { $0 = $0 + time } }
    }

    @Test func `a beat renews, and one that is not answered leaves the lease to run out`() throws {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 1))
        let clock = Clock()
        let lease = Lease(of: .random(), .usual) { clock.current }
        let first = try database.connect(ConnectionTerms(worker: lease.worker))
        #expect(!lease.mayDecide)
        try lease.extend { () throws(SharedLogError) in
            try first.register(lease.worker, at: "http://a", for: lease.terms.lifetime)
            return true
        }
        #expect(lease.mayDecide)
        let heartbeat = Heartbeat(of: lease, askQueue: { $0() }) { () throws(SharedLogError) in
            try database.connect(ConnectionTerms(worker: lease.worker))
        }
        clock.advance(by: .seconds(4))
        database.advance(by: .seconds(4))
        #expect(heartbeat.beat() == .renewed)
        clock.advance(by: .seconds(4))
        database.advance(by: .seconds(4))
        #expect(lease.mayDecide)
        database.plan(.cutBefore, atMessage: database.messages + 1)
        #expect(heartbeat.beat() == .failed(.unknown("the connection broke")))
        clock.advance(by: .seconds(1))
        #expect(!lease.mayDecide)
        #expect(lease.mustLook)
        // It connects anew by itself.
        #expect(heartbeat.beat() == .renewed)
        #expect(!lease.mayDecide)
        let view = try lease.look { () throws(SharedLogError) in
            try first.view()
        } drop: { view in
            #expect(view.living.map(\.id) == [lease.worker])
            // What is dropped takes some time.
            clock.advance(by: .seconds(1))
            #expect(!lease.mayDecide, "others may have what is not dropped yet")
        }
        #expect(view.living.map(\.id) == [lease.worker])
        #expect(lease.mayDecide)
        try first.leave(lease.worker)
        #expect(heartbeat.beat() == .unknownWorker)
        #expect(lease.isOver)
        #expect(!lease.mayDecide)
    }

    @Test func `a worker whose queue stands still sends no renewal`() throws {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 1))
        let terms = LeaseTerms(lifetime: .milliseconds(60), margin: .milliseconds(10), interval: .milliseconds(20))
        let lease = Lease(of: .random(), terms) { .current }
        try database.connect(ConnectionTerms()).register(lease.worker, at: "http://a", for: .seconds(6))
        let before = database.messages
        let heartbeat = Heartbeat(of: lease, askQueue: { _ in }) { () throws(SharedLogError) in
            try database.connect(ConnectionTerms())
        }
        #expect(heartbeat.beat() == .queueStandsStill)
        #expect(database.messages == before)
    }
}
