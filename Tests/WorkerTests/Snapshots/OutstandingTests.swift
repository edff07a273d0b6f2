import CivilTime
import Journal
import Notices
import Testing
@testable import Worker

@Suite("Jobs without an outcome")
struct OutstandingTests {
    private static let identity = LogIdentity(words: (11, 12))
    private var outstanding = Outstanding(identity)

    private mutating func emit(_ job: String, by user: String, seq: UInt64) {
        var emitted = JobEmitted()
        emitted.job = NoticeName(job)
        take(.jobEmitted(emitted), user, seq)
    }

    private mutating func deliver(_ job: String, by user: String, seq: UInt64) {
        var delivered = JobDelivered()
        delivered.job = NoticeName(job)
        take(.jobDelivered(delivered), user, seq)
    }

    private mutating func take(_ payload: Payload, _ user: String, _ seq: UInt64) {
        outstanding.take(
            Event(seq: seq, at: Instant(milliseconds: Int64(seq)), user: user, payload: payload),
            about: user == "anna" ? 0 : 1, at: seq * 8)
    }

    @Test mutating func `are those neither delivered nor failed, in the order of their numbers`() {
        emit("anna/a/1", by: "anna", seq: 1)
        emit("ben/b/1", by: "ben", seq: 2)
        emit("anna/a/2", by: "anna", seq: 3)
        emit("anna/a/1~1", by: "anna", seq: 4)
        #expect(outstanding.inOrder.map(\.seq) == [1, 2, 3, 4])
        #expect(outstanding.inOrder.map(\.position) == [8, 16, 24, 32])
        deliver("anna/a/1", by: "anna", seq: 5)
        var failed = JobFailed()
        failed.job = NoticeName("anna/a/2")
        take(.jobFailed(failed), "anna", 6)
        #expect(outstanding.inOrder.map(\.seq) == [2, 4])
    }

    @Test mutating func `somebody else's outcome is none`() {
        emit("ben/b/1", by: "ben", seq: 1)
        deliver("ben/b/1", by: "anna", seq: 2)
        #expect(outstanding.count == 1)
    }

    private mutating func report(_ job: String, _ ways: [Channel], seq: UInt64) {
        var report = DeliveryReported()
        (report.job, report.channel, report.givesWayTo) = (NoticeName(job), .email, ways)
        take(.deliveryReported(report), "anna", seq)
    }

    @Test mutating func `and those that go another way, until one of the others has an outcome (N4)`() {
        emit("anna/a/1", by: "anna", seq: 1)
        deliver("anna/a/1", by: "anna", seq: 2)
        report("anna/a/1", [], seq: 3)
        #expect(outstanding.count == 0)
        emit("anna/a/2", by: "anna", seq: 4)
        report("anna/a/1", [.email, .sms], seq: 5)
        report("anna/a/2", [.sms], seq: 6)
        // One may still be to come on its own channels, too.
        #expect(outstanding.inOrder.map(\.seq) == [4] && outstanding.found.map(\.seq) == [5, 6])
        var head = LogHead.start
        (head.position, head.lastSeq) = (1000, 50)
        #expect(Outstanding(Self.identity, numbers: outstanding.numbers, as: head) == outstanding)
        deliver("anna/a/2", by: "anna", seq: 7)
        #expect(outstanding.inOrder.isEmpty && outstanding.found.map(\.seq) == [5, 6])
        var failed = JobFailed()
        (failed.job, failed.channel) = (NoticeName("anna/a/1"), .sms)
        take(.jobFailed(failed), "anna", 8)
        #expect(outstanding.found.map(\.seq) == [6])
        // Nothing was to be sent after all.
        (failed.job, failed.isUntried) = (NoticeName("anna/a/2"), true)
        take(.jobFailed(failed), "anna", 9)
        #expect(outstanding.count == 0)
        report("anna/a/2", [.sms], seq: 10)
        take(.personErased(PersonErased()), "anna", 11)
        #expect(outstanding.count == 0)
    }

    @Test
    mutating func
        `what is sent once more is outstanding until each of its channels has an outcome, beside what never was (N7)`()
    {
        func outcome(_ channel: Channel, _ isTaken: Bool = true) -> Payload {
            if isTaken {
                var taken = JobDelivered()
                (taken.job, taken.channel) = (NoticeName("anna/a/1"), channel)
                return .jobDelivered(taken)
            }
            var failed = JobFailed()
            (failed.job, failed.channel) = (NoticeName("anna/a/1"), channel)
            return .jobFailed(failed)
        }
        var emitted = JobEmitted()
        (emitted.job, emitted.channels) = (NoticeName("anna/a/1"), [.push, .email, .sms])
        take(.jobEmitted(emitted), "anna", 1)
        take(outcome(.push, false), "anna", 2)
        take(outcome(.email, false), "anna", 3)
        var again = JobRetryRequested()
        again.job = NoticeName("anna/a/1")
        outstanding.take(
            Event(seq: 4, at: Instant(milliseconds: 4), user: "anna", payload: .jobRetryRequested(again)), about: 0,
            at: 32, again: [.push, .email])
        // The text was never tried.
        #expect(
            outstanding.inOrder.map(\.channels) == [.sms] && outstanding.found.map(\.channels) == [[.push, .email]])
        var head = LogHead.start
        (head.position, head.lastSeq) = (1000, 50)
        #expect(Outstanding(Self.identity, numbers: outstanding.numbers, as: head) == outstanding)
        take(outcome(.push), "anna", 5)
        #expect(outstanding.found.map(\.seq) == [4] && outstanding.found.map(\.channels) == [.email])
        take(outcome(.sms), "anna", 6)
        take(outcome(.email), "anna", 7)
        #expect(outstanding.count == 0)
        // Nothing was to be sent once more, and what is still to come stays.
        (emitted.job, emitted.channels) = (NoticeName("anna/a/1"), [.sms])
        take(.jobEmitted(emitted), "anna", 8)
        take(.jobRetryRequested(again), "anna", 8)
        var untried = JobFailed()
        (untried.job, untried.channel, untried.isUntried) = (NoticeName("anna/a/1"), .sms, true)
        take(.jobFailed(untried), "anna", 9)
        #expect(outstanding.found.isEmpty && outstanding.inOrder.map(\.seq) == [8])
    }

    @Test mutating func `come back from a snapshot, if they are as of its place`() {
        for seq in 1...50 { emit("anna/a/\(seq)", by: "anna", seq: UInt64(seq)) }
        var head = LogHead.start
        (head.position, head.lastSeq) = (1000, 50)
        let numbers = outstanding.numbers
        #expect(Outstanding(Self.identity, numbers: numbers, as: head) == outstanding)
        #expect(Outstanding(Self.identity, numbers: numbers.dropLast(), as: head) == nil)
        #expect(Outstanding(Self.identity, numbers: numbers + numbers.prefix(5), as: head) == nil)
        var earlier = head
        earlier.position = 400
        #expect(Outstanding(Self.identity, numbers: numbers, as: earlier) == nil)
        var again = Outstanding(Self.identity, numbers: numbers, as: head)
        var delivered = JobDelivered()
        delivered.job = NoticeName("anna/a/7")
        again?.take(
            Event(seq: 51, at: .distantPast, user: "anna", payload: .jobDelivered(delivered)), about: 0, at: 1000)
        #expect(again?.count == 49)
    }

    @Test mutating func `of somebody who was erased none is left`() {
        emit("anna/a/1", by: "anna", seq: 1)
        emit("ben/b/1", by: "ben", seq: 2)
        take(.personErased(PersonErased()), "anna", 3)
        #expect(outstanding.inOrder.map(\.seq) == [2])
    }
}
