import CivilTime
import Delivery
import Notices
import Synchronization
import Testing

/// A sink that answers when its test says so.
private final class HeldSink: Sink {
    struct Handed: Sendable {
        var order: Order
        var answer: @Sendable (SinkOutcome) -> Void
    }

    let name = "held"
    let window: Int
    let handed = Awaited<Handed>()
    let closings = Atomic(0)

    init(window: Int = 8) { self.window = window }

    func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
        handed.append(contentsOf: [Handed(order: order, answer: answer)])
    }

    func close(_ done: @escaping @Sendable () -> Void) {
        closings.add(1, ordering: .relaxed)
        done()
    }
}

/// A log of jobs, and the courier's other doors.
private final class World: Sendable {
    struct Unreadable: Error {}

    let now = Mutex(newYear)
    let facts = Awaited<Fact>()
    let reads = Mutex<[UInt64]>([])
    let words = Awaited<String>()
    /// How often the log is still to be busy.
    let busy = Mutex(0)
    let unreadable = Mutex<Set<UInt64>>([])
    /// Whether what cannot be read is another worker's.
    let isElsewhere = Mutex(false)
    /// Whether the log's jobs may be handed out.
    let mayHandOut = Mutex(true)
    /// How many jobs each commit holds.
    let jobsInCommit: UInt64

    init(jobsInCommit: UInt64 = 1) { self.jobsInCommit = jobsInCommit }

    func places(_ range: ClosedRange<UInt64>) -> [JobPlace] {
        range.map { JobPlace(position: ($0 - 1) / jobsInCommit, seq: $0) }
    }

    func courier(_ sinks: [any Sink]) -> Courier {
        Courier(
            sinks: sinks, clock: { self.now.withLock { $0 } },
            read: { position in
                self.reads.withLock { $0.append(position) }
                if self.unreadable.withLock({ $0.contains(position) }) {
                    if self.isElsewhere.withLock({ $0 }) { throw JobElsewhere("partition 6 is another worker's now") }
                    throw Unreadable()
                }
                let first = position * self.jobsInCommit + 1
                return (first..<first + self.jobsInCommit).map { jobEvent($0) }
            },
            record: { facts, done in
                let isBusy = self.busy.withLock { busy in
                    defer { busy = max(0, busy - 1) }
                    return busy > 0
                }
                done(!isBusy)
                if !isBusy { self.facts.append(contentsOf: facts) }
            },
            mayHandOut: { _ in self.mayHandOut.withLock { $0 } },
            log: { level, text, fields in
                let told = level == .debug || text.contains("given up") ? fields.map { " \($0)=\($1)" }.joined() : ""
                self.words.append(contentsOf: ["\(level.rawValue): \(text)\(told)"])
            })
    }

    func advance(_ seconds: Int64) { now.withLock { $0 = $0.advanced(bySeconds: seconds) } }
}

extension Courier {
    fileprivate func stop(within seconds: Double) async {
        await withCheckedContinuation { continuation in stop(within: seconds) { continuation.resume() } }
    }
}

@Suite("SPEC §11, the courier", .unlessItHangs)
struct CourierTests {
    @Test func `jobs are handed out and their outcomes recorded`() async throws {
        let world = World(jobsInCommit: 10)
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.handOver(world.places(1...30))
        #expect(courier.waiting == 30)
        courier.start()
        for number in 0..<30 {
            let handed = try await sink.handed.first(number + 1)[number]
            #expect(handed.order.line == order(UInt64(number + 1)).line, "read back, it is the same")
            handed.answer(.taken)
        }
        let facts = try await world.facts.first(30)
        #expect(Set(facts.map(\.job)) == Set((1...30).map { order($0).id }))
        await courier.stop(within: 60)
        #expect(courier.waiting == 0)
        // A commit is read once, not once a job.
        #expect(world.reads.withLock { $0 } == [0, 1, 2])
    }

    /// A worker that was frozen for longer than its lease.
    @Test func `what may not be handed out now waits, and is read again once the log was taken again (E1)`()
        async throws
    {
        let world = World(jobsInCommit: 2)
        let sink = HeldSink(window: 1)
        let courier = world.courier([sink])
        courier.handOver(world.places(1...2))
        courier.start()
        // The other is on the shelf, since it stands in the same commit.
        let first = try await sink.handed.first(1)[0]
        world.mayHandOut.withLock { $0 = false }
        first.answer(.taken)
        _ = try await world.facts.first(1)
        #expect(world.reads.withLock { $0 } == [0])
        courier.takeUp(courier.returned(world.places(2...2), in: everywhere))
        // Until then what is told of the first may wake it.
        while courier.waiting != 1 { await Task.yield() }
        world.mayHandOut.withLock { $0 = true }
        world.advance(1)
        courier.clockChanged()
        let second = try await sink.handed.first(2)[1]
        #expect(second.order.id == order(2).id && sink.handed.values.count == 2)
        #expect(world.reads.withLock { $0 } == [0, 0])
        second.answer(.taken)
        await courier.stop(within: 60)
    }

    @Test func `nothing is handed out before the start`() async throws {
        let world = World()
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.handOver(world.places(1...3))
        await courier.stop(within: 0)
        #expect(sink.handed.values.isEmpty)
        #expect(courier.waiting == 3)
        #expect(sink.closings.load(ordering: .relaxed) == 1)
    }

    @Test func `sinks are not given what gives way to another channel (N4)`() async {
        let courier = World().courier([HeldSink()])
        let place = JobPlace(position: 0, seq: 1, channels: .push, insteadOf: .email)
        courier.handOver([place])
        courier.takeUp(courier.returned([place], in: everywhere))
        #expect(courier.waiting == 0)
    }

    @Test func `a log that is opened again while its jobs wait has each handed out once`() async throws {
        let world = World()
        let sink = HeldSink(window: 1)
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...2))
        courier.takeUp(courier.returned(world.places(1...3), in: everywhere))
        courier.takeUp(courier.returned(world.places(1...3), in: everywhere))
        for number in 0..<3 {
            let handed = try await sink.handed.first(number + 1)[number]
            #expect(handed.order.seq == UInt64(number + 1))
            handed.answer(.taken)
        }
        _ = try await world.facts.first(3)
        await courier.stop(within: 60)
        #expect(sink.handed.values.count == 3)
        #expect(courier.waiting == 0)
    }

    @Test func `a retry comes when its pause is over, with the same order`() async throws {
        let world = World()
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...1))
        try await sink.handed.first(1)[0].answer(.later)
        // Said once, when it begins to fail.
        #expect(try await world.words.first(1) == ["warning: held answered 503"])
        world.advance(3)
        courier.clockChanged()
        let again = try await sink.handed.first(2)[1]
        #expect(again.order == order(1))
        again.answer(.taken)
        #expect(try await world.facts.first(1).map(\.outcome) == ["\(order(1).id) push delivered"])
        #expect(try await world.words.first(2)[1] == "info: held takes jobs again after 1 failed try")
        await courier.stop(within: 60)
    }

    @Test func `a job that is given up is said: the first at once, the others counted at the end of the minute`()
        async throws
    {
        let world = World()
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...4))
        for handed in try await sink.handed.first(4).prefix(3) { handed.answer(.refused(reason: "answered 410")) }
        _ = try await world.words.first(5)
        func told(_ seq: UInt64) -> String {
            "sink=held seq=\(seq) job=\(order(seq).nameless) reason=held answered 410 tries=1"
        }
        #expect(
            Set(world.words.values) == [
                "warning: held answered 410", "warning: a job is given up \(told(1))", "debug: given up \(told(1))",
                "debug: given up \(told(2))", "debug: given up \(told(3))",
            ])
        world.advance(60)
        courier.clockChanged()
        #expect(
            try await world.words.first(6)[5]
                == "warning: more jobs are given up sink=held jobs=2 last_seq=3 last_job=\(order(3).nameless) last_reason=held answered 410"
        )
        sink.handed.values[3].answer(.refused(reason: "answered 410"))
        await courier.stop(within: 60)
        #expect(world.words.values.last?.hasPrefix("warning: more jobs are given up sink=held jobs=1 ") == true)
    }

    @Test func `a busy log is offered the outcomes again, and has each once`() async throws {
        let world = World()
        world.busy.withLock { $0 = 2 }
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...1))
        try await sink.handed.first(1)[0].answer(.taken)
        #expect(try await world.words.first(1) == ["warning: the log takes no outcomes now; they are offered again"])
        #expect(courier.waiting == 1)
        while world.facts.values.isEmpty {
            world.advance(1)
            courier.clockChanged()
            await Task.yield()
        }
        #expect(try await world.words.first(2)[1] == "info: the log takes outcomes again")
        await courier.stop(within: 60)
        #expect(world.words.values.count == 2, "it is said once, however often the log was busy")
        #expect(world.facts.values.count == 1)
        #expect(courier.waiting == 0)
    }

    @Test func `a stop begins nothing new, waits for what is in flight and records it`() async throws {
        let world = World()
        let sink = HeldSink(window: 2)
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...5))
        let handed = try await sink.handed.first(2)
        let stopped = Awaited<Bool>()
        courier.stop(within: 60) { stopped.append(contentsOf: [true]) }
        for one in handed { one.answer(.taken) }
        _ = try await stopped.first(1)
        #expect(world.facts.values.map(\.job) == [order(1).id, order(2).id])
        #expect(sink.handed.values.count == 2)
        #expect(courier.waiting == 3)
        #expect(sink.closings.load(ordering: .relaxed) == 1)
    }

    @Test func `since when a sink has answered nothing can be seen, and only while it has something to answer`()
        async throws
    {
        let world = World()
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...2))
        let handed = try await sink.handed.first(2)
        // Behind all that was asked before.
        _ = courier.erase(["nobody"], through: newYear)
        let since = try #require(courier.carriers.first?.silentSince)
        world.advance(100)
        handed[0].answer(.taken)
        #expect(try await world.facts.first(1).count == 1)
        _ = courier.erase(["nobody"], through: newYear)
        #expect(courier.carriers.first?.silentSince == since.advanced(bySeconds: 100))
        handed[1].answer(.taken)
        #expect(try await world.facts.first(2).count == 2)
        _ = courier.erase(["nobody"], through: newYear)
        #expect(courier.carriers.first?.silentSince == nil)
        await courier.stop(within: 60)
    }

    @Test func `what is still in flight at the end of the time has no outcome, and its answer comes too late`()
        async throws
    {
        let world = World()
        let sink = HeldSink()
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...1))
        let handed = try await sink.handed.first(1)[0]
        await courier.stop(within: 0)
        handed.answer(.taken)
        await courier.stop(within: 0)
        #expect(world.facts.values.isEmpty)
        #expect(courier.waiting == 1)
        #expect(world.words.values == ["info: jobs are left for the next start"])
        // The next start hands it over again, the same.
        let next = world.courier([sink])
        next.start()
        next.handOver(world.places(1...1))
        #expect(try await sink.handed.first(2)[1].order == handed.order)
        await next.stop(within: 0)
    }

    @Test func `a commit that cannot be read keeps back no other job`() async throws {
        let world = World()
        world.unreadable.withLock { $0 = [0] }
        let sink = HeldSink(window: 1)
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...2))
        try await sink.handed.first(1)[0].answer(.taken)
        #expect(try await world.facts.first(1).map(\.job) == [order(2).id])
        #expect(try await world.words.first(1) == ["error: a job cannot be read from the log"])
        world.unreadable.withLock { $0 = [] }
        world.advance(3)
        courier.clockChanged()
        try await sink.handed.first(2)[1].answer(.taken)
        #expect(try await world.facts.first(2).last?.job == order(1).id)
        await courier.stop(within: 60)
    }

    /// Partitions change hands every day.
    @Test func `a job whose log is another worker's by now is no error`() async throws {
        let world = World()
        world.unreadable.withLock { $0 = [0] }
        world.isElsewhere.withLock { $0 = true }
        let sink = HeldSink(window: 1)
        let courier = world.courier([sink])
        courier.start()
        courier.handOver(world.places(1...2))
        try await sink.handed.first(1)[0].answer(.taken)
        #expect(try await world.words.first(1)[0].hasPrefix("debug: a job is handed out elsewhere"))
        await courier.stop(within: 60)
    }

    @Test(.enabled(if: Python.path != nil))
    func `a webhook that answers 500 and then 204 has the job, though another hangs`() async throws {
        let world = World()
        let receiver = try Receiver()
        func webhook(_ path: String) throws -> WebhookSink {
            try WebhookSink(
                receiver.address(path), secrets: WebhookSecrets(WebhookTests.secret), patience: .long,
                clock: { world.now.withLock { $0 } })
        }
        let courier = try world.courier([webhook("twice")])
        let hanging = try world.courier([webhook("hang")])
        for one in [courier, hanging] {
            one.start()
            one.handOver(world.places(1...1))
        }
        _ = try await world.words.first(1)
        world.advance(3)
        courier.clockChanged()
        #expect(try await world.facts.first(1).map(\.outcome) == ["\(order(1).id) push delivered"])
        await courier.stop(within: 60)
        // Stopping gives up what hangs.
        await hanging.stop(within: 0)
        #expect(hanging.waiting == 1)
        let bodies = Set(try receiver.seen().map(\.body))
        #expect(bodies == [String(decoding: order(1).line, as: UTF8.self)])
    }

    @Test func `a great commit is read a few times for all its jobs`() async throws {
        let world = World(jobsInCommit: 9000)
        let sink = HeldSink(window: 64)
        let other = HeldSink(window: 64)
        let courier = world.courier([sink, other])
        courier.start()
        courier.handOver(world.places(1...9000))
        async let first: Void = answerAll(sink)
        async let second: Void = answerAll(other)
        _ = try await (first, second)
        #expect(Set(try await world.facts.first(9000).map(\.job)).count == 9000)
        await courier.stop(within: 60)
        #expect(world.reads.withLock { $0.count } <= 8)
    }

    private func answerAll(_ sink: HeldSink) async throws {
        var answered = 0
        while answered < 9000 {
            let handed = try await sink.handed.first(answered + 1)
            for one in handed[answered...] { one.answer(.taken) }
            answered = handed.count
        }
    }
}
