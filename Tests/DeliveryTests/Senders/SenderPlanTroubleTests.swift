import CivilTime
import Notices
import Testing

@testable import Delivery

/// What waits for a sender that is down, and for a device that has moved.
extension SenderPlanTests {
    // MARK: Others' trouble

    @Test mutating func `a sender that fails is tried with one job at a time, and no other waits for it`() {
        var now = newYear
        plan.handOver((1...60).map { JobPlace(position: $0, seq: $0) })
        while let job = plan.nextUnsorted(at: now) {
            let target = job.place.seq % 2 == 0 ? device(job.place.seq) : mail
            plan.sorted(
                job, order(job.place.seq),
                [RoutePlan(channels: [target == mail ? .email : .push], targets: [target])], at: now)
        }
        var mails = 0
        for _ in 0..<40 {
            for attempt in attempts(at: now) {
                let order = order(attempt.place.seq)
                if attempt.sink == email {
                    mails += 1
                    plan.settle(attempt, order, SenderVerdict.taken(providerID: nil), at: now)
                } else {
                    plan.settle(attempt, order, .transient(reason: "answered 503"), at: now)
                }
            }
            _ = facts(at: now)
        }
        #expect(mails == 30)
        #expect(plan.standing(of: push, at: newYear).isBroken && !plan.standing(of: email, at: newYear).isBroken)
        now = now.advanced(bySeconds: 6)
        #expect(attempts(at: now).count == 1)
    }

    @Test(arguments: [
        SenderVerdict.transient(reason: "answered 503"),
        .misconfigured(.init("answered 401", cure: "look at the key")),
    ])
    mutating func `whoever is sent ahead to one that is down waits like the others (N5)`(down: SenderVerdict) throws {
        let end = newYear.advanced(byHours: 3)
        let limit = newYear.advanced(byHours: 1)
        plan.handOver((1...40).map { JobPlace(position: $0, seq: $0) })
        while let job = plan.nextUnsorted(at: newYear) {
            let order = order(job.place.seq, notAfter: job.place.seq == 40 ? limit : nil)
            plan.sorted(job, order, [RoutePlan(channels: [.push], targets: [device(job.place.seq)])], at: newYear)
        }
        var (now, tries, told) = (newYear, 0, [(at: Instant, fact: Fact)]())
        while plan.unfinished > 0 {
            while let attempt = plan.nextAttempt(at: now) {
                let order = order(attempt.place.seq, notAfter: attempt.place.seq == 40 ? limit : nil)
                guard plan.maySend(attempt, order, at: now) else { continue }
                tries += 1
                plan.settle(attempt, order, now < end ? down : .taken(providerID: nil), at: now)
            }
            told += facts(at: now).map { (now, $0) }
            guard let wake = plan.nextWake else { break }
            now = max(wake, now)
        }
        #expect(tries > 200, "it was tried all the time")
        let lost = told.filter { $0.fact.outcome.contains("failed") }
        #expect(lost.count == 1 && told.count == 40)
        let one = try #require(lost.first)
        #expect(one.fact.outcome.hasPrefix("\(order(40).id) push failed"), "\(one.fact.outcome)")
        #expect(one.at > limit.advanced(byMinutes: -2) && one.at < end)
        #expect(now < end.advanced(bySeconds: 90))
    }

    /// Has a sender fail until it is tried with one job at a time, with so many that it has not come to.
    private mutating func breakPush(_ count: UInt64, _ order: (UInt64) -> Order, spare: [Channel]) {
        plan.handOver((1...count).map { JobPlace(position: $0, seq: $0) })
        while let job = plan.nextUnsorted(at: newYear) {
            let route = RoutePlan(channels: [.push], targets: [device(job.place.seq)], spare: spare)
            plan.sorted(job, order(job.place.seq), [route], at: newYear)
        }
        while let attempt = plan.nextAttempt(at: newYear) {
            plan.settle(attempt, order(attempt.place.seq), .transient(reason: "answered 503"), at: newYear)
        }
    }

    /// Wakes once, and whoever is tried fails; `nil` where nothing more is due by then.
    private mutating func goOn(from now: Instant, to end: Instant, _ order: (UInt64) -> Order) -> Instant? {
        guard let wake = plan.nextWake, wake < end else { return nil }
        let now = max(now, wake)
        while let attempt = plan.nextAttempt(at: now) {
            let order = order(attempt.place.seq)
            guard plan.maySend(attempt, order, at: now) else { continue }
            plan.settle(attempt, order, .transient(reason: "answered 503"), at: now)
        }
        return now
    }

    @Test mutating func `what a sender that is down does not come to gives way while there is time for it (N4, N5)`() {
        let limit = newYear.advanced(byMinutes: 10)
        func late(_ seq: UInt64) -> Order { order(seq, notAfter: seq > 397 ? limit : nil) }
        breakPush(400, late, spare: [.email])
        #expect(plan.standing(of: push, at: newYear).isBroken)
        _ = facts()
        var (now, gone) = (newYear, [UInt64: Instant]())
        while gone.count < 3, let wake = goOn(from: now, to: limit.advanced(byMinutes: 10), late) {
            now = wake
            while let job = plan.nextUnsorted(at: now) {
                #expect(job.channel == .email)
                gone[job.place.seq] = now
                plan.sorted(job, late(job.place.seq), [RoutePlan(channels: [.email], targets: [mail])], at: now)
            }
        }
        #expect(Set(gone.keys) == [398, 399, 400], "none of them was tried")
        #expect(gone.values.allSatisfy { $0 <= limit && $0 >= limit.advanced(bySeconds: -61) }, "\(gone)")
    }

    @Test mutating func `without another channel it fails when its time is over, and not minutes later (N5)`() {
        let limit = newYear.advanced(byMinutes: 10)
        func late(_ seq: UInt64) -> Order { order(seq, notAfter: seq > 397 ? limit : nil) }
        breakPush(400, late, spare: [])
        _ = facts()
        var (now, told) = (newYear, [(Instant, String)]())
        while told.count < 3, let wake = goOn(from: now, to: limit.advanced(byMinutes: 10), late) {
            now = wake
            told += facts(at: now).map { (now, $0.outcome) }
        }
        #expect(told.count == 3)
        for (at, outcome) in told {
            #expect(at >= limit.advanced(bySeconds: -61) && at <= limit.advanced(bySeconds: 2), "\(at) \(outcome)")
            #expect(outcome.contains("too_late") || outcome.contains("before not_after"), "\(outcome)")
        }
    }

    // MARK: Tests, which somebody waits for

    @Test mutating func `a test goes before all that waits, as soon as there is room (N5, N8)`() throws {
        var job = sampleOrder().job
        job.isTest = true
        let test = try #require(Order(Event(seq: 9, at: newYear, user: "anna", payload: .jobEmitted(job))))
        func order(_ place: JobPlace) -> Order {
            place.seq == 9 ? test : DeliveryTests.order(place.seq, channels: [.email])
        }
        var first: [Attempt] = []
        for seqs in [1...8, 9...9] as [ClosedRange<UInt64>] {
            plan.handOver(seqs.map { JobPlace(position: $0, seq: $0) })
            while let next = plan.nextUnsorted(at: newYear) {
                let route = RoutePlan(channels: [.email], targets: [mail])
                plan.sorted(next, order(next.place), [route], at: newYear)
            }
            first += attempts()
        }
        // No more may be under way.
        #expect(first.map(\.place.seq) == [1, 2, 3, 4])
        plan.settle(first[0], order(first[0].place), .transient(reason: "answered 451"), at: newYear)
        // What is to be tried again does not go before it either.
        let later = newYear.advanced(bySeconds: 5)
        var seen: [UInt64] = []
        for _ in 0..<3 {
            for attempt in attempts(at: later) {
                seen.append(attempt.place.seq)
                plan.settle(attempt, order(attempt.place), SenderVerdict.taken(providerID: nil), at: later)
            }
        }
        #expect(seen == [9, 1, 5])
    }

    // MARK: Channels that are given another sort of sender while a job waits

    private mutating func hook(_ name: String) -> Target {
        Target(carrier: plan.add(Carrier(name: name, limits: .init(calls: 1))), address: .sink)
    }

    @Test mutating func `a mail goes back and forth with the document that names who takes it (N1)`() {
        let order = order(1, channels: [.email])
        let hook = hook("email.webhook")
        var tries = begin(order, RoutePlan(channels: [.email], targets: [mail]))
        for place in [hook, mail, hook, mail] {
            plan.settleGone(tries[0], order, "gone", insteadOfIt: [place], at: newYear)
            tries = attempts()
            #expect(tries.map(\.target) == [place])
            guard tries.count == 1 else { return }
        }
        plan.settle(tries[0], order, SenderVerdict.taken(providerID: "Q1"), at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) email delivered as Q1"])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `a push that comes back from a sink rings all devices that live (N1, N2)`() {
        let order = order(1)
        let hook = hook("push.webhook")
        let devices = [named("phone", 1), named("pad", 2), named("watch", 3)]
        let first = begin(order, RoutePlan(channels: [.push], targets: devices))
        plan.settle(first[2], order, .dead(reason: "answered 410"), at: newYear)
        for attempt in first.prefix(2) { plan.settleGone(attempt, order, "gone", insteadOfIt: [hook], at: newYear) }
        let away = attempts()
        #expect(away.map(\.target) == [hook], "it is one job there")
        // That the watch is dead is not in the log yet.
        plan.settleGone(away[0], order, "gone", insteadOfIt: devices, at: newYear)
        let back = attempts()
        #expect(back.map(\.target) == [named("phone", 1), named("pad", 2)])
        for attempt in back { plan.settle(attempt, order, SenderVerdict.taken(providerID: nil), at: newYear) }
        #expect(facts().map { "\($0.payload.type.name)" } == ["device_removed", "job_delivered"])
        #expect(plan.unfinished == 0)
    }

    // MARK: Devices that register anew while a job waits

    private func named(_ name: String, _ registration: UInt64) -> Target {
        Target(carrier: push, address: .device(name: name, registration: registration))
    }

    @Test mutating func `a device that registers anew while its push waits gets it there (N2)`() throws {
        let order = order(1)
        let first = begin(order, RoutePlan(channels: [.push], targets: [named("phone", 1), named("pad", 2)]))
        plan.settle(first[0], order, .transient(reason: "answered 503"), at: newYear)
        plan.settle(first[1], order, SenderVerdict.taken(providerID: nil), at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push delivered"])
        let later = newYear.advanced(bySeconds: 5)
        let again = attempts(at: later)
        // Both apps were started in between, and a third device is there.
        plan.settleGone(
            again[0], order, "gone", insteadOfIt: [named("phone", 3), named("pad", 4), named("watch", 5)], at: later)
        let moved = attempts(at: later)
        #expect(moved.map(\.target) == [named("phone", 3), named("watch", 5)], "the pad has it")
        for attempt in moved { plan.settle(attempt, order, SenderVerdict.taken(providerID: nil), at: later) }
        #expect(facts(at: later).isEmpty && plan.unfinished == 0)
    }

    @Test mutating func `a push to a device that is dead and was registered anew meanwhile goes there (N2)`() {
        let order = order(1)
        let first = begin(order, RoutePlan(channels: [.push], targets: [named("phone", 1), named("pad", 2)]))
        let here = [named("phone", 3), named("pad", 2)]
        plan.settle(first[0], order, .dead(reason: "answered 410"), insteadOfIt: here, at: newYear)
        let second = attempts()
        #expect(second.map(\.target) == [named("phone", 3)])
        // Of the same registration there is no other.
        plan.settle(first[1], order, .dead(reason: "answered 410"), insteadOfIt: here, at: newYear)
        plan.settle(second[0], order, SenderVerdict.taken(providerID: nil), at: newYear)
        let told = facts()
        #expect(told.map { "\($0.payload.type.name)" } == ["device_removed", "device_removed", "job_delivered"])
        #expect(told.last?.outcome == "\(order.id) push delivered")
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `what becomes of a push that went to other devices is theirs, and without any it fails (N2)`()
        throws
    {
        let order = order(1)
        let first = begin(order, RoutePlan(channels: [.push], targets: [named("phone", 1)], spare: [.email]))
        plan.settleGone(first[0], order, "gone", insteadOfIt: [named("phone", 2)], at: newYear)
        let second = attempts()
        #expect(second.map(\.target) == [named("phone", 2)])
        // The same registration is no other address.
        plan.settleGone(second[0], order, "gone", insteadOfIt: [named("phone", 2)], at: newYear)
        #expect(attempts().isEmpty)
        let next = plan.nextUnsorted(at: newYear)
        let job = try #require(next)
        plan.sorted(job, order, [RoutePlan(channels: [.email], targets: [], whyNone: "no email")], at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push failed: gone", "\(order.id) email failed: no email"])
        #expect(plan.unfinished == 0)
    }
}
