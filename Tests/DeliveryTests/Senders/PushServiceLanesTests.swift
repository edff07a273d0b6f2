import CivilTime
import Foundation
import Hashing
import Notices
import Testing

@testable import Delivery

/// Endpoints come from clients: one person may name a hundred hosts that do not answer.
@Suite("G11, N5, push services that clients name")
struct PushServiceLanesTests {
    private static let own = "https://push.internal:8443"
    private var plan = DeliveryPlan(sinks: [.init(name: "spool", window: 8)], mustSort: true)

    private func named(_ number: Int) -> Post { .webPush(.named(origin: "https://h\(number).example.invalid")) }

    /// All lanes for services that clients name are given out: to h0, h1 and so on, in this order.
    private func filled() -> PostLanes {
        var lanes = PostLanes()
        for number in 0..<PostLanes.namedMax {
            let found = lanes.place(of: named(number))
            #expect(found.post == named(number) && found.place == .missing)
            lanes.note(named(number), at: number)
        }
        return lanes
    }

    // MARK: Which is which

    @Test(arguments: [
        ("https://fcm.googleapis.com", "webpush https://fcm.googleapis.com"),
        ("https://updates.push.services.mozilla.com", "webpush https://updates.push.services.mozilla.com"),
        ("https://web.push.apple.com", "webpush https://web.push.apple.com"),
        ("https://api.push.apple.com", "webpush https://*.push.apple.com"),
        ("https://dev.push.services.mozilla.com", "webpush https://*.push.services.mozilla.com"),
        ("https://db5.notify.windows.com", "webpush https://*.notify.windows.com"),
        ("https://wns2-par02p.notify.windows.com", "webpush https://*.notify.windows.com"),
        ("https://push.internal:8443", "webpush https://push.internal:8443"),
        ("https://push.internal", "webpush other"), ("https://anna-loves-bob.example.org", "webpush other"),
        ("https://fcm.googleapis.com:8443", "webpush other"), ("https://FCM.googleapis.com", "webpush other"),
        ("http://fcm.googleapis.com", "webpush other"), ("https://fcm.googleapis.com.example.org", "webpush other"),
        ("https://notify.windows.com", "webpush other"), ("https://badnotify.windows.com", "webpush other"),
        ("https://db5.notify.windows.com:9203", "webpush other"),
    ])
    func `figures name services that nobody can invent, and all others alike`(origin: String, label: String) {
        let service = PushService(origin: origin, trusted: [Self.own])
        #expect(service.label == label && Post.webPush(service).label == label)
        // A client's own host would tell of them when they are erased (E1): neither reasons nor the log name it.
        #expect(service.name == (label == "webpush other" ? "webpush" : label))
        #expect(service.isOfClients == (label == "webpush other"))
    }

    @Test func `what has one label is counted as one`() {
        let all = [("a", "x", 1, false), ("b", "y", 2, false), ("c", "x", 3, true), ("d", "x", 4, false)].map {
            CarrierStanding(name: $0.0, label: $0.1, waiting: $0.2, isBroken: $0.3, problem: nil)
        }
        #expect(all.byLabel.map(\.label) == ["x", "y"])
        #expect(all.byLabel.map(\.waiting) == [8, 2])
        #expect(all.byLabel.map(\.isBroken) == [true, false])
        #expect(CarrierStanding(name: "a", waiting: 0, isBroken: false, problem: nil).label == "a")
        let later = newYear.advanced(bySeconds: 90)
        let paused = [nil, newYear, later].map {
            CarrierStanding(name: "a", waiting: 0, isBroken: false, problem: nil, nextTryAt: $0)
        }
        #expect(paused.byLabel.map(\.nextTryAt) == [later])
    }

    @Test func `a host that a client made up speaks against no other of a service`() {
        let unknown = HTTPFailure(.cannotFind, "no such host")
        let mute = HTTPFailure(.timedOut, "nothing in 10 s")
        let address = SenderVerdict.transient(reason: "\(unknown)", whom: .address)
        #expect(WellKnownPushService.microsoft.verdict(of: unknown) == address)
        let muteAddress = SenderVerdict.transient(reason: "\(mute)", whom: .address)
        #expect(WellKnownPushService.microsoft.verdict(of: mute) == muteAddress)
        #expect(WellKnownPushService.google.verdict(of: mute) == mute.verdict)
        #expect(WellKnownPushService.google.verdict(of: unknown) == unknown.verdict)
    }

    // MARK: Who has a lane

    @Test func `services that nobody can invent have a lane each, whoever came first`() {
        var lanes = filled()
        let known = WellKnownPushService.allCases.map { Post.webPush(.wellKnown($0)) }
        for (place, post) in (known + [.webPush(.trusted(origin: Self.own))]).enumerated() {
            let found = lanes.place(of: post)
            #expect(found.post == post && found.place == .missing)
            lanes.note(post, at: 100 + place)
            let again = lanes.place(of: post)
            #expect(again.place == .own(100 + place))
        }
        // The others share one, and those who were there keep theirs.
        let shared = lanes.place(of: named(64))
        #expect(shared.post == .webPush(.others) && shared.place == .missing)
        lanes.note(shared.post, at: 200)
        let (next, first) = (lanes.place(of: named(65)), lanes.place(of: named(0)))
        #expect(next.place == .own(200) && first.place == .own(0))
    }

    @Test func `a lane that nobody needs is the next one's, and never two have one`() {
        #expect(PostLanes().scarce.isEmpty)
        var lanes = filled()
        #expect(lanes.scarce.sorted() == Array(0..<PostLanes.namedMax))
        lanes.vacate([3, 5])
        // Something is to go there, though it does not wait there yet.
        let kept = lanes.place(of: named(3))
        let taken = lanes.place(of: named(70))
        #expect(kept.place == .own(3) && taken.post == named(70) && taken.place == .vacated(5))
        lanes.note(taken.post, at: 5)
        let (next, before) = (lanes.place(of: named(71)), lanes.place(of: named(5)))
        #expect(next.post == .webPush(.others) && before.post == .webPush(.others))
        let own = lanes.place(of: named(70))
        #expect(own.place == .own(5) && lanes.scarce.count == PostLanes.namedMax)
    }

    // MARK: What the lanes do

    private mutating func begin(_ seqs: ClosedRange<UInt64>, at carrier: Int) -> [Attempt] {
        plan.handOver(seqs.map { JobPlace(position: $0, seq: $0) })
        while let job = plan.nextUnsorted(at: newYear) {
            let target = Target(carrier: carrier, address: .device(name: "d", registration: job.place.seq))
            plan.sorted(job, order(job.place.seq), [RoutePlan(channels: [.push], targets: [target])], at: newYear)
        }
        return attempts()
    }

    private mutating func attempts() -> [Attempt] {
        var all: [Attempt] = []
        while let attempt = plan.nextAttempt(at: newYear) { all.append(attempt) }
        return all
    }

    @Test mutating func `hosts that are down stop nobody who shares their lane`() {
        let limits = SenderGate.Limits(calls: 25)
        let shared = plan.add(Carrier(name: "webpush", limits: limits, isShared: true))
        var tries = begin(1...60, at: shared)
        for _ in 0..<2 {
            #expect(tries.count == 25)
            for attempt in tries {
                plan.settle(attempt, order(attempt.place.seq), .transient(reason: "was not found"), at: newYear)
            }
            #expect(!plan.standing(of: shared, at: newYear).isBroken)
            // The document was read again.
            plan.setLimits(SenderGate.Limits(calls: 25, perSecond: 1000), of: shared)
            tries = attempts()
        }
        #expect(tries.count == 10)
    }

    @Test mutating func `a pause that one of them asks for holds that address alone`() {
        let wait = SenderVerdict.wait(seconds: 3600, reason: "answered 429", whom: .sender)
        let shared = plan.add(Carrier(name: "webpush", limits: .init(calls: 1), isShared: true))
        let tries = begin(1...2, at: shared)
        plan.settle(tries[0], order(1), wait, at: newYear)
        #expect(attempts().map(\.place.seq) == [2])
        let single = plan.add(Carrier(name: "webpush https://push.example.org", limits: .init(calls: 1)))
        let others = begin(3...4, at: single)
        plan.settle(others[0], order(3), wait, at: newYear)
        #expect(attempts().isEmpty)
    }

    @Test mutating func `a lane is another's only when nothing of it waits, is under way or asked for a pause`() {
        let lane = plan.add(Carrier(name: "first", limits: .init(calls: 4)))
        func isIdle(_ plan: DeliveryPlan, at now: Instant = newYear) -> Bool {
            plan.idle(among: [lane], at: now) == [lane]
        }
        #expect(isIdle(plan))
        let late = order(1, notAfter: newYear.advanced(bySeconds: 30))
        let tries = begin(1...2, at: lane)
        #expect(tries.count == 2 && !isIdle(plan))
        plan.settle(tries[1], order(2), SenderVerdict.taken(providerID: nil), at: newYear)
        #expect(!isIdle(plan))
        // It ends the job, which cannot wait so long.
        plan.settle(tries[0], late, .wait(seconds: 600, reason: "answered 429", whom: .sender), at: newYear)
        #expect(!isIdle(plan) && isIdle(plan, at: newYear.advanced(bySeconds: 601)))
        plan.hold(5000..<6000)
        #expect(!isIdle(plan, at: newYear.advanced(bySeconds: 601)))
        plan.forget(5000..<6000)
        plan.replace(lane, with: Carrier(name: "second", limits: .init(calls: 1)))
        #expect(isIdle(plan))
        let next = begin(3...4, at: lane)
        #expect(next.count == 1)
        plan.settle(next[0], order(3), .final(reason: "answered 413"), at: newYear)
        let told = (plan.offer(at: newYear) ?? []).map(\.outcome)
        #expect(told.last == "\(order(3).id) push failed: second answered 413", "\(told)")
    }
}

@Suite("G11, the courier and a hundred hosts of one person", .unlessItHangs)
struct NamedHostsCourierTests {
    private struct Asked: Sendable {
        var count: Int
        var reply: @Sendable ([BookEntry]?) -> Void
    }

    private static let known = [
        "https://fcm.googleapis.com", "https://updates.push.services.mozilla.com", "https://push.internal:8443",
    ]

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let path = try scratch.write(SigningKey.newP256().pem, to: "vapid")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Asks the address book, and is handed to nobody before that has answered.
    private func courier(_ origins: [String], _ asked: Awaited<Asked>) throws -> Courier {
        let webPush =
            #"{"key_file":"vapid","subject":"mailto:ops@belfry.dev","trusted":["https://push.internal:8443"]}"#
        let document = try SendersDocument(
            #"{"public_url":"https://bell.example.org","push":{"webpush":\#(webPush)}}"#, folder: scratch.path)
        let senders = try OpenSenders(
            document, ownSecret: [Array("secret".utf8)], clock: { newYear }, senders: SenderRack())
        return Courier(
            sinks: [],
            mail: Courier.Mail(
                office: PostOffice(document, senders), texts: try TextLedger(in: scratch.path),
                book: { people, answer in asked.append(contentsOf: [Asked(count: people.count, reply: answer)]) },
                registration: { seq, _ in
                    var registered = DeviceRegistered()
                    registered.device = Identifier("d\(seq)")
                    registered.platform = .web
                    registered.token = Token("\(origins[Int(seq)])/x")
                    registered.browserKey = Token(SampleBrowser.point)
                    registered.browserSecret = Token(SampleBrowser.auth)
                    return registered
                }),
            clock: { newYear }, read: { _ in [jobEvent(1)] }, record: { _, done in done(true) },
            log: { _, _, _ in })
    }

    @Test func `leave each service its lane, and no name of theirs in figures`() async throws {
        let origins = (0..<100).map { "https://h\($0).example.invalid" } + Self.known
        let asked = Awaited<Asked>()
        let courier = try courier(origins, asked)
        var person = Contact()
        person.channels = .push
        person.devices = origins.indices.map {
            .init(name: "d\($0)", registration: UInt64($0), position: 0, registeredAt: newYear)
        }
        courier.start()
        courier.handOver([JobPlace(position: 0, seq: 1)])
        try await asked.first(1)[0].reply([.contact(person)])
        // It is asked once more, for each device, before anything goes out.
        let again = try await asked.first(2)[1]
        #expect(again.count == origins.count)
        _ = courier.erase(["nobody"], through: newYear)
        let standings = courier.carriers
        let names = standings.map(\.name)
        // Nothing is under way: the courier waits for the book.
        let lanes = courier.queue.sync { courier.desks.count { $0.label == PushService.labelOfOthers } }
        #expect(lanes == PostLanes.namedMax + 1)
        #expect(names.count { $0 == "webpush" } == 1 && !names.contains { $0.contains("example.invalid") })
        let services = Set(Self.known.map { "webpush \($0)" })
        #expect(services.isSubset(of: names))
        #expect(Set(standings.byLabel.map(\.label)) == services.union(["webpush other"]))
        await withCheckedContinuation { done in
            courier.stop(within: 60) { done.resume() }
            again.reply(nil)
        }
    }
}
