import Console
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Queueing
import Shared
import Synchronization
import Worker

/// The other workers of a cluster: who owns what, as it was last seen, and how they are asked (`M3`).
///
/// What is passed on carries the workers' common token, because who asked has been let in here already. Nothing is passed on
/// twice: where two workers have seen different owners, the second says that there is none.
final class Neighbours: Sendable {
    private let me: Mutex<WorkerID?> = Mutex(nil)
    private let view = Mutex<ClusterView?>(nil)
    private let bearer: String
    private let lane = Lane("belfry.neighbours", threads: 8, waitingMax: 512)

    private static let patience = HTTPCall.Patience(connectMs: 2000, totalMs: 35_000)
    private static let answerBytesMax = 64 << 20

    /// - Parameter bearer: the token that all workers of the cluster take.
    init(bearer: String) { self.bearer = bearer }

    func see(_ view: ClusterView, as worker: WorkerID) {
        self.view.withLock { $0 = view }
        me.withLock { $0 = worker }
    }

    /// Where a partition's owner is reached; `nil` where it is this worker, or nobody.
    func url(ofOwnerOf partition: Int) -> String? {
        let me = me.withLock { $0 }
        return view.withLock { view in
            guard let view, let owner = view.partitions.first(where: { $0.number == partition })?.owner, owner != me
            else { return nil }
            return view.url(ofOwnerOf: partition)
        }
    }

    /// Where the other living workers are reached.
    var others: [String] {
        let me = me.withLock { $0 }
        return view.withLock { $0?.living.filter { $0.id != me }.map(\.url) ?? [] }
    }

    // MARK: Requests about one person

    /// `false` where the person's partition is here.
    func passOn(
        _ request: HTTPRequest, about user: String, from town: Town, _ reply: @escaping HTTPHandler.Reply
    ) -> Bool {
        let place = town.place(of: user)
        guard town.log(place) == nil else { return false }
        guard request.headers[PassedOn.header] == nil, let url = url(ofOwnerOf: place) else { return false }
        if request.headers.all("Accept").contains(where: { $0.contains("text/event-stream") }) {
            // A stream goes on for as long as somebody reads it: it is read where it is.
            reply(HTTPResponse(status: 307, headers: HTTPHeaders([("Location", url + request.target)])))
            return true
        }
        let isTaken = lane.take { [self] in reply(ask(url, request)) }
        if !isTaken { reply(.problem(503, "too much is being passed on; try again", retryAfterSeconds: 1)) }
        return true
    }

    private func ask(_ url: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let method = HTTPCall.Method(rawValue: request.method == "HEAD" ? "GET" : request.method) else {
            return .problem(501, "\(request.method) cannot be passed on")
        }
        var headers = ["Accept", "Content-Type", "Idempotency-Key", "traceparent"].compactMap { name in
            request.headers[name].map { (name: name, value: $0) }
        }
        headers += own
        do throws(HTTPFailure) {
            let answer = try HTTPClient().ask(
                HTTPCall(
                    method, url + request.target, headers: headers, body: request.body, patience: Self.patience,
                    answerBytesMax: Self.answerBytesMax))
            let kept = ["Content-Type", "Cache-Control", "Retry-After"].compactMap { name in
                answer.headers[name].map { (name, $0) }
            }
            return HTTPResponse(status: answer.status, headers: HTTPHeaders(kept), body: answer.body)
        } catch {
            let isInDoubt = request.isOrder && error.reason != .cannotConnect
            return .problem(
                503, "the worker that owns this partition \(error); try again", isInDoubt: isInDoubt,
                retryAfterSeconds: 1)
        }
    }

    private var own: [(name: String, value: String)] {
        [("Authorization", "Bearer \(bearer)"), (PassedOn.header, "1")]
    }

    // MARK: Facts

    /// A partition of an order's facts that nobody owns.
    func ownerless(_ order: AppendOrder, _ town: Town) -> Int? {
        for fact in order.facts {
            let place = fact.user.map { town.place(of: $0) } ?? Partition.everyone
            guard town.log(place) == nil else { continue }
            if order.isPassedOn || url(ofOwnerOf: place) == nil { return place }
        }
        return nil
    }

    func passing(_ order: AppendOrder) -> Dealing.PassOn {
        { [self] part, reply in
            var lines: [UInt8] = []
            for index in part.indices { lines += order.lines[index] + [0x0A] }
            let body = lines
            guard let url = url(ofOwnerOf: part.log) else { return reply(.failure(.journal(.closed))) }
            let isTaken = lane.take { [self] in
                reply(append(body, count: part.indices.count, to: url, allOrNothing: order.isAllOrNothing))
            }
            if !isTaken { reply(.failure(.journal(.lost("too much is being passed on; send it again")))) }
        }
    }

    private func append(
        _ lines: [UInt8], count: Int, to url: String, allOrNothing: Bool
    ) -> Result<Dealing.Outcome, WorkerRefusal> {
        let target = url + "/v1/facts" + (allOrNothing ? "?all_or_nothing=true" : "")
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try HTTPClient().ask(
                HTTPCall(
                    .post, target, headers: [("Content-Type", "application/x-ndjson")] + own, body: lines,
                    patience: Self.patience, answerBytesMax: Self.answerBytesMax))
        } catch {
            return .failure(.journal(.lost("the worker that owns the partition \(error)")))
        }
        let document = JSONValue(parsing: answer.text)
        let results = document?["results"]?.elements?.compactMap(FactResult.init) ?? []
        guard answer.status == 200 || answer.status == 400, results.count == count else {
            let problem = document?["error"]?.string ?? "answered \(answer.status)"
            return .failure(.journal(.lost("the worker that owns the partition: \(problem)")))
        }
        var outcome = Dealing.Outcome(receipts: results.map(\.receipt))
        for (place, result) in results.enumerated() where !result.warnings.isEmpty {
            outcome.warnings[place] = result.warnings
        }
        return .success(outcome)
    }

    private struct FactResult {
        let receipt: FactReceipt
        let warnings: [String]

        init?(_ entry: JSONValue) {
            guard let told = LineReceipt(entry) else { return nil }
            warnings = entry["warnings"]?.elements?.compactMap(\.string) ?? []
            switch told.outcome {
            case .appended(.recorded(let seq), _): receipt = .recorded(seq: seq, warnings: [])
            case .appended(.duplicate(let seq), _): receipt = .duplicate(of: seq)
            case .refused(let problem): receipt = .refused(FieldError(problem))
            case .withheld: receipt = .leftOut
            }
        }
    }

    // MARK: Running

    func run(
        _ order: RunOrder, isDry: Bool, at url: String,
        _ reply: @escaping @Sendable (Result<RunReport, WorkerRefusal>) -> Void
    ) {
        let isTaken = lane.take { [self] in
            do throws(HTTPFailure) {
                let answer = try HTTPClient().ask(
                    HTTPCall(
                        .post, url + "/v1/run-now", headers: [("Content-Type", "application/json")] + own,
                        body: Array(order.document(isDry: isDry).text.utf8), patience: Self.patience,
                        answerBytesMax: Self.answerBytesMax))
                if answer.status == 400 { return reply(.failure(.problem(FieldError(answer.problem)))) }
                guard answer.status == 200, let report = answer.runReport else {
                    return reply(.failure(.journal(.lost("another worker could not run now: \(answer.problem)"))))
                }
                reply(.success(report))
            } catch {
                reply(.failure(.journal(.lost("another worker \(error)"))))
            }
        }
        if !isTaken { reply(.failure(.journal(.lost("too much is being passed on; ask again")))) }
    }

    // MARK: Everyone

    /// Something about everyone was told elsewhere: it is to be fetched now.
    func wantEveryone() { everyoneWanted.signal() }
    let everyoneWanted = DispatchSemaphore(value: 0)

    /// Has all others copy what is about everyone up to a fact, and says whether they have.
    func tell(through seq: UInt64, _ done: @escaping @Sendable (Bool) -> Void) {
        let others = others
        let gathering = Gathering<Bool>(others.count, whole: true) { done($0 ?? false) }
        for url in others {
            let isTaken = lane.take { [self] in
                let call = HTTPCall(
                    .post, url + "/v1/cluster/everyone", headers: [("Content-Type", "application/json")] + own,
                    body: Array(#"{"through":\#(seq)}"#.utf8), patience: Self.patience, answerBytesMax: 1 << 16)
                let answer = try? HTTPClient().ask(call)
                gathering.add { $0 = $0 && answer?.status == 200 }
            }
            if !isTaken { gathering.add { $0 = false } }
        }
    }
}
