import CivilTime
import Journal
import Notices
import Simulation
import Synchronization
import Testing
@testable import Worker

/// The check of the log behind a worker, under a virtual clock.
@Suite("The log behind the worker is checked")
struct LogPatrolTests {
    private static let evening = Instant(milliseconds: 1_772_452_800_000)  // 2026-03-02T12:00:00Z
    private static let hour: Int64 = 3_600_000
    private static let directory = "/log"

    private final class Clock: Sendable {
        private let time: Mutex<Instant>

        init(_ start: Instant) { time = Mutex(start) }

        var now: Instant { time.withLock { $0 } }
        func advance(hours: Int64) { time.withLock { $0 = $0.advanced(byMilliseconds: hours * LogPatrolTests.hour) } }
    }

    private let disk = SimulatedDisk()
    private let clock = Clock(LogPatrolTests.evening)

    /// A log of some segments; gives where it ends.
    private func write(_ commits: Int, titleBytes: Int = 1) throws -> LogHead {
        let journal = try Journal(
            Self.directory, on: disk, holder: "a test", options: JournalOptions(segmentBytesMax: 2000))
        for number in 0..<commits {
            var goal = GoalStarted()
            goal.goal = Identifier("g\(number)")
            goal.title = Text(String(repeating: "x", count: titleBytes))
            _ = try journal.append([Entry(user: "u\(number % 7)", payload: .goalStarted(goal))], at: Self.evening)
            try journal.commit()
        }
        defer { try? journal.close() }
        return journal.head
    }

    private func patrol(_ head: @escaping @Sendable () -> LogHead) -> LogPatrol {
        LogPatrol(Self.directory, on: disk, clock: { [clock] in clock.now }, durable: head)
    }

    /// Works until it is idle; gives what it found whole meanwhile.
    private func workUntilIdle(_ patrol: LogPatrol) throws -> (reports: [LogPatrol.Report], idleUntil: Instant) {
        var reports: [LogPatrol.Report] = []
        for _ in 0..<10_000 {
            switch try patrol.step() {
            case .idle(let until): return (reports, until)
            case .worked: break
            case .finished(let report): reports.append(report)
            }
        }
        Issue.record("it never ends")
        return (reports, .distantFuture)
    }

    @Test func `once a start, and then every night at three`() throws {
        let head = try write(100)
        let patrol = patrol { head }
        #expect(patrol.standing == LogPatrol.Standing())
        let first = try workUntilIdle(patrol)
        #expect(first.reports == [LogPatrol.Report(bytes: head.position, commits: 100)])
        #expect("\(first.idleUntil)" == "2026-03-03T03:00:00.000Z")
        #expect(patrol.standing.whole?.at == Self.evening && patrol.standing.whole?.position == head.position)
        clock.advance(hours: 14)
        #expect(try workUntilIdle(patrol).reports == [])
        clock.advance(hours: 1)
        let second = try workUntilIdle(patrol)
        #expect(second.reports.count == 1)
        #expect("\(second.idleUntil)" == "2026-03-04T03:00:00.000Z")
    }

    @Test func `what was durable when it began is what it reads, and the next night what came since`() throws {
        let (early, late) = (try write(50), try write(50))
        let known = Mutex(early)
        let patrol = patrol { known.withLock { $0 } }
        #expect(try workUntilIdle(patrol).reports == [LogPatrol.Report(bytes: early.position, commits: 50)])
        known.withLock { $0 = late }
        clock.advance(hours: 24)
        #expect(try workUntilIdle(patrol).reports == [LogPatrol.Report(bytes: late.position, commits: 100)])
    }

    @Test func `a bit that flips behind the worker is found the next night`() throws {
        let head = try write(100)
        let patrol = patrol { head }
        _ = try workUntilIdle(patrol)
        disk.flipBit(path: "/log/00000000000000000000.segment", bit: 8 * 900)
        #expect(try workUntilIdle(patrol).reports == [])
        clock.advance(hours: 15)
        do {
            _ = try workUntilIdle(patrol)
            Issue.record("nothing was found")
        } catch JournalError.damaged(let damage) {
            #expect(damage.file == "/log/00000000000000000000.segment")
        }
        #expect(patrol.standing.underway?.total == nil)
    }

    @Test func `one that fails is tried again in an hour`() throws {
        let head = try write(10)
        let patrol = patrol { head }
        disk.countReads = true
        disk.faults = [disk.operations + 3: .error(ErrorCode.tooManyFiles)]
        do {
            _ = try patrol.step()
            Issue.record("the disk's failure was not told")
        } catch JournalError.disk(let error) {
            #expect(error.code == ErrorCode.tooManyFiles)
        }
        #expect(patrol.standing.problem?.contains("(EMFILE)") == true, "\(patrol.standing)")
        guard case .idle(let until) = try patrol.step() else {
            Issue.record("it is tried again at once")
            return
        }
        #expect(until.milliseconds(since: clock.now) == Self.hour)
        clock.advance(hours: 1)
        #expect(try workUntilIdle(patrol).reports.count == 1)
        #expect(patrol.standing.problem == nil)
    }

    @Test func `it goes in small pieces, and says how far it is`() throws {
        let head = try write(200, titleBytes: 4000)
        try #require(head.position > 2 * UInt64(LogPatrol.pieceBytes))
        let patrol = patrol { head }
        var read = 0
        while case .worked(let bytes) = try patrol.step() {
            #expect(bytes >= LogPatrol.pieceBytes && bytes < LogPatrol.pieceBytes + 5000)
            read += bytes
            #expect(patrol.standing.underway?.position == UInt64(read))
            #expect(patrol.standing.underway?.total == head.position)
        }
        #expect(patrol.standing.underway?.total == nil)
        // The rest came with the last step, and is no larger than any other.
        #expect(head.position - UInt64(read) < UInt64(LogPatrol.pieceBytes + 5000))
    }

    @Test func `a log without anything is whole at once`() throws {
        let head = try write(0)
        #expect(try workUntilIdle(patrol { head }).reports == [LogPatrol.Report(bytes: 0, commits: 0)])
    }

    // MARK: When

    @Test(arguments: [
        ("2026-03-02T20:59:59Z", "2026-03-03T03:00:00.000Z"), ("2026-03-02T21:00:00Z", "2026-03-03T03:00:00.000Z"),
        ("2026-03-02T21:00:01Z", "2026-03-04T03:00:00.000Z"), ("2026-03-03T03:00:00Z", "2026-03-04T03:00:00.000Z"),
        ("2024-02-28T12:00:00Z", "2024-02-29T03:00:00.000Z"),
    ])
    func `the next night is the one six hours ahead or more`(begun: String, next: String) throws {
        var times = CheckTimes(first: .distantPast)
        times.began(at: try Instant(rfc3339: begun))
        #expect("\(times.due)" == next)
    }

    @Test func `a clock that was set back by years does not put the check off for years`() throws {
        let head = try write(10)
        let patrol = patrol { head }
        _ = try workUntilIdle(patrol)
        clock.advance(hours: -24 * 365)
        #expect(try workUntilIdle(patrol).reports.count == 1)
        #expect(try workUntilIdle(patrol).reports.count == 0)
    }

    @Test func `the pace leaves the disk and the processors to others`() {
        let pace = PatrolPace()
        // A quick disk: so many bytes a second.
        #expect(pace.pause(afterReading: 256 << 10, in: .milliseconds(1)) == .microseconds(14_625))
        // A slow one: a tenth of the time.
        #expect(pace.pause(afterReading: 256 << 10, in: .milliseconds(10)) == .milliseconds(90))
        #expect(pace.pause(afterReading: 0, in: .zero) == .zero)
    }
}

@Suite("Recorded time that is ahead of the clock")
struct ClockLeadTests {
    private static let noon = Instant(milliseconds: 1_772_452_800_000)

    private func look(_ lead: inout ClockLead, ahead seconds: Int64, uptime: Int) -> ClockLead.Word? {
        lead.look(at: Self.noon.advanced(bySeconds: seconds), now: Self.noon, uptime: .seconds(uptime))
    }

    @Test func `is told at once, every ten minutes, and when it is over`() {
        var lead = ClockLead()
        #expect(look(&lead, ahead: 3600, uptime: 5) == .ahead(seconds: 3600))
        for second in 6..<605 { #expect(look(&lead, ahead: Int64(3600 - second), uptime: second) == nil) }
        #expect(look(&lead, ahead: 3000, uptime: 605) == .ahead(seconds: 3000))
        #expect(look(&lead, ahead: 60, uptime: 606) == nil)
        #expect(look(&lead, ahead: 59, uptime: 607) == .over)
        #expect(look(&lead, ahead: 59, uptime: 608) == nil)
        // And the next time it is told at once again.
        #expect(look(&lead, ahead: 60, uptime: 609) == .ahead(seconds: 60))
    }

    @Test func `of less than a minute is no news`() {
        var lead = ClockLead()
        for seconds: Int64 in [0, 59, -1, -86_400, .min] { #expect(look(&lead, ahead: seconds, uptime: 1) == nil) }
        #expect(lead.look(at: nil, now: Self.noon, uptime: .zero) == nil)
    }
}
