import CivilTime
import Delivery
import Notices
import Simulation
import Testing

/// A log that goes to another worker of a cluster, while some of its jobs are being sent.
@Suite("M4, jobs of a log that is about to be another worker's")
struct HoldingTests {
    /// Two logs: jobs 1 to 9 are of the first, those from 10 on of the second.
    private static let first = UInt64(0)..<1000

    private func expectRest(
        _ isWanted: Bool, _ world: inout PlanWorld, _ why: Comment? = nil, at place: SourceLocation = #_sourceLocation
    ) {
        let isAtRest = world.plan.isAtRest(Self.first)
        #expect(isAtRest == isWanted, why, sourceLocation: place)
    }

    @Test func `nothing of it is begun any more, and it is at rest once what was under way is in the log`() {
        var world = PlanWorld([("sink", 2)]) { _, _, _ in nil }
        world.plan.handOver(places(1...5))
        world.settleDown()
        #expect(world.tries.map(\.seq) == [1, 2])
        world.plan.hold(Self.first)
        world.plan.handOver(places(6...12))
        world.settleDown()
        #expect(world.tries.map(\.seq) == [1, 2], "its window is full")
        expectRest(false, &world)
        world.answer(.taken)
        world.settleDown()
        #expect(world.tries.map(\.seq) == [1, 2, 10], "the other log's go on")
        expectRest(false, &world)
        // It is tried again elsewhere, if at all.
        world.answer(.later)
        expectRest(true, &world, "job 1 is in the log already")
        world.now = world.now.advanced(bySeconds: 60)
        world.settleDown()
        #expect(world.tries.map(\.seq) == [1, 2, 10, 11])
    }

    @Test func `it is not at rest before its outcomes are in the log`() {
        var world = PlanWorld { _, _, _ in nil }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.answer(.taken)
        expectRest(false, &world)
        #expect(world.plan.offer(at: world.now)?.count == 1)
        expectRest(false, &world)
        world.plan.offered(isRecorded: false, at: world.now)
        expectRest(false, &world, "the log was busy")
        world.now = world.now.advanced(bySeconds: 1)
        world.settleDown()
        expectRest(true, &world)
    }

    @Test func `what waits of it is forgotten once another worker has it, and comes again with the log`() {
        var world = PlanWorld([("sink", 3)]) { _, seq, _ in seq == 3 ? .later : .taken }
        world.plan.hold(Self.first)
        world.plan.handOver(places(1...9))
        world.plan.handOver(places(10...12))
        world.settleDown()
        #expect(world.facts.map(\.job) == (10...12).map { order($0).id })
        world.plan.forget(Self.first)
        #expect(world.plan.unfinished == 0)
        world.runOut()
        #expect(world.facts.count == 3)
        world.comeBack(Self.first, with: [3, 5, 9])
        world.settleDown()
        #expect(world.facts.dropFirst(3).map(\.job) == [5, 9].map { order($0).id })
        #expect(world.plan.unfinished == 1)
    }

    @Test func `where it stays after all, everything goes on with the tries that it has behind it`() {
        var world = PlanWorld([("sink", 3)]) { _, seq, number in seq == 1 && number < 4 ? .later : .taken }
        world.plan.handOver(places(1...2))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.handOver(places(3...4))
        for _ in 0..<3 {
            world.now = world.now.advanced(bySeconds: 30)
            world.settleDown()
        }
        #expect(world.tries.map(\.seq) == [1, 2])
        world.plan.resume(Self.first)
        world.runOut()
        #expect(world.tries.filter { $0.seq == 1 }.map(\.number) == [1, 2, 3, 4])
        #expect(Set(world.facts.map(\.job)) == Set((1...4).map { order($0).id }))
        #expect(world.facts.count == 4)
        #expect(world.plan.unfinished == 0)
    }

    @Test func `what was to be tried again while it was held is forgotten with the rest`() {
        var world = PlanWorld([("one", 1), ("two", 1)]) { sink, seq, _ in seq < 10 ? (sink == 0 ? nil : .later) : .taken
        }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.answer(.later)
        world.settleDown()
        expectRest(true, &world)
        world.plan.forget(Self.first)
        #expect(world.plan.unfinished == 0)
        world.plan.handOver(places(10...12))
        world.now = world.now.advanced(bySeconds: 60)
        world.runOut()
        #expect(world.facts.map(\.job) == (10...12).map { order($0).id })
        #expect(world.tries.count == 2 + 6)
    }

    /// Nobody else can have told the log, where it comes back without an outcome.
    @Test func `an answer that comes when the log has gone is told to it when it comes back, and not to any other`() {
        var world = PlanWorld([("one", 1), ("two", 1)]) { sink, seq, _ in sink == 0 && seq < 10 ? nil : .taken }
        world.plan.handOver(places(1...3))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        #expect(world.plan.unfinished == 1, "the first, which is under way")
        world.plan.handOver(places(10...20))
        world.settleDown()
        world.answer(.taken)
        world.runOut()
        #expect(Set(world.facts.map(\.job)) == Set((10...20).map { order($0).id }))
        #expect(world.plan.unfinished == 0)
        let tried = world.tries.count
        world.comeBack(Self.first, with: [1])
        world.runOut()
        #expect(world.facts.count == 12 && world.facts.last?.job == order(1).id)
        #expect(world.tries.count == tried, "it is not sent once more")
        #expect(world.plan.unfinished == 0)
    }

    @Test func `an outcome that the log did not take before it went is told when it comes back, if nobody else has`() {
        var world = PlanWorld { _, _, _ in .taken }
        world.plan.handOver(places(1...2) + places([10]))
        let batch = world.offerAll()
        #expect(batch?.count == 3)
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.plan.offered(isRecorded: false, at: world.now)
        world.now = world.now.advanced(bySeconds: 1)
        world.settleDown()
        #expect(world.facts.map(\.job) == [order(10).id], "it keeps nobody else's waiting")
        world.comeBack(Self.first, with: [2])
        world.settleDown()
        #expect(world.facts.map(\.job) == [10, 2].map { order($0).id })
        #expect(world.tries.count == 3)
        #expect(world.plan.unfinished == 0)
    }

    @Test func `what was under way when the log went and is to be tried again is begun here only when it comes back`() {
        var world = PlanWorld([("sink", 3)]) { _, _, number in number == 1 ? nil : .taken }
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.answer(.later)
        world.answer(.later)
        world.now = world.now.advanced(bySeconds: 3600)
        world.runOut()
        #expect(world.tries.count == 2)
        #expect(world.plan.unfinished == 0 && world.plan.nextWake == nil, "nothing is looked at again and again")
        world.behaviour = { _, _, _ in .taken }
        world.comeBack(Self.first, with: [2])
        world.runOut()
        #expect(world.facts.map(\.job) == [order(2).id])
    }

    /// Nobody could say just then whether it may go.
    @Test func `what is put off when the log has gone is not begun here`() {
        var world = PlanWorld { _, _, number in number == 1 ? nil : .taken }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.plan.postpone(world.unanswered[0], at: world.now)
        world.behaviour = { _, _, _ in .taken }
        world.now = world.now.advanced(bySeconds: 3600)
        world.runOut()
        #expect(world.tries.count == 1 && world.facts.isEmpty)
        #expect(world.plan.unfinished == 0 && world.plan.nextWake == nil)
    }

    /// Of each job one sink is still at work when the log comes back, and the other was to have it again.
    @Test func `what another worker has told the log of is not tried again`() {
        var world = PlanWorld([("one", 3), ("two", 3)]) { sink, _, _ in sink == 0 ? nil : .later }
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.behaviour = { _, _, _ in .taken }
        world.comeBack(Self.first, with: [1])
        world.now = world.now.advanced(bySeconds: 3600)
        world.runOut()
        #expect(world.tries.dropFirst(4).map(\.seq) == [1])
        // The second job's is not tried once more either.
        world.answer(.taken)
        world.answer(.later)
        world.now = world.now.advanced(bySeconds: 3600)
        world.runOut()
        #expect(world.tries.count == 5)
        #expect(world.plan.unfinished == 0)
    }

    /// One after the other, as their pauses end.
    @Test func `a job that is to be tried again on two ways while its log is away is let go of as a whole`() {
        var world = PlanWorld([("one", 3), ("two", 3)]) { _, seq, number in seq < 10 && number == 1 ? nil : .taken }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.answer(.retry(after: 5, reason: "answered 503"))
        world.answer(.retry(after: 60, reason: "answered 503"))
        #expect(world.plan.unfinished == 0)
        world.now = world.now.advanced(bySeconds: 6)
        world.settleDown()
        // It would get the place of the first.
        world.plan.handOver(places([10]))
        world.settleDown()
        #expect(world.facts.map(\.job) == [order(10).id])
        world.behaviour = { _, _, _ in .taken }
        world.comeBack(Self.first, with: [1])
        world.runOut()
        #expect(world.facts.map(\.job) == [10, 1].map { order($0).id })
        #expect(world.tries.filter { $0.seq == 1 }.count == 4, "each of the sinks once more, and once alone")
        #expect(world.plan.unfinished == 0)
    }

    @Test func `what is left to be done of a job is let go of when the rest is answered`() {
        var world = PlanWorld([("one", 3), ("two", 1)]) { sink, seq, _ in sink == 0 && seq == 1 ? nil : .later }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        #expect(world.plan.unfinished == 1)
        world.answer(.taken)
        #expect(world.plan.unfinished == 0)
        #expect(world.plan.nextWake == nil)
    }

    /// Another worker has sent the text meanwhile, and the push is still to come there.
    @Test func `an outcome of a channel that the log has one of is not told to it any more`() {
        var world = PlanWorld { _, _, _ in nil }
        world.channels = [.sms]
        world.plan.handOver(places([1]))
        world.settleDown()
        world.plan.hold(Self.first)
        world.plan.forget(Self.first)
        world.answer(.refused(reason: "answered 400"))
        let left = [JobPlace(position: 100, seq: 1, channels: .push)]
        #expect(world.plan.came(Self.first, with: left) == left)
        world.settleDown()
        #expect(world.facts.isEmpty)
    }

    @Test(arguments: 0..<60)
    func `whatever comes and goes, each job has one outcome where its log is`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var jobs: [UInt64] = []
        var world = PlanWorld([("one", 2), ("two", 3)]) { _, _, _ in
            [nil, .taken, .taken, .later, .refused(reason: "answered 410")].randomElement(using: &random) ?? nil
        }
        enum Log { case here, held, elsewhere }
        var (log, next) = (Log.here, UInt64(0))
        // What other workers have told it.
        var others: Set<String> = []
        func left() -> [UInt64] {
            let done = others.union(world.facts.map(\.job))
            return jobs.filter { $0 < 10 && !done.contains(order($0).id) }
        }
        for _ in 0..<60 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0...1:
                next += 1
                // Of either log: positions are a hundred times the number.
                let seq = log != .elsewhere && Bool.random(using: &random) ? min(next, 9) : next + 9
                if !jobs.contains(seq) {
                    jobs.append(seq)
                    world.plan.handOver(places([seq]))
                }
            case 2 where log == .here:
                world.plan.hold(Self.first)
                log = .held
            case 3 where log == .held:
                world.plan.resume(Self.first)
                log = .here
            case 4 where log == .held && world.plan.isAtRest(Self.first):
                // The next worker hands out what has no outcome; then the log comes back.
                world.plan.forget(Self.first)
                log = .elsewhere
            case 5 where log != .elsewhere:
                // It is lost.
                world.plan.hold(Self.first)
                world.plan.forget(Self.first)
                log = .elsewhere
            case 6 where log == .elsewhere:
                let underWay = Set(world.unanswered.map(\.place.seq))
                for seq in left() where Bool.random(using: &random) && !underWay.contains(seq) {
                    others.insert(order(seq).id)
                }
                world.comeBack(Self.first, with: left())
                log = .here
            case 7:
                if !world.unanswered.isEmpty { world.answer([.taken, .later].randomElement(using: &random) ?? .taken) }
            default: world.now = world.now.advanced(bySeconds: Int64.random(in: 0..<20, using: &random))
            }
            world.settleDown()
        }
        if log == .held { world.plan.resume(Self.first) }
        if log == .elsewhere { world.comeBack(Self.first, with: left()) }
        world.behaviour = { _, _, _ in .taken }
        while !world.unanswered.isEmpty { world.answer(.taken) }
        world.runOut()
        #expect(Dictionary(grouping: world.facts, by: \.job).values.allSatisfy { $0.count == 1 })
        #expect(others.isDisjoint(with: world.facts.map(\.job)))
        #expect(others.union(world.facts.map(\.job)) == Set(jobs.map { order($0).id }))
        #expect(world.plan.unfinished == 0)
    }
}

extension PlanWorld {
    /// A log was opened here again, and these jobs have no outcome in it.
    fileprivate mutating func comeBack(_ positions: Range<UInt64>, with seqs: [UInt64]) {
        let missing = plan.came(positions, with: places(seqs))
        plan.takeUp(missing)
    }

    /// Tries all, and offers what came of it to a log that does not answer.
    fileprivate mutating func offerAll() -> [Fact]? {
        while let attempt = plan.nextAttempt(at: now) {
            tryOnce(attempt)
        }
        return plan.offer(at: now)
    }
}
