import CivilTime
import Delivery
import Notices
import Testing

@Suite("SPEC §11, the plan of deliveries")
struct DeliveryPlanTests {
    @Test func `a job that is taken is delivered once on each of its channels`() {
        var world = PlanWorld { _, _, _ in .taken(providerID: "p-1") }
        world.channels = [.push, .email]
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(
            world.facts.map(\.outcome) == [
                "anna/reminder/goal:g1/#1~1 push delivered as p-1", "anna/reminder/goal:g1/#1~1 email delivered as p-1",
            ])
        #expect(world.facts.allSatisfy { $0.user == "anna" })
        #expect(world.plan.unfinished == 0)
    }

    @Test func `five tries with the pauses of the job, then it has failed, and not for ever`() {
        var world = PlanWorld([("webhook https://example.com", 4)]) { _, _, _ in .later }
        world.channels = [.email]
        world.plan.handOver(places([1]))
        world.runOut()
        var due = newYear
        let id = order(1).id
        for (index, attempt) in world.tries.enumerated() {
            #expect(attempt == .init(sink: 0, seq: 1, number: index + 1, at: due))
            if index < 4 {
                due = due.advanced(byMilliseconds: RetryPause.milliseconds(after: index + 1, of: id))
            }
        }
        #expect(world.tries.count == 5)
        #expect(
            world.facts.map(\.outcome) == ["\(id) email failed: webhook https://example.com answered 503, 5 tries"])
    }

    @Test func `a job that waits for its retry blocks no other`() {
        // The window has room for one: a waiting job must not take it.
        var world = PlanWorld([("sink", 1)]) { _, seq, _ in seq == 1 ? .later : .taken }
        world.plan.handOver(places(1...50))
        world.settleDown()
        #expect(world.facts.map(\.job) == (2...50).map { order($0).id })
        #expect(world.plan.unfinished == 1)
    }

    @Test func `one that is refused is not tried again`() {
        var world = PlanWorld { _, _, _ in .refused(reason: "answered 410") }
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.tries.count == 1)
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push failed: sink answered 410"])
    }

    @Test func `no more are with a sink than its window holds`() {
        var world = PlanWorld([("small", 2), ("large", 5)]) { _, _, _ in nil }
        world.plan.handOver(places(1...20))
        world.settleDown()
        #expect(world.unanswered.count { $0.sink == 0 } == 2)
        #expect(world.unanswered.count { $0.sink == 1 } == 5)
        world.answer(.taken)
        world.settleDown()
        #expect(world.tries.count == 8)
    }

    @Test func `a sink that stands still does not keep jobs from another`() {
        var world = PlanWorld([("stuck", 1), ("good", 1)]) { sink, _, _ in sink == 0 ? nil : .taken }
        world.plan.handOver(places(1...100))
        world.settleDown()
        #expect(world.tries.filter { $0.sink == 1 }.map(\.seq) == Array(1...100))
        #expect(world.facts.isEmpty)
    }

    @Test func `new jobs and retries take turns`() {
        var world = PlanWorld([("sink", 1)]) { _, seq, number in seq <= 10 && number == 1 ? .later : .taken }
        world.plan.handOver(places(1...10))
        world.settleDown()
        world.now = world.now.advanced(bySeconds: 5)
        world.plan.handOver(places(11...20))
        world.settleDown()
        let numbers = world.tries.dropFirst(10).map(\.number)
        #expect(numbers.count == 20 && zip(numbers, numbers.dropFirst()).allSatisfy { $0 != $1 }, "\(numbers)")
    }

    // MARK: not_after

    @Test func `past its not_after a job is never sent: too_late`() {
        var world = PlanWorld { _, _, _ in .taken }
        world.notAfter = newYear
        world.plan.handOver(places([1]))
        world.settleDown()
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push delivered"], "its last millisecond is in time")
        world.now = newYear.advanced(byMilliseconds: 1)
        world.plan.handOver(places([2]))
        world.settleDown()
        #expect(world.tries.count == 1)
        #expect(world.facts.last?.outcome == "\(order(2).id) push failed: too_late")
        #expect(world.plan.takeGivenUp().map(\.tries) == [0])
    }

    @Test func `a retry that would come after not_after is not waited for`() {
        var world = PlanWorld { _, _, _ in .later }
        world.notAfter = newYear.advanced(bySeconds: 20)
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.tries.count == 3)
        #expect(
            world.facts.map(\.outcome) == ["\(order(1).id) push failed: sink answered 503, 3 tries before not_after"])
        #expect(world.now <= newYear.advanced(bySeconds: 20))
    }

    @Test func `a retry that found no room in time is too late`() {
        var world = PlanWorld([("sink", 1)]) { _, seq, _ in seq == 1 ? .later : nil }
        world.notAfter = newYear.advanced(bySeconds: 20)
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        world.now = newYear.advanced(bySeconds: 21)
        world.answer(.taken)
        world.settleDown()
        #expect(
            world.facts.map(\.outcome) == [
                "\(order(2).id) push delivered", "\(order(1).id) push failed: too_late",
            ])
    }

    // MARK: What a sink asks for

    @Test func `a sink that says how long to wait is waited for`() {
        var world = PlanWorld { _, _, number in number == 1 ? .retry(after: 120, reason: "answered 429") : .taken }
        world.plan.handOver(places([1]))
        world.runOut()
        let wait = world.tries[1].at.milliseconds(since: newYear)
        #expect((120_000...150_000).contains(wait))
    }

    @Test func `what a sink asks to wait uses up none of the five tries`() {
        // Nine waits, then four failures: a fifth would end it.
        var world = PlanWorld { _, _, number in
            number < 10 ? .retry(after: 3, reason: "answered 429") : number < 14 ? .later : .taken
        }
        world.notAfter = newYear.advanced(byHours: 1)
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.tries.count == 14)
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push delivered"])
        #expect(world.plan.takeGivenUp().isEmpty)
    }

    @Test func `waits between failures do not count as failures, nor take any away`() {
        var world = PlanWorld { _, _, number in
            number.isMultiple(of: 2) ? .retry(after: 1, reason: "answered 429") : .later
        }
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.tries.count == 9)
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push failed: sink answered 503, 9 tries"])
    }

    @Test func `one that says later for ever is asked until not_after, where there is one`() {
        var world = PlanWorld { _, _, _ in .retry(after: 60, reason: "answered 429") }
        world.notAfter = newYear.advanced(byHours: 48)
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.facts.count == 1)
        #expect(world.facts[0].outcome.hasSuffix("tries before not_after"))
        #expect(world.now <= newYear.advanced(byHours: 48))
        #expect(world.now > newYear.advanced(byHours: 47))
    }

    @Test func `and for a day from the first time it said so, where there is none`() {
        var world = PlanWorld { _, _, number in number == 1 ? .later : .retry(after: 0, reason: "answered 429") }
        world.now = newYear.advanced(byHours: 72)
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.facts.count == 1)
        #expect(world.facts[0].outcome.hasSuffix("tries in 24 h"), "\(world.facts[0].outcome)")
        #expect(world.now <= newYear.advanced(byHours: 72 + 24).advanced(bySeconds: 3))
        #expect(world.now > newYear.advanced(byHours: 72 + 23))
        // Though it said "at once" each time.
        #expect(world.tries.count < 1600)
    }

    @Test func `a job that is given up is told once, with its sink, its reason and its tries`() {
        var world = PlanWorld([("a", 4), ("b", 4)]) { sink, seq, _ in
            sink == 0 ? .taken : seq == 1 ? .refused(reason: "answered 410") : .later
        }
        world.plan.handOver(places([1, 2]))
        world.runOut()
        let told = world.plan.takeGivenUp()
        #expect(told.map(\.job) == [order(1).nameless, order(2).nameless])
        #expect(told.map(\.seq) == [1, 2])
        #expect(told.map(\.sink) == [1, 1])
        #expect(told.map(\.reason) == ["b answered 410", "b answered 503, 5 tries"])
        #expect(told.map(\.tries) == [1, 5])
        #expect(world.plan.takeGivenUp().isEmpty)
    }

    // MARK: Several sinks

    @Test func `delivered is what all sinks took`() {
        var world = PlanWorld([("a", 4), ("b", 4)]) { sink, seq, _ in
            sink == 1 && seq == 2 ? .refused(reason: "answered 404") : .taken(providerID: sink == 1 ? "b-\(seq)" : nil)
        }
        world.plan.handOver(places([1, 2]))
        world.runOut()
        #expect(
            world.facts.map(\.outcome) == [
                "\(order(1).id) push delivered as b-1", "\(order(2).id) push failed: b answered 404",
            ])
    }

    @Test func `each sink that failed says why, in the order they were given`() {
        var world = PlanWorld([("a", 4), ("b", 4)]) { sink, _, _ in
            sink == 0 ? .later : .refused(reason: "answered 404")
        }
        world.plan.handOver(places([1]))
        world.runOut()
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push failed: a answered 503, 5 tries; b answered 404"])
    }

    @Test func `a job has no outcome before its last sink is done`() {
        var world = PlanWorld([("a", 4), ("b", 4)]) { sink, _, _ in sink == 0 ? .taken : nil }
        world.plan.handOver(places([1]))
        world.settleDown()
        #expect(world.facts.isEmpty)
        world.answer(.taken)
        world.settleDown()
        #expect(world.facts.count == 1)
    }

    @Test func `a second answer to one try changes nothing`() {
        var world = PlanWorld { _, _, _ in nil }
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        let attempt = world.unanswered[0]
        world.answer(.taken)
        world.plan.settle(attempt, order(1), .refused(reason: "no"), at: world.now)
        world.plan.handOver(places([3]))
        world.plan.settle(attempt, order(1), .taken, at: world.now)
        world.settleDown()
        #expect(world.facts.map(\.outcome) == ["\(order(1).id) push delivered"])
        #expect(world.plan.unfinished == 2)
    }
}

@Suite("A log that is opened again while its jobs wait")
struct TakenUpAgainTests {
    @Test func `a job that waits, pauses or is under way goes out once`() {
        var world = PlanWorld([("sink", 2)]) { _, seq, _ in seq == 1 ? .later : nil }
        world.plan.handOver(places(1...4))
        world.settleDown()
        #expect(world.unanswered.map(\.place.seq) == [2, 3])
        // A channel may have had its outcome since.
        world.plan.takeUp(places(1...5).map { JobPlace(position: $0.position, seq: $0.seq, channels: .push) })
        #expect(world.plan.unfinished == 5)
        world.behaviour = { _, _, _ in .taken }
        world.answer(.taken)
        world.answer(.taken)
        world.runOut()
        #expect(world.facts.map(\.job) == [2, 3, 4, 5, 1].map { order($0).id })
        #expect(world.tries.map(\.seq) == [1, 2, 3, 4, 5, 1])
    }

    @Test func `what the plan is done with, has of another log, or has for other channels is taken up`() {
        var world = PlanWorld { _, seq, _ in seq == 1 ? .taken : nil }
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        #expect(world.plan.unfinished == 1)
        let other = JobPlace(position: 1 << 48 | 200, seq: 1 << 48 | 2)
        let way = JobPlace(position: 200, seq: 2, channels: .email, insteadOf: .push)
        world.plan.takeUp(places([1, 2]) + [way])
        #expect(world.plan.unfinished == 3)
        world.plan.takeUp([other])
        #expect(world.plan.unfinished == 4)
    }
}

@Suite("Outcomes on their way into the log")
struct OutcomeTests {
    @Test func `outcomes that the log had no room for are offered again, the same and no others`() throws {
        var world = PlanWorld([("sink", 100)]) { _, _, _ in nil }
        world.plan.handOver(places([1, 2]))
        world.settleDown()
        world.answer(.taken)
        let first = world.plan.offer(at: world.now)
        let offered = try #require(first)
        world.answer(.taken)
        #expect(world.plan.offer(at: world.now) == nil, "one batch at a time")
        world.plan.offered(isRecorded: false, at: world.now)
        #expect(world.plan.offer(at: world.now) == nil, "a busy log is left alone for a moment")
        #expect(!world.plan.isQuiet)
        world.now = try #require(world.plan.nextWake)
        let second = world.plan.offer(at: world.now)
        let again = try #require(second)
        #expect(Array(again.prefix(offered.count)) == offered)
        #expect(again.map(\.job) == [order(1).id, order(2).id])
        world.plan.offered(isRecorded: true, at: world.now)
        #expect(world.plan.isQuiet)
        #expect(world.plan.offer(at: world.now) == nil)
        #expect(world.plan.unfinished == 0)
    }

    @Test func `a clock that goes back does not keep outcomes from the log`() {
        var world = PlanWorld { _, _, _ in nil }
        world.plan.handOver(places([1]))
        world.settleDown()
        world.answer(.taken)
        _ = world.plan.offer(at: world.now)
        world.plan.offered(isRecorded: false, at: world.now)
        world.now = world.now.advanced(byHours: -1)
        #expect(world.plan.offer(at: world.now)?.count == 1)
    }

    @Test func `the channels of one job are never parted`() {
        var world = PlanWorld([("sink", 2000)]) { _, _, _ in .taken }
        world.channels = [.push, .email, .sms]
        world.plan.handOver(places(1...1000))
        while let attempt = world.plan.nextAttempt(at: world.now) {
            world.plan.settle(attempt, world.order(attempt), .taken, at: world.now)
        }
        var batches: [[Fact]] = []
        while let batch = world.plan.offer(at: world.now) {
            batches.append(batch)
            world.plan.offered(isRecorded: true, at: world.now)
        }
        #expect(batches.count > 1)
        #expect(batches.allSatisfy { $0.count % 3 == 0 && $0.count <= 768 })
        #expect(batches.joined().count == 3000)
    }

    @Test func `while the log takes no outcomes, no more than a bounded number of jobs is begun`() {
        var world = PlanWorld { _, _, _ in .taken }
        world.plan.handOver(places(1...100_000))
        var begun = 0
        while let attempt = world.plan.nextAttempt(at: world.now) {
            begun += 1
            world.plan.settle(attempt, world.order(attempt), .taken, at: world.now)
        }
        #expect(begun == 4096)
        #expect(world.plan.nextWake == nil, "the answer of the log goes on, not a timer")
    }

    @Test func `what is closed begins nothing, hears answers and wakes for no pause`() {
        var world = PlanWorld([("sink", 2)]) { _, seq, _ in seq == 1 ? .later : nil }
        world.plan.handOver(places([1, 2, 3, 4]))
        world.settleDown()
        world.plan.close()
        world.answer(.taken)
        world.now = world.now.advanced(byHours: 1)
        world.settleDown()
        #expect(world.plan.nextWake == nil)
        #expect(world.facts.map(\.job) == [order(2).id])
        #expect(world.tries.count == 3)
    }
}

@Suite("A log that cannot be read back")
struct UnreadableTests {
    @Test func `a job is read again later, and at last left for the next start without an outcome`() throws {
        var plan = DeliveryPlan(sinks: [.init(name: "a", window: 1)])
        plan.handOver(places([1]))
        var now = newYear
        for number in 1...5 {
            let next = plan.nextAttempt(at: now)
            let attempt = try #require(next)
            #expect(attempt.number == number)
            let isOver = plan.unreadable(attempt, at: now)
            #expect(isOver == (number == 5))
            let another = plan.nextAttempt(at: now)
            #expect(another == nil)
            if number < 5 { now = try #require(plan.nextWake) }
        }
        #expect(plan.unfinished == 0)
        let outcome = plan.offer(at: now)
        #expect(outcome == nil)
    }

    @Test func `it has no outcome either when another sink took it`() throws {
        var plan = DeliveryPlan(sinks: [.init(name: "a", window: 1), .init(name: "b", window: 1)])
        plan.handOver(places([1]))
        var now = newYear
        while true {
            if let attempt = plan.nextAttempt(at: now) {
                if attempt.sink == 0 {
                    _ = plan.unreadable(attempt, at: now)
                } else {
                    plan.settle(attempt, order(1), .taken, at: now)
                }
            } else {
                guard let wake = plan.nextWake else { break }
                now = wake
            }
        }
        #expect(plan.unfinished == 0)
        let outcome = plan.offer(at: now)
        #expect(outcome == nil)
    }
}
