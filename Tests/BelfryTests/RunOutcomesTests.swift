import CivilTime
import Console
import Dispatch
import Journal
import Notices
import Synchronization
import Testing
import Worker

@testable import belfry

/// What is answered to a run that several partitions, or several workers, have their part in.
@Suite("run-now over several partitions")
struct RunOutcomesTests {
    private static let run = Result<RunReceipt, WorkerRefusal>.success(RunReceipt(firstSeq: 1, lastSeq: 2, jobs: 1))
    private static let unknownKind = WorkerRefusal.problem(FieldError(path: "kind", "is not one of the policy's"))
    private static let silent = WorkerRefusal.elsewhere("another worker timed out", isInDoubt: true)

    private func refused(_ outcomes: RunOutcomes) -> String? {
        if case .refused(let problem)? = outcomes.refusal { problem } else { nil }
    }

    private func inability(_ outcomes: RunOutcomes) -> Inability? {
        if case .unable(let inability)? = outcomes.refusal { inability } else { nil }
    }

    @Test func `a partition that is only busy is no wrong order, and is asked again where nobody was run`() {
        var outcomes = RunOutcomes()
        outcomes.hear(busy: 1)
        #expect(inability(outcomes) == .unanswered("partition 1 is busy"))
        #expect(inability(outcomes)?.leavesDoubt == false)
    }

    @Test func `beside one that was run it leaves doubt about the whole, and both are said`() {
        for isBusyFirst in [false, true] {
            var outcomes = RunOutcomes()
            if isBusyFirst { outcomes.hear(busy: 1) }
            outcomes.hear(Self.run, from: 0)
            if !isBusyFirst { outcomes.hear(busy: 1) }
            #expect(
                inability(outcomes) == .inDoubt("partition 1 is busy; the people of other partitions were run"))
        }
        var stopping = RunOutcomes()
        stopping.hear(Self.run, from: 0)
        stopping.hear(.failure(.journal(.closed)), from: 1)
        #expect(inability(stopping)?.leavesDoubt == true)
    }

    @Test func `a wrong order says what was run, here or by another worker`() {
        let problem = "\(FieldError(path: "kind", "is not one of the policy's"))"
        var outcomes = RunOutcomes()
        outcomes.hear(.failure(Self.unknownKind), from: 0)
        #expect(refused(outcomes) == problem)
        var here = outcomes
        here.hear(Self.run, from: 1)
        #expect(refused(here) == problem + "; the people of other partitions were run")
        var elsewhere = outcomes
        elsewhere.hear(.success(report(jobs: 0, of: 0)))
        #expect(refused(elsewhere) == problem + "; the people of other partitions were run")
        // It has said so of its own partitions.
        var both = RunOutcomes()
        both.hear(Self.run, from: 1)
        let told = FieldError(problem + "; the people of other partitions were run")
        both.hear(Result<RunReport, WorkerRefusal>.failure(.problem(told)))
        #expect(refused(both) == problem + "; the people of other partitions were run")
        var silent = outcomes
        silent.hear(Result<RunReport, WorkerRefusal>.failure(Self.silent))
        #expect(refused(silent)?.hasSuffix("; whether the people of other partitions were run is not known") == true)
    }

    @Test func `where one may have run its people, that is told rather than that another is busy`() {
        for isBusyFirst in [false, true] {
            var outcomes = RunOutcomes()
            if isBusyFirst { outcomes.hear(busy: 1) }
            outcomes.hear(Result<RunReport, WorkerRefusal>.failure(Self.silent))
            if !isBusyFirst { outcomes.hear(busy: 1) }
            #expect(inability(outcomes) == .inDoubt("another worker timed out"))
        }
    }

    // MARK: Other workers

    /// What a worker that was asked to run makes of another's answer.
    private func asked(_ status: Int, _ body: String, isDry: Bool = false) throws -> Result<RunReport, WorkerRefusal> {
        let socket = try ListeningSocket.tcp(ListenAddress(host: ListenAddress.loopback, port: 0))
        let port = try #require(socket.port)
        let handler = HTTPHandler { _, _, reply in reply(HTTPResponse(status: status, body: Array(body.utf8))) }
        let server = try HTTPServer(
            on: socket, limits: HTTPLimits(),
            clocks: HTTPClocks(passing: { SuspendingClock.now }, wall: { Instant(milliseconds: 0) }), handler: handler)
        defer { server.stop(within: .zero) }
        return try asked(at: port, isDry: isDry)
    }

    private func asked(at port: Int, isDry: Bool = false) throws -> Result<RunReport, WorkerRefusal> {
        let heard = Mutex<Result<RunReport, WorkerRefusal>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        Neighbours(bearer: "token").run(
            RunOrder(users: [], kind: nil, isForced: false), of: [1], isDry: isDry, at: "http://127.0.0.1:\(port)"
        ) { result in
            heard.withLock { $0 = result }
            isThere.signal()
        }
        isThere.wait()
        return try #require(heard.withLock { $0 })
    }

    private func refusal(_ result: Result<RunReport, WorkerRefusal>) -> WorkerRefusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }

    @Test func `what another worker surely did not do is not in doubt, and what it may have done is`() throws {
        let busy = #"{"error":"partition 1 is busy; try again"}"#
        #expect(
            try refusal(asked(503, busy))
                == .elsewhere("another worker could not run now: partition 1 is busy", isInDoubt: false))
        let partly = #"{"error":"partition 1 is busy; the people of other partitions were run","in_doubt":true}"#
        #expect(try refusal(asked(503, partly))?.inability.leavesDoubt == true)
        #expect(
            try refusal(asked(500, #"{"error":"the disk is full","in_doubt":true}"#))?.inability.leavesDoubt == true)
        #expect(try refusal(asked(200, "nonsense"))?.inability.leavesDoubt == true)
        // Of a trial nothing is recorded.
        #expect(try refusal(asked(500, "{}", isDry: true))?.inability.leavesDoubt == false)
        guard case .problem(let problem)? = try refusal(asked(400, #"{"error":"kind: is none"}"#)) else {
            Issue.record("a wrong order is one at every worker")
            return
        }
        #expect("\(problem)" == "kind: is none")
        let nobody = try ListeningSocket.tcp(ListenAddress(host: ListenAddress.loopback, port: 0))
        let port = try #require(nobody.port)
        nobody.close()
        #expect(try refusal(asked(at: port))?.inability.leavesDoubt == false)
    }

    // MARK: The answer

    private func report(jobs listed: Int, of count: Int, bytes: Int = 10) -> RunReport {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
        var report = RunReport(
            jobs: Array(repeating: line, count: listed), jobCount: count, firstSeq: 1, lastSeq: 0)
        (report.unsent, report.unsentCount) = (report.jobs, count)
        (report.erased, report.erasedCount) = (report.jobs, count)
        return report
    }

    @Test func `what many workers have run is listed no further than what one has, and counted whole`() {
        var whole = report(jobs: 600, of: 600)
        whole.add(report(jobs: 300, of: 300))
        #expect(whole.jobs.count == 900 && whole.jobCount == 900)
        for _ in 0..<15 { whole.add(report(jobs: 1000, of: 5000)) }
        #expect(whole.jobs.count == 1000 && whole.jobCount == 75_900)
        #expect(whole.unsent.count == 1000 && whole.unsentCount == 75_900)
        #expect(whole.erased.count == 1000 && whole.erasedCount == 75_900)
        var large = report(jobs: 3, of: 3, bytes: 1 << 20)
        large.add(report(jobs: 3, of: 3, bytes: 1 << 20))
        #expect(large.jobs.count == 4 && large.jobCount == 6)
        // Nothing is listed behind what is left out.
        var short = report(jobs: 3, of: 4)
        short.add(report(jobs: 3, of: 3))
        #expect(short.jobs.count == 3 && short.jobCount == 7)
    }
}
