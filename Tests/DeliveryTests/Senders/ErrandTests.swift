import CivilTime
import Testing

@testable import Delivery

/// Codes for phones go past the jobs that wait, and within their sender's limits.
@Suite("N5 and N9, errands")
struct ErrandTests {
    private static let second = newYear.advanced(bySeconds: 1)

    /// A carrier for whom two jobs wait, and an errand that came last.
    private func plan(_ limits: SenderGate.Limits) -> DeliveryPlan {
        var plan = DeliveryPlan(sinks: [.init(name: "texts", window: 1)])
        plan.setLimits(limits, of: 0)
        plan.handOver([JobPlace(position: 0, seq: 1), JobPlace(position: 0, seq: 2)])
        plan.lineUp(errand: 7, at: 0)
        return plan
    }

    private func begin(_ plan: inout DeliveryPlan, at now: Instant = newYear) throws -> ErrandTurn {
        let turn = plan.nextErrand(at: now)
        return try #require(turn)
    }

    @Test func `one goes before the jobs, and takes the room of one`() throws {
        var plan = plan(.init(calls: 1))
        let turn = try begin(&plan)
        #expect(turn.errand == 7)
        #expect(plan.nextErrand(at: newYear) == nil && plan.nextAttempt(at: newYear) == nil)
        _ = plan.ended(turn, .taken(providerID: nil), at: newYear)
        #expect(plan.nextAttempt(at: newYear)?.place.seq == 1)
    }

    @Test func `it is one of the calls of its second`() {
        var plan = plan(.init(calls: 9, perSecond: 1))
        plan.lineUp(errand: 8, at: 0)
        #expect(plan.nextErrand(at: newYear)?.errand == 7)
        #expect(plan.nextErrand(at: newYear) == nil && plan.nextAttempt(at: newYear) == nil)
        #expect(plan.nextWake == Self.second)
        #expect(plan.nextErrand(at: Self.second)?.errand == 8)
    }

    @Test func `nobody is given one before the end of a pause that was asked for`() throws {
        var plan = plan(.init(calls: 9))
        plan.lineUp(errand: 8, at: 0)
        let turn = try begin(&plan)
        _ = plan.ended(turn, .wait(seconds: 20, reason: "answered 429", whom: .sender), at: newYear)
        #expect(plan.nextErrand(at: Self.second) == nil)
        #expect(plan.nextErrand(at: newYear.advanced(bySeconds: 20))?.errand == 8)
    }

    @Test func `its failures speak against the sender, and one that was given nothing does not`() throws {
        var plan = plan(.init(calls: 1))
        let failure = SenderVerdict.transient(reason: "could not be reached")
        for number in 0..<SenderGate.failuresMax {
            if number > 0 { plan.lineUp(errand: UInt64(number), at: 0) }
            let turn = try begin(&plan)
            #expect(!plan.standing(of: 0, at: newYear).isBroken)
            _ = plan.ended(turn, failure, at: newYear)
        }
        #expect(plan.standing(of: 0, at: newYear).isBroken)
        plan.lineUp(errand: 99, at: 0)
        let probe = newYear.advanced(bySeconds: 5)
        #expect(plan.nextErrand(at: newYear) == nil)
        let last = try begin(&plan, at: probe)
        #expect(last.errand == 99)
        // Whoever is down has failed with no one more than with those behind.
        #expect(plan.ended(last, failure, at: probe)?.told == failure.ofWhoIsDown.told)

        var other = self.plan(.init(calls: 1))
        let nothing = try begin(&other)
        #expect(other.ended(nothing, nil, at: newYear) == nil && other.nextAttempt(at: newYear) != nil)
    }

    @Test func `whoever stops begins none`() {
        var plan = plan(.init(calls: 9))
        plan.close()
        #expect(plan.nextErrand(at: newYear) == nil)
    }
}
