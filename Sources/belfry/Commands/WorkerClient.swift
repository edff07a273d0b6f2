import Console
import Delivery
import Foundation
import Journal
import Notices
import Worker

/// A running worker, asked over the socket in its data directory (see the Console's `API.md`).
///
/// Every call blocks until there is an answer, and asks again for as long as a busy worker wants it to.
final class WorkerClient: FactTaker {
    let batchLines = 1024
    /// What the worker takes in one request.
    let allOrNothingLines = 65_536
    let allOrNothingBytes = 16 << 20

    /// Kept, because a long path leads to the socket only for as long as this lives.
    private let path: UnixPath
    private let client: HTTPClient
    private let pause: (_ seconds: Int) -> Void
    private let now: () -> ContinuousClock.Instant

    /// The worker itself gives up an answer after 30 s.
    private static let patience = HTTPCall.Patience(connectMs: 5000, totalMs: 40_000)
    private static let answerBytesMax = 64 << 20
    /// How often a busy worker is asked a question before that is given up.
    private static let questionsMost = 5
    /// For how long something is ordered of a worker that cannot do it now: another takes over what one leaves within 10 s.
    private static let ordersPatience = Duration.seconds(30)
    /// After so long whoever waits is told for what.
    private static let silence = Duration.seconds(3)
    /// For the help of commands that order something.
    static let patienceNote = "A worker that cannot do it now is asked again for 30 s; exit 5 then."

    /// `nil` where no worker runs: there is no socket, or nobody answers on the one that a worker left behind.
    convenience init?(_ directory: String) {
        self.init(directory) { seconds in Thread.sleep(forTimeInterval: Double(seconds)) }
    }

    /// - Parameters:
    ///   - pause: waits before a busy worker is asked again.
    ///   - now: how late it is, for what is given up.
    init?(
        _ directory: String, pause: @escaping (_ seconds: Int) -> Void,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) {
        let socket = DiskPath.join(directory, LogFile.socket)
        guard access(socket, F_OK) == 0, let path = try? UnixPath(socket) else { return nil }
        client = .unix(path.short)
        self.path = path
        (self.pause, self.now) = (pause, now)
        guard (try? send(.get, "/health", patience: .init(connectMs: 2000, totalMs: 5000))) != nil else { return nil }
    }

    // MARK: What is asked

    /// The answer to a question about people, without the last line's end.
    ///
    /// `nil` where the worker cannot say: it has gone meanwhile, or cannot read its log, and the log has to be asked.
    func ask(_ question: PathAndQuery, wantsText: Bool) throws(Failure) -> [UInt8]? {
        try ask(question, accepting: wantsText ? "text/plain" : "application/json")
    }

    func ask(_ question: PathAndQuery, accepting type: String) throws(Failure) -> [UInt8]? {
        let headers = [(name: "Accept", value: type)]
        for tried in 1...Self.questionsMost {
            guard let answer = try? send(.get, question.text, headers: headers) else { return nil }
            switch answer.status {
            case 200: return answer.body.last == 0x0A ? answer.body.dropLast() : answer.body
            case 400, 404: throw Failure(.badInput, answer.problem)
            case 503 where tried < Self.questionsMost: pause(answer.retryAfterSeconds)
            case 501: throw Failure(.environment, answer.problem)
            case 503: throw Failure(.environment, withCause(answer.problem))
            default: return nil
            }
        }
        return nil
    }

    /// While the worker is busy they are sent again, and what the owner of one partition did not take is offered again, for 30 s in all.
    func append(_ lines: [UInt8], allOrNothing: Bool) throws(Untaken) -> [LineReceipt] {
        let target = "/v1/facts" + (allOrNothing ? "?all_or_nothing=true" : "")
        var asking = Asking(began: now())
        var open = OpenLines(lines)
        while true {
            let answer: HTTPAnswer
            do throws(Untaken) {
                answer = try order(target, type: "application/x-ndjson", open.body, &asking)
            } catch {
                throw open.partly(error)
            }
            guard let entries = answer.lines else {
                throw open.partly(answer.isInDoubt ? .inDoubt(answer.problem) : .notTaken(answer.problem))
            }
            open.hear(entries)
            if open.isEmpty { return open.told }
            guard open.doubtful.isEmpty, waits(&asking, because: open.problem, answer.retryAfterSeconds) else {
                throw .partly(open.told, doubtful: open.doubtful, open.problem)
            }
        }
    }

    /// What a change of preferences would do for somebody, without the last line's end.
    func preview(_ path: PathAndQuery, _ change: JSONValue, wantsText: Bool) throws(Failure) -> [UInt8] {
        for tried in 1...Self.questionsMost {
            let answer: HTTPAnswer
            do throws(HTTPFailure) {
                answer = try send(
                    .post, path.text,
                    headers: [
                        ("Content-Type", "application/json"), ("Accept", wantsText ? "text/plain" : "application/json"),
                    ], body: Array(change.text.utf8))
            } catch {
                throw Failure(.environment, "the worker \(error)")
            }
            switch answer.status {
            case 200: return answer.body.last == 0x0A ? answer.body.dropLast() : answer.body
            case 503 where tried < Self.questionsMost: pause(answer.retryAfterSeconds)
            case 503: throw Failure(.environment, withCause(answer.problem))
            default: throw Failure(answer.status < 500 ? .badInput : .environment, answer.problem)
            }
        }
        throw Failure(.environment, "the worker did not answer")
    }

    /// Has everything decided that is due now, and gives the first jobs, and where the log has the others.
    ///
    /// - Parameter isDry: whether it is only tried.
    func run(_ order: RunOrder, isDry: Bool = false) throws(Failure) -> RunReport {
        let answer: HTTPAnswer
        do throws(Untaken) {
            let body = Array(order.document(isDry: isDry).text.utf8)
            answer = try self.order("/v1/run-now", type: "application/json", body)
        } catch {
            switch error {
            case .notTaken(let problem), .inDoubt(let problem), .partly(_, doubtful: _, let problem):
                throw Failure(.environment, "\(problem); `belfry log` shows what was decided")
            case .journal(let error): throw Failure(error)
            }
        }
        if answer.status == 400 { throw Failure(.badInput, answer.problem) }
        guard answer.status == 200, let report = answer.runReport else {
            throw Failure(.environment, "the worker could not run now: \(answer.problem)")
        }
        return report
    }

    func erase(_ user: String) throws(Failure) -> ErasureReport {
        let answer = try order(
            "/v1/people/\(user)/erase", .object([.init("user", .string(user))]),
            inDoubt: "whether they are erased is not known: ask again")
        switch answer.status {
        case 200:
            let document = JSONValue(parsing: answer.text)
            guard let seq = document?["seq"]?.natural else {
                throw Failure(.environment, "the worker's answer says nothing")
            }
            return ErasureReport(
                seq: seq, removed: document?["removed"]?.elements?.compactMap(\.string) ?? [],
                elsewhere: document?["elsewhere"]?.elements?.compactMap(\.string) ?? [])
        case 400, 404: throw Failure(.badInput, answer.problem)
        default: throw Failure(.environment, answer.problem)
        }
    }

    /// Has a sample sent, and gives what was decided about it, as the log prints it.
    func test(_ order: TestOrder) throws(Failure) -> [[UInt8]] {
        let answer = try self.order(
            "/v1/people/\(order.user)/test", .object(order.members),
            inDoubt: "`belfry history` shows whether it was sent")
        guard answer.status == 200, let decisions = JSONValue(parsing: answer.text)?["decisions"]?.elements else {
            throw Failure(answer.status < 500 ? .badInput : .environment, answer.problem)
        }
        return decisions.map { Array($0.text.utf8) }
    }

    /// Has what failed sent once more, in a cluster by whoever owns those it is about.
    func retry(_ order: RetryOrder) throws(Failure) -> RetryReport {
        let answer = try self.order("/v1/retry", order.document, inDoubt: "the histories show what was sent")
        guard answer.status == 200 else {
            throw Failure(answer.status < 500 ? .badInput : .environment, answer.problem)
        }
        return answer.retryReport
    }

    /// Has it give all partitions away, and says how far that is.
    func drain() throws(Failure) -> DrainStanding {
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try send(.post, "/v1/cluster/drain", headers: [("Content-Type", "application/json")])
        } catch {
            throw Failure(.environment, "the worker \(error)")
        }
        guard answer.status == 200, let document = JSONValue(parsing: answer.text),
            let left = document["left"]?.integer, let others = document["others"]?.integer,
            let isAnnounced = document["announced"]?.bool
        else { throw Failure(answer.status < 500 ? .badInput : .environment, answer.problem) }
        return DrainStanding(left: left, others: others, isAnnounced: isAnnounced)
    }

    // MARK: How it is asked

    /// - Parameter doubt: what helps where nobody knows whether it was done.
    private func order(
        _ target: String, _ document: JSONValue, inDoubt doubt: String
    ) throws(Failure) -> HTTPAnswer {
        do throws(Untaken) {
            return try order(target, type: "application/json", Array(document.text.utf8))
        } catch {
            switch error {
            case .notTaken(let problem): throw Failure(.environment, problem)
            case .inDoubt(let problem), .partly(_, doubtful: _, let problem):
                throw Failure(.environment, "\(problem); \(doubt)")
            case .journal(let error): throw Failure(error)
            }
        }
    }

    /// Since when something is asked for, and whether that was said.
    private struct Asking {
        let began: ContinuousClock.Instant
        var isTold = false
    }

    /// Waits before something is asked for once more; `false` where that went on for long enough.
    private func waits(_ asking: inout Asking, because problem: @autoclosure () -> String, _ seconds: Int) -> Bool {
        let waited = now() - asking.began
        guard waited < Self.ordersPatience else { return false }
        if !asking.isTold, waited >= Self.silence {
            complain("asking again, for up to 30 s: \(problem())")
            asking.isTold = true
        }
        pause(seconds)
        return true
    }

    private func order(_ target: String, type: String, _ body: [UInt8]) throws(Untaken) -> HTTPAnswer {
        var asking = Asking(began: now())
        return try order(target, type: type, body, &asking)
    }

    /// Asks for something to be done, again and again while the worker is busy and surely has not done it.
    private func order(
        _ target: String, type: String, _ body: [UInt8], _ asking: inout Asking
    ) throws(Untaken) -> HTTPAnswer {
        while true {
            let answer: HTTPAnswer
            do throws(HTTPFailure) {
                answer = try send(.post, target, headers: [("Content-Type", type)], body: body)
            } catch {
                let problem = "the worker \(error)"
                switch error.reason {
                case .cannotConnect, .cannotFind, .badCall: throw .notTaken(problem)
                default: throw .inDoubt(problem)
                }
            }
            guard answer.status == 503, answer.lines == nil else { return answer }
            if answer.isInDoubt { throw .inDoubt(answer.problem) }
            guard waits(&asking, because: withCause(answer.problem), answer.retryAfterSeconds) else {
                throw .notTaken(withCause(answer.problem))
            }
        }
    }

    /// With why the worker takes nothing at all, where it knows.
    private func withCause(_ problem: String) -> String {
        let health = try? send(.get, "/health", patience: .init(connectMs: 2000, totalMs: 5000))
        let cause = health.flatMap { JSONValue(parsing: $0.text)?["why_not"]?.string }
        return cause.map { "\(problem); the worker is not ready: \($0)" } ?? problem
    }

    private func send(
        _ method: HTTPCall.Method, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        patience: HTTPCall.Patience = WorkerClient.patience
    ) throws(HTTPFailure) -> HTTPAnswer {
        try client.ask(
            HTTPCall(
                method, "http://belfry" + target, headers: headers, body: body, patience: patience,
                answerBytesMax: Self.answerBytesMax))
    }
}

extension LineReceipt {
    /// `nil` for what is none, or one that only a newer worker knows.
    init?(_ entry: JSONValue) {
        guard let line = entry["line"]?.integer else { return nil }
        let outcome: FactReceipt
        if let seq = entry["seq"]?.natural {
            let warnings = entry["warnings"]?.elements?.compactMap(\.string) ?? []
            outcome = .recorded(seq: seq, warnings: warnings.map { Warning(.elsewhere, $0) })
        } else if let seq = entry["duplicate_of"]?.natural {
            outcome = .duplicate(of: seq)
        } else if let problem = entry["refused"]?.string {
            outcome = .refused(FieldError(problem))
        } else if entry["withheld"]?.bool == true {
            outcome = .leftOut
        } else {
            return nil
        }
        self.init(line: line, outcome: outcome, partition: entry["partition"]?.integer)
    }
}

extension RunOrder {
    /// As the API is asked it.
    ///
    /// - Parameter partitions: of an order for everyone that is passed on to another worker.
    func document(of partitions: [Int]? = nil, isDry: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if !users.isEmpty {
            members.append(.init("users", .array(users.map { .string($0) })))
        } else if let partitions {
            members.append(.init("partitions", .array(partitions.map { .number("\($0)") })))
        }
        if let kind { members.append(.init("kind", .string(kind))) }
        if isForced { members.append(.init("force", .bool(true))) }
        if isDry { members.append(.init("dry_run", .bool(true))) }
        return .object(members)
    }
}

extension HTTPAnswer {
    /// What is said of each line of facts.
    fileprivate var lines: [JSONValue]? { JSONValue(parsing: text)?["results"]?.elements }

    /// What the worker says went wrong.
    var problem: String { JSONValue(parsing: text)?["error"]?.string ?? "it answered \(status)" }

    var runReport: RunReport? {
        guard let document = JSONValue(parsing: text), let jobs = document["jobs"]?.elements,
            let count = document["job_count"]?.integer, count >= jobs.count
        else { return nil }
        let lines = jobs.map { Array($0.text.utf8) }
        var report = RunReport(jobs: lines, jobCount: count, firstSeq: 1, lastSeq: 0)
        let unsent = document["unsent"]?.elements ?? []
        report.unsent = unsent.map { Array($0.text.utf8) }
        report.unsentCount = max(document["unsent_count"]?.integer ?? 0, report.unsent.count)
        report.withheld =
            document["withheld"]?.elements?.compactMap { RunReport.Withheld($0) }
            ?? UnsentTally.withheld(printed: unsent)
        report.erased = document["erased"]?.elements?.map { Array($0.text.utf8) } ?? []
        report.erasedCount = max(document["erased_count"]?.integer ?? 0, report.erased.count)
        if document["dry_run"]?.bool == true {
            report.isDry = true
            return report
        }
        if let parts = document["partitions"]?.elements {
            report.partitions = parts.compactMap { part in
                guard let number = part["partition"]?.integer, let first = part["first_seq"]?.natural,
                    let last = part["last_seq"]?.natural, first > 0, last >= first - 1
                else { return nil }
                return .init(partition: number, firstSeq: first, lastSeq: last)
            }
            return report
        }
        guard let first = document["first_seq"]?.natural,
            let last = document["last_seq"]?.natural, first > 0, last >= first - 1
        else { return nil }
        (report.firstSeq, report.lastSeq) = (first, last)
        return report
    }

    /// Whether what was asked for may have been done all the same.
    fileprivate var isInDoubt: Bool { JSONValue(parsing: text)?["in_doubt"]?.bool == true }

    fileprivate var retryAfterSeconds: Int { min(max(headers["Retry-After"].flatMap { Int($0) } ?? 1, 1), 30) }
}
