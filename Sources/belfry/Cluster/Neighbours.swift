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
    let looks = Looks()
    let lanes = NeighbourLanes("belfry.neighbours")
    /// Facts wait for no question and no order.
    private let factLanes = NeighbourLanes("belfry.neighbours.facts")
    /// Questions about everybody take long, and keep no fact waiting.
    private let questions = Lane("belfry.neighbours.questions", threads: 8, waitingMax: 256)

    /// Streams listen for as long as somebody reads them, and hold no thread.
    private let listening = HTTPPool(concurrency: 64, waitingMax: 256)
    private let passedOnStreams = PassedOnStreams()
    /// Of people who leave each worker hears by one call at a time.
    let leaving = HTTPPool(concurrency: 64, waitingMax: 256)

    static let patience = HTTPCall.Patience(connectMs: 2000, totalMs: 35_000)
    /// Whoever has facts answers within a second. One that stands still is replaced in this time.
    private static let factsPatience = HTTPCall.Patience(connectMs: 2000, totalMs: 10_000)
    private static let answerBytesMax = 64 << 20

    /// - Parameter bearer: the token that all workers of the cluster take.
    init(bearer: String) { self.bearer = bearer }

    func see(_ view: ClusterView, as worker: WorkerID) {
        self.view.withLock { $0 = view }
        me.withLock { $0 = worker }
        let urls = view.living.map(\.url)
        for lanes in [lanes, factLanes] { lanes.keep(urls) }
        passedOnStreams.keep(urls)
        looks.end()
    }

    /// A partition's owner, as it was last seen.
    enum Owner: Equatable {
        case me
        /// Where it is reached.
        case other(String)
        case nobody
    }

    func owner(of partition: Int) -> Owner {
        let me = me.withLock { $0 }
        return view.withLock { view in
            guard let view, let owner = view.partitions.first(where: { $0.number == partition })?.owner else {
                return .nobody
            }
            return owner == me ? .me : view.url(ofOwnerOf: partition).map { .other($0) } ?? .nobody
        }
    }

    /// A partition was given to another worker, which hears of it at once and is asked from now on.
    func gave(_ partition: Int, to worker: WorkerID) {
        let url = view.withLock { view -> String? in
            guard let place = view?.partitions.firstIndex(where: { $0.number == partition }) else { return nil }
            view?.partitions[place].owner = worker
            return view?.url(ofOwnerOf: partition)
        }
        if let url { move(.given, partition, at: url) { _ in } }
    }

    /// Asks another worker to fetch a partition, and whether it could go on with it.
    func prepare(_ partition: Int, at url: String, _ reply: @escaping @Sendable (_ isReady: Bool) -> Void) {
        move(.coming, partition, at: url) { answer in
            // One of an older version knows nothing of this, and fetches what it is given.
            reply(answer?.status == 404 || answer.flatMap { JSONValue(parsing: $0.text) }?["ready"]?.bool == true)
        }
    }

    private func move(
        _ stage: MoveStage, _ partition: Int, at url: String, _ reply: @escaping @Sendable (HTTPAnswer?) -> Void
    ) {
        let order = JSONValue.object([
            .init("partition", .number("\(partition)")), .init("stage", .string(stage.rawValue)),
        ])
        let isTaken = lanes.take(to: url) { [self] in
            reply(
                try? HTTPClient().ask(
                    HTTPCall(
                        .post, url + "/v1/cluster/move", headers: [("Content-Type", "application/json")] + own,
                        body: Array(order.text.utf8), patience: .init(connectMs: 2000, totalMs: 5000),
                        answerBytesMax: 1 << 16)))
        }
        if !isTaken { reply(nil) }
    }

    /// Where the other living workers are reached.
    var others: [String] {
        let me = me.withLock { $0 }
        return view.withLock { $0?.living.filter { $0.id != me }.map(\.url) ?? [] }
    }

    // MARK: Requests for one worker

    /// - Parameter here: what it is about is here, or nowhere.
    func passOn(
        _ request: HTTPRequest, to home: Home, from town: Town, _ reply: @escaping HTTPHandler.Reply,
        here: @escaping @Sendable () -> Void
    ) {
        switch home.place {
        case .person(let user): passOn(request, home, town.place(of: user), town, .now(), reply, here)
        case .partition(let number): passOn(request, home, number, town, .now(), reply, here)
        case .anywhere where town.everyone != nil: here()
        case .anywhere: passOn(request, home, Partition.everyone, town, .now(), reply, here)
        }
    }

    private func passOn(
        _ request: HTTPRequest, _ home: Home, _ place: Int, _ town: Town, _ start: DispatchTime,
        _ reply: @escaping HTTPHandler.Reply, _ here: @escaping @Sendable () -> Void
    ) {
        find(place, in: town, isPassedOn: request.isPassedOn) { [self] whereabouts in
            guard case .elsewhere(let url) = whereabouts else { return here() }
            let hear: HTTPHandler.Reply = { [self] answer in
                // It has just gone to another.
                guard answer.status == 503, answer.headers[PassedOn.notHere] != nil,
                    lookAgain(since: start, { self.passOn(request, home, place, town, start, reply, here) })
                else { return reply(answer) }
            }
            guard !home.isStream else {
                return passedOnStreams.open(url, request.target, passed(request), hear)
            }
            let isTaken = lanes.take(to: url) { [self] in
                guard !request.isOrder else { return hear(ask(url, request)) }
                let (answer, isLate) = glance(url, request)
                guard isLate else { return hear(answer) }
                switch owner(of: place) {
                case .me: here()
                case .other(let now): hear(ask(now, request))
                case .nobody: hear(answer)
                }
            }
            if !isTaken { reply(.problem(.notNow, "too much is being passed on; try again", retryAfterSeconds: 1)) }
        }
    }

    func ask(
        _ url: String, _ request: HTTPRequest, _ patience: HTTPCall.Patience = Neighbours.patience
    ) -> HTTPResponse {
        guard let method = HTTPCall.Method(rawValue: request.method == "HEAD" ? "GET" : request.method) else {
            return .problem(.notImplemented, "\(request.method) cannot be passed on")
        }
        do throws(HTTPFailure) {
            let answer = try HTTPClient().ask(
                HTTPCall(
                    method, url + request.target, headers: passed(request), body: request.body,
                    patience: patience,
                    answerBytesMax: Self.answerBytesMax))
            return HTTPResponse(passedOn: answer)
        } catch {
            let isInDoubt = request.isOrder && error.reason != .cannotConnect
            return .problem(
                .notNow,
                "the worker that owns this partition \(error)"
                    + (isInDoubt ? HTTPResponse.adviceInDoubt : "; try again"), isInDoubt: isInDoubt,
                retryAfterSeconds: 1)
        }
    }

    /// What of a request's head is about the request itself, and who passes it on.
    private func passed(_ request: HTTPRequest) -> [(name: String, value: String)] {
        let kept = ["Accept", "Content-Type", "Idempotency-Key", "Last-Event-ID", "traceparent"].compactMap { name in
            request.headers[name].map { (name: name, value: $0) }
        }
        // The owner sees only that a worker asks.
        if case .person(let pass) = request.access { return kept + own + [(PassedOn.byPerson, pass.user)] }
        return kept + own
    }

    var own: [(name: String, value: String)] {
        [("Authorization", "Bearer \(bearer)"), (PassedOn.header, "1")]
    }

    // MARK: Questions about everybody

    /// Asks several at the same time.
    func ask(_ parts: [String: JSONValue]) -> OthersAnswers {
        let answers = OthersAnswers(parts.count)
        for (url, question) in parts { ask(question, of: url) { answers.hear($0, from: url) } }
        return answers
    }

    /// Asks one for the part that it has.
    func ask(
        _ question: JSONValue, of url: String,
        _ reply: @escaping @Sendable (Result<JSONValue, WorkerService.Refusal>) -> Void
    ) {
        let isTaken = questions.take { [self] in
            do throws(HTTPFailure) {
                let answer = try HTTPClient().ask(
                    HTTPCall(
                        .post, url + "/v1/cluster/part", headers: [("Content-Type", "application/json")] + own,
                        body: Array(question.text.utf8), patience: Self.patience, answerBytesMax: Self.answerBytesMax))
                switch answer.status {
                case 200:
                    guard let part = JSONValue(parsing: answer.text) else { fallthrough }
                    reply(.success(part))
                case 400: reply(.failure(.wrong(answer.problem)))
                default: reply(.failure(.unable(.unanswered("the worker at \(url): \(answer.problem)"))))
                }
            } catch {
                reply(.failure(.unable(.unanswered("the worker at \(url) \(error)"))))
            }
        }
        if !isTaken { reply(.failure(.unable(.manyQuestions))) }
    }

    /// Asks one for events, which it has at once or waits for; `nil` where it cannot say.
    func listen(_ question: JSONValue, to url: String, _ reply: @escaping @Sendable (JSONValue?) -> Void) {
        listening.ask(
            HTTPCall(
                .post, url + "/v1/cluster/part", headers: [("Content-Type", "application/json")] + own,
                body: Array(question.text.utf8), patience: Self.patience, answerBytesMax: Self.answerBytesMax)
        ) { result in
            guard let answer = try? result.get(), answer.status == 200 else { return reply(nil) }
            reply(JSONValue(parsing: answer.text))
        }
    }

    // MARK: Sending again

    func retry(_ order: RetryOrder, at urls: [String]) -> OthersRetries {
        let answers = OthersRetries(urls.count)
        for url in urls {
            let isTaken = lanes.take(to: url) { [self] in
                do throws(HTTPFailure) {
                    let answer = try HTTPClient().ask(
                        HTTPCall(
                            .post, url + "/v1/retry", headers: [("Content-Type", "application/json")] + own,
                            body: Array(order.document.text.utf8), patience: Self.patience,
                            answerBytesMax: Self.answerBytesMax))
                    answers.hear(RetryAnswer(answer, from: url))
                } catch {
                    answers.hear(.unable(.unanswered("the worker at \(url) \(error)")))
                }
            }
            if !isTaken { answers.hear(.unable(.busy)) }
        }
        return answers
    }

    // MARK: Facts

    func passing(_ order: AppendOrder, from town: Town) -> Dealing.PassOn {
        { [self] part, reply in
            // What a person told is passed on as they told it (`passOn`), and has gone to another worker since.
            guard !order.lines.isEmpty else {
                return reply(
                    .failure(.elsewhere("the partition has just gone to another worker; try again", isInDoubt: false)))
            }
            let lines = part.indices.map { order.lines[$0] }
            pass(Passing(part, lines, order.isAllOrNothing, isPassedOn: order.isPassedOn), town, .now(), reply)
        }
    }

    /// Facts of Belfry's own, which nobody has sent as lines.
    func passingOwn(from town: Town) -> Dealing.PassOn {
        { [self] part, reply in
            pass(Passing(part, part.facts.map(\.line), false, isPassedOn: false), town, .now(), reply)
        }
    }

    /// Facts on their way to the worker that they are for.
    private struct Passing: Sendable {
        var part: Deal.Part
        var lines: [UInt8]
        var allOrNothing: Bool
        var isPassedOn: Bool

        init(_ part: Deal.Part, _ lines: [[UInt8]], _ allOrNothing: Bool, isPassedOn: Bool) {
            (self.part, self.allOrNothing, self.isPassedOn) = (part, allOrNothing, isPassedOn)
            self.lines = lines.reduce(into: []) { $0 += $1 + [0x0A] }
        }

        /// What lines of facts do not say.
        var fields: [(name: String, value: String)] {
            let all = part.facts.map(\.addressee)
            return PassedOn.fields(part.facts.map(\.trace))
                + (all.allSatisfy { $0 == nil } ? [] : [(PassedOn.addressees, PassedOn.text(all))])
        }
    }

    private func pass(
        _ passing: Passing, _ town: Town, _ start: DispatchTime, _ reply: @escaping Reply<[FactReceipt]>
    ) {
        find(passing.part.log, in: town, isPassedOn: passing.isPassedOn) { [self] whereabouts in
            switch whereabouts {
            case .nobody:
                reply(.failure(.elsewhere("nobody owns the partition at the moment; try again", isInDoubt: false)))
            case .here(let log):
                let part = passing.part
                let intake = log.worker.submit(
                    part.facts, bytes: part.bytes, allOrNothing: passing.allOrNothing, reply: reply)
                if intake != .taken { reply(.failure(.journal(.closed))) }
            case .elsewhere(let url):
                let isTaken = factLanes.take(to: url) { [self] in
                    guard let result = append(passing, to: url) else {
                        if !lookAgain(since: start, { self.pass(passing, town, start, reply) }) {
                            reply(
                                .failure(
                                    .elsewhere(
                                        "the partition's owner is not to be reached; try again", isInDoubt: false)))
                        }
                        return
                    }
                    reply(result)
                }
                if !isTaken { reply(.failure(.elsewhere("too much is being passed on; try again", isInDoubt: false))) }
            }
        }
    }

    /// `nil` where that worker does not have the partition any more, or is not there, and surely took nothing.
    private func append(_ passing: Passing, to url: String) -> Result<[FactReceipt], WorkerRefusal>? {
        let target = url + "/v1/facts" + (passing.allOrNothing ? "?all_or_nothing=true" : "")
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try HTTPClient().ask(
                HTTPCall(
                    .post, target, headers: [("Content-Type", "application/x-ndjson")] + own + passing.fields,
                    body: passing.lines,
                    patience: Self.factsPatience, answerBytesMax: Self.answerBytesMax))
        } catch {
            // It has died, perhaps; by then another one may own the partition.
            if error.reason == .cannotConnect { return nil }
            return .failure(.elsewhere("the worker that owns the partition \(error)", isInDoubt: true))
        }
        if answer.status == 503, answer.headers[PassedOn.notHere] != nil { return nil }
        let document = JSONValue(parsing: answer.text)
        let results = document?["results"]?.elements?.compactMap { LineReceipt($0)?.outcome } ?? []
        guard answer.status == 200 || answer.status == 400, results.count == passing.part.indices.count else {
            let problem = document?["error"]?.string ?? "answered \(answer.status)"
            let isInDoubt = document?["in_doubt"]?.bool ?? (answer.status != 503)
            let words = "the worker that owns the partition: \(problem)"
            return .failure(.elsewhere(words, isInDoubt: isInDoubt))
        }
        return .success(results)
    }

    // MARK: Running

    func run(
        _ order: RunOrder, of partitions: [Int], isDry: Bool, at url: String,
        _ reply: @escaping @Sendable (Result<RunReport, WorkerRefusal>) -> Void
    ) {
        let isTaken = lanes.take(to: url) { [self] in
            do throws(HTTPFailure) {
                let answer = try HTTPClient().ask(
                    HTTPCall(
                        .post, url + "/v1/run-now", headers: [("Content-Type", "application/json")] + own,
                        body: Array(order.document(of: partitions, isDry: isDry).text.utf8), patience: Self.patience,
                        answerBytesMax: Self.answerBytesMax))
                reply(answer.runOutcome(isDry: isDry))
            } catch {
                let isInDoubt = !isDry && error.reason != .cannotConnect
                reply(.failure(.elsewhere("another worker \(error)", isInDoubt: isInDoubt)))
            }
        }
        if !isTaken { reply(.failure(.elsewhere("too much is being passed on", isInDoubt: false))) }
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
            let isTaken = lanes.take(to: url) { [self] in
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
