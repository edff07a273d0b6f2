import CivilTime
import Notices
import Simulation
import Testing

@testable import Delivery

/// Providers hang, reset, answer 503 for an hour, ask for pauses, redirect and kill addresses, while the worker is killed again
/// and again. The clock is virtual.
@Suite("N2–N5, chaos")
struct SenderChaosTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `every job has one end on each channel, whatever providers do and however often the worker dies`(
        seed: UInt64
    ) {
        var world = ChaosWorld(seed: seed)
        world.live()
        #expect(world.problems == [], "seed \(seed)")
    }
}

private struct ChaosWorld {
    private struct Sent: Hashable {
        var job: UInt64
        var target: String
    }

    private var random: SeededRandom
    private var now = newYear
    private var plan = DeliveryPlan(sinks: [.init(name: "spool", window: 4)], mustSort: true)
    private var flying: [(attempt: Attempt, dueAt: Instant)] = []
    private var offered: [Fact]?
    private let jobs: [UInt64: Order]
    private let posts: [Post: Int] = [.apns: 1, .fcm: 2, .email: 3, .sms: 4]
    private var emitted: UInt64 = 0

    // What the log holds.
    private var remaining: [UInt64: ChannelSet] = [:]
    private var deadInLog: Set<UInt64> = []
    private var ends: [String: Int] = [:]

    // What providers have seen.
    private var accepted: [Sent: Int] = [:]
    private var inFlightAtKills: [Sent: Int] = [:]
    private var killedAddresses: Set<UInt64> = []
    private(set) var problems: [String] = []

    private static let jobCount: UInt64 = 120
    private static let kills = 50

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        var jobs: [UInt64: Order] = [:]
        for seq in 1...Self.jobCount {
            let channels: [[Channel]] = [[.push], [.push, .email], [.email], [.sms], [.push, .sms], [.inApp]]
            let isLimited = seq % 3 == 0
            jobs[seq] = order(
                seq, channels: channels[Int(seq) % channels.count],
                notAfter: isLimited ? newYear.advanced(byMinutes: Int64(seq) * 2) : nil)
        }
        self.jobs = jobs
        addCarriers()
    }

    private mutating func addCarriers() {
        for (name, calls) in [("apns", 8), ("fcm", 8), ("smtp", 4), ("twilio", 4)] {
            _ = plan.add(Carrier(name: name, limits: .init(calls: calls)))
        }
    }

    /// Of each three people one has two devices, one has one, one has none.
    private func contact(of job: UInt64) -> Contact {
        var contact = Contact()
        for number in 0..<job % 3 {
            let registration = job * 10 + number
            if deadInLog.contains(registration) { continue }
            contact.devices.append(
                .init(name: "d\(number)", registration: registration, position: 0, registeredAt: newYear))
        }
        contact.email = "p\(job)@example.org"
        contact.phone = "+14155550100"
        contact.channels = [.push, .email, .sms, .inApp]
        return contact
    }

    private var sorting: Sorting {
        Sorting(
            rules: PostRules(channels: [.push, .email, .sms], fallback: .push, push: [.apns, .fcm]),
            sinks: [Target(carrier: 0, address: .sink)], carrier: { [posts] in posts[$0] ?? 0 },
            address: { device in
                device.registration % 2 == 0
                    ? APNsAddress(token: String(repeating: "ab", count: 32)).map { .apns($0) }
                    : .fcm(FCMAddress(kind: .token, value: "t", platform: .android))
            }, whyNone: { $0.name })
    }

    // MARK: Living

    mutating func live() {
        var killsLeft = Self.kills
        var steps = 0
        while steps < 100_000, emitted < Self.jobCount || plan.unfinished > 0 || killsLeft > 0 {
            steps += 1
            switch Int.random(in: 0..<12, using: &random) {
            case 0: emit()
            case 1...3: sort()
            case 4...6: send()
            case 7...8: answer()
            case 9: record()
            case 10 where Int.random(in: 0..<20, using: &random) == 0 && killsLeft > 0:
                killsLeft -= 1
                kill()
            default: pass()
            }
        }
        if plan.unfinished > 0 { problems.append("it never ends") }
        judge()
    }

    private mutating func emit() {
        guard emitted < Self.jobCount else { return }
        emitted += 1
        guard let order = jobs[emitted] else { return }
        remaining[emitted] = ChannelSet(order.job.channels)
        plan.handOver([JobPlace(position: emitted, seq: emitted)])
    }

    private mutating func sort() {
        guard let job = plan.nextUnsorted(at: now), let order = jobs[job.place.seq] else { return }
        if Int.random(in: 0..<10, using: &random) == 0 { return plan.putBack(job, at: now) }
        let contact = contact(of: job.place.seq)
        do {
            let routes =
                try job.channel.map { [try sorting.instead($0, contact)] }
                ?? sorting.routes(order, job.place.channels, contact)
            plan.sorted(job, order, routes, at: now)
        } catch {
            problems.append("\(error)")
        }
    }

    private mutating func send() {
        guard let attempt = plan.nextAttempt(at: now), let order = jobs[attempt.place.seq] else { return }
        guard plan.maySend(attempt, order, at: now) else { return }
        if case .device(_, let registration) = attempt.target.address, deadInLog.contains(registration) {
            return plan.settleGone(attempt, order, "its address is not there any more", at: now)
        }
        if let notAfter = order.notAfter, now > notAfter { problems.append("\(order.id) is sent too late") }
        flying.append((attempt, now.advanced(byMilliseconds: Int64.random(in: 20...10_000, using: &random))))
    }

    /// For its first hour a provider answers 503 more often than not.
    private mutating func answer() {
        guard let index = flying.indices.filter({ flying[$0].dueAt <= now }).randomElement(using: &random) else {
            return
        }
        let attempt = flying.remove(at: index).attempt
        guard let order = jobs[attempt.place.seq] else { return }
        let isFirstHour = now < newYear.advanced(byHours: 1)
        let verdict: SenderVerdict
        switch Int.random(in: 0..<(isFirstHour ? 16 : 10), using: &random) {
        case 0: verdict = .wait(seconds: 30, reason: "answered 429", whom: .sender)
        case 1: verdict = .wait(seconds: 5, reason: "answered 429", whom: .address)
        case 2: verdict = .final(reason: "answered 302")
        case 3: verdict = dead(attempt.target)
        case 4: verdict = .transient(reason: "timed out")
        case 10...: verdict = .transient(reason: "answered 503")
        default:
            verdict = .taken(providerID: "x")
            accepted[Sent(job: attempt.place.seq, target: attempt.target.key), default: 0] += 1
        }
        plan.settle(attempt, order, verdict, at: now)
    }

    private mutating func dead(_ target: Target) -> SenderVerdict {
        guard case .device(_, let registration) = target.address else { return .final(reason: "answered 400") }
        killedAddresses.insert(registration)
        return .dead(reason: "answered 410")
    }

    private mutating func record() {
        guard let facts = offered else { return offered = plan.offer(at: now) }
        offered = nil
        let isRecorded = Int.random(in: 0..<4, using: &random) > 0
        if isRecorded { for fact in facts { fold(fact) } }
        plan.offered(isRecorded: isRecorded, at: now)
    }

    private mutating func fold(_ fact: Fact) {
        switch fact.payload {
        case .jobDelivered(let it): end(it.job, it.channel)
        case .jobFailed(let it): end(it.job, it.channel)
        case .deviceRemoved(let it): if let number = it.registration { deadInLog.insert(UInt64(number)) }
        default: problems.append("nobody expected \(fact.payload)")
        }
    }

    private mutating func end(_ job: NoticeName, _ channel: Channel) {
        ends["\(job) \(channel.name)", default: 0] += 1
        guard let seq = jobs.first(where: { $0.value.id == job.text })?.key else { return }
        remaining[seq]?.remove(ChannelSet(channel))
    }

    /// The process is gone with all that it had in memory; what the log holds is handed over again.
    private mutating func kill() {
        for (attempt, _) in flying {
            inFlightAtKills[Sent(job: attempt.place.seq, target: attempt.target.key), default: 0] += 1
            // It may have arrived all the same.
            if Bool.random(using: &random) {
                accepted[Sent(job: attempt.place.seq, target: attempt.target.key), default: 0] += 1
            }
        }
        for sent in accepted.keys where !(remaining[sent.job]?.isEmpty ?? true) {
            inFlightAtKills[sent, default: 0] += 1
        }
        (flying, offered) = ([], nil)
        plan = DeliveryPlan(sinks: [.init(name: "spool", window: 4)], mustSort: true)
        addCarriers()
        plan.handOver(
            remaining.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
                JobPlace(position: $0.key, seq: $0.key, channels: $0.value)
            })
    }

    private mutating func pass() {
        now = now.advanced(byMilliseconds: Int64.random(in: 0...20_000, using: &random))
        if flying.isEmpty, let wake = plan.nextWake { now = max(now, wake) }
    }

    // MARK: Judging

    private mutating func judge() {
        for (seq, order) in jobs {
            for channel in order.job.channels where ends["\(order.id) \(channel.name)"] != 1 {
                problems.append("\(order.id) has \(ends["\(order.id) \(channel.name)"] ?? 0) ends on \(channel.name)")
            }
            if remaining[seq]?.isEmpty != true { problems.append("\(order.id) is left") }
        }
        // At most those in flight at a kill, or without their outcome in the log then, were sent twice.
        for (sent, count) in accepted where count > 1 + (inFlightAtKills[sent] ?? 0) {
            problems.append("job \(sent.job) was taken \(count) times at \(sent.target)")
        }
        if !deadInLog.isSubset(of: killedAddresses) { problems.append("an address that lives is recorded as dead") }
    }
}
