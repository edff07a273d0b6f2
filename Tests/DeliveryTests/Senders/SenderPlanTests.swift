import CivilTime
import Notices
import Synchronization
import Testing

@testable import Delivery

@Suite("N2–N5, jobs and their senders")
struct SenderPlanTests {
    private var plan = DeliveryPlan(sinks: [.init(name: "spool", window: 8)], mustSort: true)
    private let push: Int
    private let email: Int

    init() {
        push = plan.add(Carrier(name: "apns", limits: .init(calls: 4)))
        email = plan.add(Carrier(name: "smtp", limits: .init(calls: 4)))
    }

    private func device(_ number: UInt64) -> Target {
        Target(carrier: push, address: .device(name: "d\(number)", registration: number))
    }

    private var mail: Target { Target(carrier: email, address: .email) }

    /// Sorts the next job and gives what it may try.
    private mutating func begin(_ order: Order, _ routes: RoutePlan...) -> [Attempt] {
        plan.handOver([order.place])
        guard let job = plan.nextUnsorted(at: newYear) else { return [] }
        plan.sorted(job, order, routes, at: newYear)
        return attempts()
    }

    private mutating func attempts(at now: Instant = newYear) -> [Attempt] {
        var all: [Attempt] = []
        while let attempt = plan.nextAttempt(at: now) { all.append(attempt) }
        return all
    }

    private mutating func facts(at now: Instant = newYear) -> [Fact] {
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
        #expect(plan.standing(of: push).isBroken && !plan.standing(of: email).isBroken)
        now = now.advanced(bySeconds: 6)
        #expect(attempts(at: now).count == 1)
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

@Suite("N2, N4, where a job is to go")
struct SortingTests {
    private var contact: Contact {
        var contact = Contact()
        contact.devices = [
            .init(name: "phone", registration: 1, position: 0, registeredAt: newYear),
            .init(name: "tablet", registration: 2, position: 0, registeredAt: newYear),
            .init(name: "android", registration: 3, position: 0, registeredAt: newYear),
        ]
        contact.email = "anna@example.org"
        contact.channels = [.push, .email, .inApp]
        return contact
    }

    private func sorting(_ rules: PostRules) -> Sorting {
        Sorting(
            rules: rules, sinks: [Target(carrier: 0, address: .sink)],
            carrier: { [Post.apns: 1, .fcm: 2, .email: 3, .sms: 4][$0] ?? 9 },
            address: { device in
                switch device.registration {
                case 1: APNsAddress(token: String(repeating: "ab", count: 32)).map { .apns($0) }
                case 3: .fcm(FCMAddress(kind: .token, value: "t", platform: .android))
                default: nil
                }
            }, whyNone: { "\($0.name) is registered without what its provider needs" })
    }

    @Test func `push goes to every device that a sender reaches, the rest of the channels to the sinks`() throws {
        let all = PostRules(channels: [.push, .email], fallback: [], push: [.apns, .fcm])
        let routes = try sorting(all).routes(order(1, channels: [.push, .email, .inApp]), [], contact)
        #expect(routes.map(\.channels) == [[.inApp], [.push], [.email]])
        #expect(routes[0].targets == [Target(carrier: 0, address: .sink)])
        #expect(routes[1].targets.map(\.carrier) == [1, 2])
        #expect(routes[2].targets == [Target(carrier: 3, address: .email)])
        let some = try sorting(all).routes(order(1, channels: [.push, .email]), .email, contact)
        #expect(some.map(\.channels) == [[.email]])
    }

    @Test func `a channel gives way to those that the person has on and the job has not used`() throws {
        let rules = PostRules(channels: [.push, .email, .sms], fallback: .push, push: [.apns])
        let routes = try sorting(rules).routes(sampleOrder(), [], contact)
        #expect(routes[0].spare == [.email])
        #expect(try sorting(rules).routes(sampleOrder(channels: [.push, .email]), [], contact)[0].spare == [])
        var policy = contact
        policy.mayGiveWay = true
        let strict = PostRules(channels: [.push, .email], fallback: [], push: [.apns])
        #expect(try sorting(strict).routes(sampleOrder(), [], contact)[0].spare == [])
        #expect(try sorting(strict).routes(sampleOrder(), [], policy)[0].spare == [.email])
    }

    @Test func `what was chosen when a report came is tried, where the person has it on still (N4)`() throws {
        let rules = PostRules(channels: [.push, .email, .sms], fallback: [], push: [.apns])
        let place = JobPlace(position: 0, seq: 1, channels: [.push, .sms], insteadOf: .email)
        func route(_ channels: ChannelSet) throws -> RoutePlan {
            var contact = contact
            contact.channels = channels
            let routes = try sorting(rules).routes(order(1, channels: [.email]), at: place, contact)
            #expect(routes.count == 1 && routes[0].targets.isEmpty)
            return routes[0]
        }
        for (channels, spare) in [([.push, .email, .sms], [.push, .sms]), ([.email, .sms], [.sms])]
            as [(ChannelSet, [Channel])]
        {
            let route = try route(channels)
            #expect(route.channels == [.email] && route.spare == spare)
        }
        // Nothing is sent, and its outcome says why.
        let none = try route(.email)
        #expect(none.channels == [.push] && none.spare == [])
        #expect(none.whyNone == "the person is not reached on push any more")
    }

    @Test func `a test and what only moves a badge give way to nothing (D1, N8)`() throws {
        let rules = PostRules(channels: [.push, .email], fallback: .push, push: [.apns])
        #expect(try sorting(rules).routes(sampleOrder(), [], contact)[0].spare == [.email])
        #expect(try sorting(rules).routes(sampleOrder(.low), [], contact)[0].spare == [])
        var job = sampleOrder().job
        job.isTest = true
        let test = try #require(Order(Event(seq: 1, at: newYear, user: "anna", payload: .jobEmitted(job))))
        #expect(try sorting(rules).routes(test, [], contact)[0].spare == [])
    }

    @Test func `what the person has stopped since is not sent`() throws {
        let (order, push) = (sampleOrder(), Target.Address.device(name: "phone", registration: 1))
        var contact = contact
        #expect(contact.objection(to: order, at: .email) == nil)
        contact.stops.channels = .email
        #expect(contact.objection(to: order, at: .email) == "the person has switched email off")
        #expect(contact.objection(to: order, at: push) == nil)
        contact.stops.reason = .kind
        #expect(contact.objection(to: order, at: push) == "the person has switched this kind off")
        var job = order.job
        job.isTest = true
        let test = try #require(Order(Event(seq: 1, at: newYear, user: "anna", payload: .jobEmitted(job))))
        #expect(contact.objection(to: test, at: push) == nil && contact.objection(to: test, at: .email) != nil)
        contact.stops.isLocked = true
        #expect(contact.objection(to: order, at: .email) == nil)
    }

    @Test func `nobody is rung in quiet hours by a channel that the pipeline never saw`() throws {
        let rules = PostRules(channels: [.push, .email], fallback: .push, push: [.apns])
        var asleep = contact
        asleep.isQuiet = true
        let plan = try sorting(rules).instead(.email, order(1), asleep)
        #expect(plan.targets.isEmpty && plan.whyNone == "not in quiet hours")
        asleep.stops.isLocked = true
        #expect(try sorting(rules).instead(.email, order(1), asleep).targets.count == 1)
    }

    @Test func `why nobody can be reached is said`() throws {
        let rules = PostRules(channels: [.push, .email, .sms], fallback: [], push: [.fcm])
        func why(_ channel: Channel, _ contact: Contact?) throws -> String? {
            try sorting(rules).routes(order(1, channels: [channel]), [], contact).first?.whyNone
        }
        #expect(try why(.push, Contact()) == "no device is registered")
        var one = contact
        one.devices.removeLast()
        #expect(
            try why(.push, one)
                == "no sender reaches phone; tablet is registered without what its provider needs")
        #expect(try why(.email, Contact()) == "no email address that works is known")
        #expect(try why(.sms, contact) == "no phone number is verified")
        #expect(try why(.sms, nil) == "nobody of this name is known any more")
    }
}

@Suite("Which endpoints are of the public internet")
struct PrivateEndpointTests {
    @Test(arguments: [
        ("https://10.0.0.1/x", true), ("https://localhost:1/x", true), ("https://[::1]/x", true),
        ("https://169.254.169.254/x", true), ("https://push.example.org/x", false), ("http://10.0.0.1/x", false),
        ("a1b2", false),
    ])
    func `why no sender reaches a browser is said`(endpoint: String, isPrivate: Bool) throws {
        var registered = DeviceRegistered()
        registered.device = Identifier("browser")
        registered.platform = .web
        registered.token = Token(endpoint)
        let asked = registered
        var registrations = Registrations { _, _ in asked }
        let device = Contact.Device(name: "browser", registration: 5, position: 0, registeredAt: newYear)
        #expect(try registrations.address(of: device, trusted: []) == nil)
        #expect(registrations.whyNone(device).contains("is not on the public internet") == isPrivate)
    }
}

@Suite("Addresses that are remembered")
struct RegistrationsTests {
    /// A job's address is asked for when it is sorted and again when it is sent, and thousands are sorted in between.
    @Test func `an address is read once although thousands of others are asked for in between`() throws {
        let reads = Mutex<[UInt64]>([])
        var registrations = Registrations { seq, position in
            reads.withLock { $0.append(position) }
            var registered = DeviceRegistered()
            registered.platform = .android
            registered.token = Token("token-\(seq)")
            return registered
        }
        let devices = (1...40_000).map { seq in
            Contact.Device(name: "d", registration: seq, position: seq * 10, registeredAt: newYear)
        }
        func ask(_ device: Contact.Device) throws -> String? {
            guard case .fcm(let address)? = try registrations.address(of: device, trusted: []) else { return nil }
            return address.value
        }
        for first in stride(from: 0, to: devices.count, by: 16_000) {
            for _ in 1...2 {
                for device in devices[first..<min(first + 16_000, devices.count)] {
                    #expect(try ask(device) == "token-\(device.registration)")
                }
            }
        }
        #expect(reads.withLock { $0 } == devices.map(\.position))
        registrations.forget()
        #expect(try ask(devices[0]) == "token-1")
        #expect(reads.withLock { $0.count } == devices.count + 1)
    }
}
