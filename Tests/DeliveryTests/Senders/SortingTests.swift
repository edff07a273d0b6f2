import CivilTime
import Notices
import Testing

@testable import Delivery

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

    /// An app that names a device anew may leave the old name behind, with the same token.
    @Test func `a token that two devices have rings once`() throws {
        let rules = PostRules(channels: .push, fallback: [], push: [.apns, .fcm, .webpush])
        let token = String(repeating: "ab", count: 32)
        let addresses: [UInt64: Device.Address] = [
            1: .apns(try #require(APNsAddress(token: token))), 2: .apns(try #require(APNsAddress(token: token))),
            3: .apns(try #require(APNsAddress(token: token, environment: .sandbox))),
            4: .fcm(FCMAddress(kind: .token, value: "t", platform: .android)),
            5: .fcm(FCMAddress(kind: .token, value: "t", platform: .web)),
            6: .fcm(FCMAddress(kind: .fid, value: "t", platform: .web)),
            7: .apns(try #require(APNsAddress(token: token.uppercased()))),
        ]
        var contact = Contact()
        contact.devices = addresses.keys.sorted().map {
            .init(name: "d\($0)", registration: $0, position: 0, registeredAt: newYear)
        }
        let sorting = Sorting(
            rules: rules, sinks: [], carrier: { _ in 0 }, address: { addresses[$0.registration] }, whyNone: \.name)
        #expect(try sorting.push(contact).targets.compactMap(\.device) == ["d1", "d3", "d4", "d6"])
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

    @Test func `channels that lead to one sink of the document go to it together, whoever can be reached (N1)`() throws
    {
        var rules = PostRules(channels: [.push, .email, .sms, .inApp], fallback: .push, push: [.apns])
        let hook = Post.sink(path: "all.stdout")
        rules.sinks = [.email: hook, .sms: .sink(path: "sms.spool"), .inApp: hook]
        let job = order(1, channels: [.push, .email, .sms, .inApp])
        let routes = try sorting(rules).routes(job, [], Contact())
        #expect(routes.map(\.channels) == [[.push], [.email, .inApp], [.sms]])
        #expect(routes[1].targets == [Target(carrier: 9, address: .sink)])
        #expect(routes[0].targets.isEmpty && routes[0].whyNone == "no device is registered")
        // Whoever is not known any more has nothing handed to anybody.
        #expect(try sorting(rules).routes(job, [], nil)[1].whyNone == "nobody of this name is known any more")
        // A sink stands for its channel in every way: others give way to it, and it to others.
        #expect(try sorting(rules).routes(sampleOrder(), [], contact)[0].spare == [.email])
        let instead = try sorting(rules).instead(.email, contact)
        #expect(instead.channels == [.email] && instead.targets == [Target(carrier: 9, address: .sink)])
        // Not to a sink that the job leads to anyhow, nor twice to one; and what is in the app alone rings nobody (P15).
        rules.sinks[.sms] = hook
        #expect(try sorting(rules).routes(sampleOrder(channels: [.push, .inApp]), [], contact)[0].spare == [])
        var all = contact
        all.channels.insert(.sms)
        #expect(try sorting(rules).routes(sampleOrder(), [], all)[0].spare == [.email])
        let report = JobPlace(position: 0, seq: 1, channels: [.email, .sms], insteadOf: .push)
        #expect(try sorting(rules).routes(sampleOrder(), at: report, all)[0].spare == [.email])
        rules.fallback = .inApp
        #expect(try sorting(rules).routes(sampleOrder(channels: [.inApp]), [], all)[0].spare == [])
        rules.fallback = .email
        #expect(try sorting(rules).routes(sampleOrder(channels: [.email]), [], contact)[0].spare == [.push])
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

    @Test func `why nothing of what was chosen is tried is said (N4)`() throws {
        func why(_ contact: Contact?, _ senders: ChannelSet = [.push, .email]) throws -> String? {
            let rules = PostRules(channels: senders, fallback: [], push: [.apns])
            let place = JobPlace(position: 0, seq: 1, channels: .push, insteadOf: .email)
            return try sorting(rules).routes(order(1, channels: [.email]), at: place, contact).first?.whyNone
        }
        var stopped = Contact()
        stopped.stops.channels = .push
        #expect(try why(stopped) == "the person has switched push off")
        #expect(try why(nil) == "nobody of this name is known any more")
        #expect(try why(contact, .email) == "no sender is named for push any more")
    }

    /// Written before documents were looked at for that, or another document has joined two sinks since.
    @Test func `what was chosen and leads to where the job went already is not tried, and the choice ends (N1, N4)`()
        throws
    {
        var rules = PostRules(channels: [.push, .email, .sms], fallback: [], push: [])
        let hook = Post.sink(path: "all.webhook")
        rules.sinks = [.push: hook, .email: hook, .sms: .sink(path: "sms.spool")]
        func route(_ chosen: ChannelSet) throws -> [RoutePlan] {
            var contact = contact
            contact.channels = [.push, .email, .sms]
            let place = JobPlace(position: 0, seq: 1, channels: chosen, insteadOf: .push)
            return try sorting(rules).routes(sampleOrder(), at: place, contact)
        }
        let why = "email leads to a sink that the job went to already"
        #expect(try route(.email) == [RoutePlan(channels: [.email], targets: [], whyNone: why)])
        #expect(try route([.email, .sms]) == [RoutePlan(channels: [.push], targets: [], spare: [.sms])])
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
        let order = sampleOrder()
        var contact = contact
        #expect(contact.objection(to: order, on: .email) == nil)
        contact.stops.channels = .email
        #expect(contact.objection(to: order, on: .email) == "the person has switched email off")
        #expect(contact.objection(to: order, on: .push) == nil)
        contact.stops.reason = .kind
        #expect(contact.objection(to: order, on: .push) == "the person has switched this kind off")
        var job = order.job
        job.isTest = true
        let test = try #require(Order(Event(seq: 1, at: newYear, user: "anna", payload: .jobEmitted(job))))
        #expect(contact.objection(to: test, on: .push) == nil && contact.objection(to: test, on: .email) != nil)
        contact.stops.isLocked = true
        #expect(contact.objection(to: order, on: .email) == nil)
    }

    @Test func `what nobody needs any more is not sent, locked or not, and a test is`() throws {
        let order = sampleOrder()
        var contact = contact
        for end in Stops.End.allCases {
            contact.stops.end = end
            for isLocked in [false, true] {
                contact.stops.isLocked = isLocked
                #expect(contact.objection(to: order, on: .push) == end.words)
            }
            var job = order.job
            job.isTest = true
            let test = try #require(Order(Event(seq: 1, at: newYear, user: "anna", payload: .jobEmitted(job))))
            #expect(contact.objection(to: test, on: .push) == nil)
        }
    }

    @Test func `nobody is rung in quiet hours by a channel that the pipeline never saw`() throws {
        let rules = PostRules(channels: [.push, .email], fallback: .push, push: [.apns])
        var asleep = contact
        asleep.isQuiet = true
        let plan = try sorting(rules).instead(.email, asleep)
        #expect(plan.targets.isEmpty && plan.whyNone == "not in quiet hours")
        asleep.isQuiet = false
        #expect(try sorting(rules).instead(.email, asleep).targets.count == 1)
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
