import CivilTime
import Notices
import Testing

@testable import Delivery

@Suite("N2–N5, jobs and their senders")
struct SenderPlanTests {
    var plan = DeliveryPlan(sinks: [.init(name: "spool", window: 8)], mustSort: true)
    let push: Int
    let email: Int

    init() {
        push = plan.add(Carrier(name: "apns", limits: .init(calls: 4)))
        email = plan.add(Carrier(name: "smtp", limits: .init(calls: 4)))
    }

    func device(_ number: UInt64) -> Target {
        Target(carrier: push, address: .device(name: "d\(number)", registration: number))
    }

    var mail: Target { Target(carrier: email, address: .email) }

    /// Sorts the next job and gives what it may try.
    mutating func begin(_ order: Order, _ routes: RoutePlan...) -> [Attempt] {
        plan.handOver([order.place])
        guard let job = plan.nextUnsorted(at: newYear) else { return [] }
        plan.sorted(job, order, routes, at: newYear)
        return attempts()
    }

    mutating func attempts(at now: Instant = newYear) -> [Attempt] {
        var all: [Attempt] = []
        while let attempt = plan.nextAttempt(at: now) { all.append(attempt) }
        return all
    }

    mutating func facts(at now: Instant = newYear) -> [Fact] {
        guard let facts = plan.offer(at: now) else { return [] }
        plan.offered(isRecorded: true, at: now)
        return facts
    }

    @Test mutating func `a channel has it when the first of its devices has it, and the others are tried on`() {
        let order = order(1)
        let tries = begin(order, RoutePlan(channels: [.push], targets: [device(1), device(2)]))
        #expect(tries.count == 2)
        plan.settle(tries[0], order, .transient(reason: "answered 503"), at: newYear)
        #expect(facts().isEmpty)
        plan.settle(tries[1], order, SenderVerdict.taken(providerID: "x2"), at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push delivered as x2"])
        #expect(plan.unfinished == 1)
        let later = newYear.advanced(bySeconds: 10)
        let again = attempts(at: later)
        #expect(again.map(\.target) == [device(1)])
        plan.settle(again[0], order, SenderVerdict.taken(providerID: "x1"), at: later)
        #expect(facts(at: later).isEmpty && plan.unfinished == 0)
    }

    @Test mutating func `a channel that was stopped is left out of what a sink is given, and has its own outcome (N6)`()
    {
        let order = order(1, channels: [.push, .email])
        let hook = plan.add(Carrier(name: "all.stdout", limits: .init(calls: 1)))
        let tries = begin(
            order, RoutePlan(channels: [.push, .email], targets: [Target(carrier: hook, address: .sink)]))
        #expect(plan.channels(of: tries[0]) == [.push, .email])
        plan.leaveOut(.email, tries[0], order, "the person has switched email off")
        #expect(facts().map(\.outcome) == ["\(order.id) email failed: the person has switched email off"])
        #expect(plan.channels(of: tries[0]) == [.push])
        plan.settle(tries[0], order, SenderVerdict.taken(providerID: nil), at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push delivered"])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `each channel of a job has its own outcome, at its own time`() {
        let order = order(1, channels: [.push, .email, .inApp])
        let tries = begin(
            order, RoutePlan(channels: [.inApp], targets: [Target(carrier: 0, address: .sink)]),
            RoutePlan(channels: [.push], targets: [device(1)]), RoutePlan(channels: [.email], targets: [mail]))
        #expect(Set(tries.map(\.sink)) == [0, push, email])
        for attempt in tries where attempt.sink == email {
            plan.settle(attempt, order, SenderVerdict.taken(providerID: "Q1"), at: newYear)
        }
        #expect(facts().map(\.outcome) == ["\(order.id) email delivered as Q1"])
        for attempt in tries where attempt.sink == 0 {
            plan.settle(attempt, order, SinkOutcome.refused(reason: "answered 410"), at: newYear)
        }
        #expect(facts().map(\.outcome) == ["\(order.id) in_app failed: spool answered 410"])
        for attempt in tries where attempt.sink == push {
            plan.settle(attempt, order, SenderVerdict.final(reason: "answered 413"), at: newYear)
        }
        #expect(facts().map(\.outcome) == ["\(order.id) push failed: apns answered 413"])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `a device that several jobs find dead is told once, and once more when it dies again (N3)`() {
        func removals(_ facts: [Fact]) -> Int {
            facts.count { if case .deviceRemoved = $0.payload { true } else { false } }
        }
        var told = 0
        for (seq, registration) in [(1, 1), (2, 1), (3, 1), (4, 7)] as [(UInt64, UInt64)] {
            let order = order(seq)
            let tries = begin(order, RoutePlan(channels: [.push], targets: [device(registration)]))
            plan.settle(tries[0], order, .dead(reason: "answered 410 Unregistered"), at: newYear)
            let facts = facts()
            told += removals(facts)
            #expect(facts.map(\.outcome).contains { $0.hasSuffix("apns answered 410 Unregistered for ever") })
        }
        #expect(told == 2)
        var once = ToldOnce<Int>(most: 2)
        #expect([1, 2, 1, 3, 1, 3].map { once.insert($0) } == [true, true, false, true, true, false])
    }

    @Test mutating func `a dead address is a fact of its own, of that registration alone`() throws {
        let order = order(1)
        let tries = begin(order, RoutePlan(channels: [.push], targets: [device(7)]))
        plan.settle(tries[0], order, .dead(reason: "answered 410 Unregistered"), at: newYear)
        let facts = facts()
        guard case .deviceRemoved(let removed)? = facts.first?.payload else {
            Issue.record("no device is removed")
            return
        }
        #expect(removed.device.text == "d7" && removed.registration == 7)
        #expect(removed.reason?.text == "apns answered 410 Unregistered")
        guard case .jobFailed(let failed)? = facts.last?.payload else {
            Issue.record("the job has no outcome")
            return
        }
        #expect(failed.channel == .push && failed.isPermanent)
    }

    @Test mutating func `someone who told the provider to stop is unsubscribed`() {
        let order = order(1, channels: [.sms])
        let sms = plan.add(Carrier(name: "twilio", limits: .init(calls: 1)))
        let tries = begin(
            order, RoutePlan(channels: [.sms], targets: [Target(carrier: sms, address: .phone)]))
        plan.settle(tries[0], order, .stopped(reason: "answered 400 21610"), at: newYear)
        guard case .unsubscribed(let word)? = facts().first?.payload else {
            Issue.record("nobody is unsubscribed")
            return
        }
        #expect(word.channel == .sms && word.how == .stop && word.kind == nil)
    }

    @Test mutating func `that it is too late is nobody's doing, and does not give way`() {
        let order = order(1, channels: [.email], notAfter: newYear)
        let tries = begin(order, RoutePlan(channels: [.email], targets: [mail], spare: [.sms]))
        plan.settle(tries[0], order, .tooLate, at: newYear.advanced(byMilliseconds: 1))
        guard case .jobFailed(let failed)? = facts().first?.payload else {
            Issue.record("the job has no outcome")
            return
        }
        #expect(failed.reason.text == "too_late")
    }

    // MARK: Giving way

    @Test mutating func `without a device push gives way to the next channel, and it is the same job`() {
        let order = order(1)
        let none = RoutePlan(channels: [.push], targets: [], spare: [.email, .sms], whyNone: "no device is registered")
        #expect(begin(order, none).isEmpty)
        #expect(facts().isEmpty)
        guard let job = plan.nextUnsorted(at: newYear) else {
            Issue.record("it does not give way")
            return
        }
        #expect(job.channel == .email)
        plan.sorted(job, order, [RoutePlan(channels: [.email], targets: [mail])], at: newYear)
        let tries = attempts()
        plan.settle(tries[0], order, SenderVerdict.taken(providerID: "Q1"), at: newYear)
        #expect(
            facts().map(\.outcome) == [
                "\(order.id) push failed: no device is registered", "\(order.id) email delivered as Q1",
            ])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `two channels that fail do not both give way to the same`() {
        let order = order(1, channels: [.push, .sms])
        _ = begin(
            order, RoutePlan(channels: [.push], targets: [], spare: [.email], whyNone: "no device is registered"),
            RoutePlan(channels: [.sms], targets: [], spare: [.email], whyNone: "no phone number is verified"))
        #expect(facts().map(\.outcome) == ["\(order.id) sms failed: no phone number is verified"])
        #expect(plan.nextUnsorted(at: newYear)?.channel == .email)
        #expect(plan.nextUnsorted(at: newYear) == nil)
    }

    @Test mutating func `what the person has stopped gives way to nothing`() {
        let order = order(1)
        let tries = begin(order, RoutePlan(channels: [.push], targets: [device(1)], spare: [.email]))
        plan.settleStopped(tries[0], order, "the person has switched push off", at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push failed: the person has switched push off"])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `after not_after nothing gives way`() {
        let order = order(1, notAfter: newYear.advanced(bySeconds: 1))
        let tries = begin(order, RoutePlan(channels: [.push], targets: [device(1)], spare: [.email]))
        let late = newYear.advanced(bySeconds: 2)
        plan.settle(tries[0], order, SenderVerdict.final(reason: "answered 413"), at: late)
        #expect(facts(at: late).map(\.outcome) == ["\(order.id) push failed: apns answered 413"])
        #expect(plan.nextUnsorted(at: late) == nil && plan.unfinished == 0)
    }

    // MARK: What a provider reported (N4)

    private func reported(_ order: Order) -> JobPlace {
        JobPlace(position: order.position, seq: order.seq, channels: [.push, .sms], insteadOf: .email)
    }

    private mutating func comeBack(_ order: Order, at now: Instant = newYear) -> Unsorted? {
        plan.handOver([reported(order)])
        guard let job = plan.nextUnsorted(at: now) else { return nil }
        plan.sorted(job, order, [RoutePlan(channels: [.email], targets: [], spare: [.push, .sms])], at: now)
        return plan.nextUnsorted(at: now)
    }

    @Test mutating func `in place of a channel that was reported only the others are tried, and told`() throws {
        let order = order(1, channels: [.email])
        let came = comeBack(order)
        let push = try #require(came)
        #expect(push.channel == .push && push.place.insteadOf == .email)
        plan.sorted(push, order, [RoutePlan(channels: [.push], targets: [device(1)])], at: newYear)
        let tries = attempts()
        #expect(tries.map(\.target) == [device(1)])
        plan.settle(tries[0], order, .final(reason: "answered 413"), at: newYear)
        let next = plan.nextUnsorted(at: newYear)
        let sms = try #require(next)
        #expect(sms.channel == .sms)
        plan.sorted(
            sms, order, [RoutePlan(channels: [.sms], targets: [], whyNone: "no phone number is verified")], at: newYear)
        #expect(
            facts().map(\.outcome) == [
                "\(order.id) push failed: apns answered 413", "\(order.id) sms failed: no phone number is verified",
            ])
        #expect(plan.unfinished == 0)
    }

    @Test mutating func `with none of them left the first has the outcome, and nothing is sent (N4)`() throws {
        let order = order(1, channels: [.email])
        plan.handOver([reported(order)])
        let next = plan.nextUnsorted(at: newYear)
        let job = try #require(next)
        plan.sorted(job, order, [RoutePlan(channels: [.push], targets: [], whyNone: "it is off")], at: newYear)
        #expect(plan.nextUnsorted(at: newYear) == nil && attempts().isEmpty)
        #expect(facts().map(\.outcome) == ["\(order.id) push failed: it is off"])
        #expect(plan.unfinished == 0)
    }

    @Test(arguments: [(nil, 86_400), (5, 5)] as [(Int64?, Int64)])
    mutating func `until not_after, or a day where it has none`(notAfter: Int64?, last: Int64) {
        let order = order(1, channels: [.email], notAfter: notAfter.map { newYear.advanced(bySeconds: $0) })
        let end = newYear.advanced(bySeconds: last)
        let late = comeBack(order, at: end.advanced(byMilliseconds: 1))
        #expect(late == nil)
        #expect(facts(at: end).map(\.outcome) == ["\(order.id) push failed: too_late"] && plan.unfinished == 0)
        let inTime = comeBack(order, at: end)
        #expect(inTime?.channel == .push)
    }

    @Test mutating func `not to a channel that another of the job has given way to`() throws {
        let order = order(1, channels: [.email, .inApp])
        // Its own try is still under way.
        plan.handOver([order.place])
        let next = plan.nextUnsorted(at: newYear)
        let job = try #require(next)
        plan.sorted(
            job, order, [RoutePlan(channels: [.inApp], targets: [], spare: [.push], whyNone: "no")], at: newYear)
        let ways = [plan.nextUnsorted(at: newYear), comeBack(order), comeBack(order)]
        #expect(ways.map { $0?.channel } == [.push, .sms, nil])
        #expect(plan.unfinished == 2 && facts().isEmpty)
    }

    @Test mutating func `an address that is gone by the time it is used is not used`() {
        let order = order(1)
        let tries = begin(order, RoutePlan(channels: [.push], targets: [device(1)]))
        plan.settleGone(tries[0], order, "its address is not there any more", at: newYear)
        #expect(facts().map(\.outcome) == ["\(order.id) push failed: its address is not there any more"])
    }

    @Test mutating func `what cannot be said just now uses up no try`() {
        let order = order(1)
        var tries = begin(order, RoutePlan(channels: [.push], targets: [device(1)]))
        var now = newYear
        for _ in 0..<20 {
            plan.postpone(tries[0], at: now)
            now = now.advanced(bySeconds: 1)
            tries = attempts(at: now)
        }
        #expect(tries.map(\.number) == [1])
    }
}
