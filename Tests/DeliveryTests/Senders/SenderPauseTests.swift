import CivilTime
import Testing

@testable import Delivery

/// Who looks after a worker sees that a sender is given nothing, and until when.
@Suite("N5, pauses are seen")
struct SenderPauseTests {
    private let hour = newYear.advanced(byHours: 1)

    /// A carrier that has answered the first of two jobs, the other of which waits.
    private func plan(_ jobs: Int, _ verdict: SenderVerdict, calls: Int = 1) throws -> DeliveryPlan {
        var plan = DeliveryPlan(sinks: [.init(name: "webhook", window: calls)])
        plan.handOver((1...jobs).map { JobPlace(position: 0, seq: UInt64($0)) })
        let first = plan.nextAttempt(at: newYear)
        let attempt = try #require(first)
        plan.settle(attempt, sampleOrder(notAfter: nil), verdict, at: newYear)
        return plan
    }

    @Test func `one that asked for a pause is given nothing before its end, whatever waits`() throws {
        for jobs in [1, 2] {
            let plan = try plan(jobs, .wait(seconds: 3600, reason: "answered 503", whom: .sender))
            #expect(plan.standing(of: 0, at: newYear).nextTryAt == hour)
            #expect(plan.standing(of: 0, at: hour).nextTryAt.map { $0 > hour } != true || jobs == 1)
        }
    }

    @Test func `one that put off its only job is asked again then, and one that has others to take is not paused`()
        throws
    {
        let wait = SenderVerdict.wait(seconds: 3600, reason: "answered 503", whom: .address)
        let due = try #require(plan(1, wait).standing(of: 0, at: newYear).nextTryAt)
        #expect(due >= hour && due < hour.advanced(byMinutes: 10))
        #expect(try plan(2, wait).standing(of: 0, at: newYear).nextTryAt == nil)
    }

    @Test func `a failure that is tried again is no pause`() throws {
        #expect(try plan(1, .transient(reason: "answered 500")).standing(of: 0, at: newYear).nextTryAt == nil)
    }

    @Test func `a pause that is over is none, also where nobody has looked since`() {
        let standing = CarrierStanding(name: "a", waiting: 0, isBroken: false, problem: nil, nextTryAt: hour)
        #expect(standing.nextTry(at: newYear) == hour && standing.shown(at: newYear) == standing)
        #expect(standing.nextTry(at: hour) == nil && standing.shown(at: hour).nextTryAt == nil)
    }

    @Test func `a long pause is said once, and once more when it is asked for again`() {
        var complaint = SinkComplaint(sink: "webhook")
        func said(_ pause: Int64?, after seconds: Int64) -> [String] {
            let now = newYear.advanced(bySeconds: seconds)
            return complaint.stand(false, pause.map { newYear.advanced(bySeconds: $0) }, at: now).map(\.text)
        }
        #expect(said(60, after: 0) == [] && said(nil, after: 0) == [])
        #expect(said(600, after: 1) == ["webhook is given nothing for 599 s, as it asked"])
        #expect(said(600, after: 2) == [] && said(900, after: 599) == [])
        #expect(said(1200, after: 600) == ["webhook is given nothing for 600 s, as it asked"])
    }

    @Test func `a document with others forgets what was said of those before (N1)`() {
        var desk = CarrierDesk("smtp")
        let mistake = SenderVerdict.misconfigured(.init("answered 535", cure: "see the password"))
        #expect(desk.complaint.hear(mistake).count == 1 && desk.complaint.hear(mistake).isEmpty)
        desk.startOver()
        #expect(desk.complaint.problem == nil && desk.complaint.hear(mistake).count == 1)
    }

    @Test func `jobs that cannot be read are said once a minute, however many they are`() {
        var report = UnreadableReport()
        func hear(_ seq: UInt64, after seconds: Int64, isOver: Bool = false) -> [String] {
            let now = newYear.advanced(bySeconds: seconds)
            return report.hear(JobPlace(position: 0, seq: seq), isOver: isOver, "too many files", at: now).map {
                "\($0.message) \($0.fields[0].1)"
            }
        }
        #expect(hear(1, after: 0) == ["a job cannot be read from the log 1"])
        for seq in 2...100_000 as ClosedRange<UInt64> { #expect(hear(seq, after: 1).isEmpty) }
        #expect(report.nextDue == newYear.advanced(bySeconds: 60))
        #expect(hear(7, after: 60) == ["more jobs could not be read from the log 99999"])
        #expect(report.tell(at: newYear.advanced(bySeconds: 119)) == nil)
        #expect(report.tell(at: newYear.advanced(bySeconds: 120))?.fields.first?.1 == "1")
        #expect(report.nextDue == nil)
        #expect(report.tell(at: newYear.advanced(bySeconds: 180)) == nil)
        #expect(hear(8, after: 181, isOver: true) == ["a job is left for the next start 8"])
    }
}
