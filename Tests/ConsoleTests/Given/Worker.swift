import CivilTime
import Console
import Notices
import Synchronization

/// A service that numbers facts as a log would, and remembers what it was asked.
final class Worker: Sendable {
    private struct Log {
        var lastSeq: UInt64 = 0
        var ids: [String: UInt64] = [:]
        var orders: [AppendOrder] = []
        var runs: [RunNowRequest] = []
        var questions: [Question] = []
        var searches: [PeopleQuestion] = []
        var retries: [RetryOrder] = []
        var tests: [TestOrder] = []
        var erased: [String] = []
        var card: PersonCard?
        var trials = 0
        var sendsTexts = true
        var refusal: String?
        var tooManyTests: Int64?
        var now = Entry.start
        var refused: [String: Int] = [:]
    }

    private let log = Mutex(Log())
    private let (codes, trials) = (AskTally(.codes), AskTally(.trials))
    private let pace = Pace()

    var orders: [AppendOrder] { log.withLock { $0.orders } }
    var runs: [RunNowRequest] { log.withLock { $0.runs } }
    var searches: [PeopleQuestion] { log.withLock { $0.searches } }
    var retries: [RetryOrder] { log.withLock { $0.retries } }
    var tests: [TestOrder] { log.withLock { $0.tests } }
    var questions: [Question] { log.withLock { $0.questions } }
    /// What was refused before it came here, by type.
    var refused: [String: Int] { log.withLock { $0.refused } }
    private func note(refused: [String: Int]) { log.withLock { $0.refused.merge(refused, uniquingKeysWith: +) } }

    var service: Service {
        var service = Service {
            Health(
                version: "1.2.3", lastSeq: 42, recordedAt: Instant(milliseconds: 0), people: 7, waitingJobs: 1,
                uptimeSeconds: 60, whyNotReady: nil)
        }
        service.orders = orderService
        service.questions = questionService
        service.persons = personService
        return service
    }

    private var orderService: OrderService {
        OrderService(
            zoneProblem: { $0.hasPrefix("Europe/") ? nil : "unknown zone" },
            append: { [self] order, reply in reply(.success(append(order).map { .success($0) })) },
            refused: { [self] in note(refused: $0) },
            runNow: { [self] order, _, reply in
                log.withLock { $0.runs.append(order) }
                let jobs = [Array(#"{"id":"anna/reminder/#1"}"#.utf8)]
                reply(.done(RunReport(jobs: jobs, jobCount: 1, firstSeq: 41, lastSeq: 42)))
            },
            retry: { [self] request, _, reply in
                log.withLock { $0.retries.append(request.order) }
                reply(
                    .done(
                        RetryReport([
                            RetriedJob(job: "anna/reminder/#1", outcome: .asked(seq: 7)),
                            RetriedJob(job: "anna/reminder/#2", outcome: .refused("it is too late")),
                        ])))
            },
            test: { [self] order, reply in
                let wait = log.withLock { log in
                    log.tests.append(order)
                    return log.tooManyTests
                }
                if let wait { return reply(.tooMany(retryAfterSeconds: wait)) }
                reply(.done(seq: 8, decisions: [Array(#"{"seq":9}"#.utf8)]))
            },
            erase: { [self] user, _, reply in
                log.withLock { $0.erased.append(user) }
                reply(.done(ErasureReport(seq: 9, removed: ["their key"], elsewhere: ["backups"])))
            })
    }

    /// Whether nobody has got through to anything that is done or told here.
    var wasNotAsked: Bool {
        log.withLock { log in
            log.orders.isEmpty && log.runs.isEmpty && log.questions.isEmpty && log.searches.isEmpty
                && log.retries.isEmpty && log.tests.isEmpty && log.erased.isEmpty
                && log.trials == 0
        }
    }

    /// What is known of whoever is asked about, and what is said of the next facts if they are not taken.
    func know(_ card: PersonCard?, refusing refusal: String? = nil) {
        log.withLock { ($0.card, $0.refusal) = (card, refusal) }
    }

    func sendNoTexts() { log.withLock { $0.sendsTexts = false } }
    func refuseTests(for seconds: Int64) { log.withLock { $0.tooManyTests = seconds } }
    func move(to now: Instant) { log.withLock { $0.now = now } }

    private var personService: PersonService {
        PersonService(
            zoneProblem: { $0.hasPrefix("Europe/") ? nil : "unknown zone" },
            append: { [self] order, reply in reply(.success(append(order).map { .success($0) })) },
            refused: { [self] in note(refused: $0) },
            card: { [self] _, reply in reply(.success(log.withLock { $0.card })) },
            tryAnalysis: { [self] _, reply in
                log.withLock { $0.trials += 1 }
                reply(.failed(.noConversation))
            }, sendsTexts: { [self] in log.withLock { $0.sendsTexts } }, pace: pace, codes: codes, trials: trials,
            clock: { [self] in log.withLock { $0.now } })
    }

    private var questionService: QuestionService {
        QuestionService(
            ask: { [self] question, _, reply in
                log.withLock { $0.questions.append(question) }
                reply(.found(Array((question.wantsText ? "in words\n" : #"{"user":"\#(question.user)"}"#).utf8)))
            },
            people: { [self] question, _, reply in
                log.withLock { $0.searches.append(question) }
                reply(.found(Array("{\"user\":\"anna\"}\n".utf8)))
            })
    }

    private func append(_ order: AppendOrder) -> [FactReceipt] {
        log.withLock { log in
            log.orders.append(order)
            if let refusal = log.refusal { return order.facts.map { _ in .refused(FieldError(refusal)) } }
            return order.facts.map { fact in
                if let id = fact.id, let earlier = log.ids[id] { return .duplicate(of: earlier) }
                log.lastSeq += 1
                if let id = fact.id { log.ids[id] = log.lastSeq }
                return .recorded(
                    seq: log.lastSeq, warnings: fact.user == "warned" ? [Warning(.elsewhere, "mind the gap")] : [])
            }
        }
    }
}

extension Router {
    /// For the owner's own socket.
    var handler: HTTPHandler { handler(through: .socket) }

    /// The answer of a service that answers at once, without any sockets.
    func answer(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)] = [], body: String = "",
        through door: Door = .socket
    ) -> (status: Int, headers: HTTPHeaders, text: String) {
        var head = HTTPRequest(
            method: method, target: target, headers: HTTPHeaders(headers), body: Array(body.utf8))
        let answered = Mutex<HTTPResponse?>(meet(&head, door))
        let request = head
        if answered.withLock({ $0 == nil }) {
            self.answer(request, Asker(for: .stranger)) { response in answered.withLock { $0 = response } }
        }
        guard let response = answered.withLock({ $0 }) else { preconditionFailure("no answer") }
        return (response.status, response.headers, String(decoding: response.body, as: UTF8.self))
    }
}

/// A line that is a fact, and one that is none.
func opened(_ user: String, id: String? = nil) -> String {
    #"{"type":"app_opened","user":"\#(user)"\#(id.map { #","id":"\#($0)""# } ?? "")}"#
}
