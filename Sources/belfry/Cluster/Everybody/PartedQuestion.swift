import Console
import Dispatch
import Notices
import Synchronization
import Worker

/// A question about everybody, of which each worker of a cluster answers the part that its own partitions hold (`M3`).
///
/// Question and part go from worker to worker as JSON. An answer is made of parts that hold every partition once, or there is none.
protocol PartedQuestion: Sendable {
    associatedtype Part: Sendable

    /// What it is called among workers.
    static var word: String { get }
    var members: [JSONValue.Member] { get }
    /// `nil` for what is none.
    init?(_ question: JSONValue)

    /// Only for threads that can wait.
    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> Part

    static func document(of part: Part) -> JSONValue
    /// `nil` for what is none, or what only another version knows.
    func part(_ document: JSONValue) -> Part?
}

extension PartedQuestion {
    /// As another worker is asked for some of its partitions.
    func document(of partitions: [Int]) -> JSONValue {
        .object(
            [
                .init("about", .string(Self.word)),
                .init("partitions", .array(partitions.map { .number("\($0)") })),
            ] + members)
    }
}

extension WorkerService {
    /// All questions of this sort.
    private static let partedQuestions: [any PartedQuestion.Type] = [
        PeopleParts.self, AgendaParts.self, StatsParts.self, HeadParts.self, NowParts.self, BacklogParts.self,
        JobParts.self, PhoneParts.self,
    ]

    private static let patience = Duration.seconds(1)
    private static let pause = DispatchTimeInterval.milliseconds(50)

    /// The parts of every partition, those of other workers asked for at the same time. Only for threads that can wait, and on
    /// none that others' questions wait for: two workers would wait for each other.
    ///
    /// A partition that is on its way from one to another is waited for.
    func gather<Question: PartedQuestion>(
        _ question: Question, over partitions: some Sequence<Int>, _ asker: Asker
    ) throws(Refusal) -> [Question.Part] {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do throws(Refusal) { return try ask(question, over: partitions, asker) } catch {
                guard error.mayPass, ContinuousClock.now < deadline, !asker.isGone else { throw error }
            }
            neighbours?.wantEveryone()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.pause)
        }
    }

    private func ask<Question: PartedQuestion>(
        _ question: Question, over partitions: some Sequence<Int>, _ asker: Asker
    ) throws(Refusal) -> [Question.Part] {
        var here: [RunningLog] = []
        var elsewhere: [String: [Int]] = [:]
        for partition in partitions {
            if let log = town.log(partition) {
                here.append(log)
            } else if let url = neighbours?.url(ofOwnerOf: partition) {
                elsewhere[url, default: []].append(partition)
            } else {
                throw .unable(.noOwner(partition))
            }
        }
        let answers = neighbours?.ask(elsewhere.mapValues { question.document(of: $0) })
        var parts = here.isEmpty ? [] : [try question.part(of: here, self, asker)]
        for (url, answer) in try answers?.wait().get() ?? [] {
            guard let part = question.part(answer) else {
                throw .unable(.unanswered("the worker at \(url) gave an answer that is not known here"))
            }
            parts.append(part)
        }
        return parts
    }

    /// What another worker asks of this one: for its own partitions, and on threads that wait for no other worker.
    func part(_ question: JSONValue, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        if question["about"]?.string == EventsWanted.word {
            return EventsForOthers.answer(question, town, reply)
        }
        guard let sort = Self.partedQuestions.first(where: { $0.word == question["about"]?.string }),
            let asked = sort.init(question),
            let partitions = question["partitions"]?.elements?.map(\.integer), !partitions.contains(nil)
        else { return reply(.refused("this question is not known here")) }
        partsRoom.take(asker) { [self] in
            var logs: [RunningLog] = []
            for case let partition? in partitions {
                guard let log = town.log(partition) else { return reply(.unable(.noOwner(partition))) }
                logs.append(log)
            }
            do throws(Refusal) { reply(.found(WorkerViews.line(try document(asked, of: logs, asker)))) } catch {
                switch error {
                case .wrong(let problem): reply(.refused(problem))
                case .unable(let inability): reply(.unable(inability))
                }
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func document<Question: PartedQuestion>(
        _ question: Question, of logs: [RunningLog], _ asker: Asker
    ) throws(Refusal) -> JSONValue {
        Question.document(of: try question.part(of: logs, self, asker))
    }
}

/// Answers of other workers that are on their way.
final class OthersAnswers: Sendable {
    typealias Answered = Result<[(url: String, answer: JSONValue)], WorkerService.Refusal>

    private struct State: Sendable {
        var left: Int
        var answers: [(url: String, answer: JSONValue)] = []
        var refusal: WorkerService.Refusal?
    }

    private let state: Mutex<State>
    private let isOver = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        state = Mutex(State(left: count))
        if count == 0 { isOver.signal() }
    }

    func hear(_ answer: Result<JSONValue, WorkerService.Refusal>, from url: String) {
        let isLast = state.withLock { state in
            switch answer {
            case .success(let answer): state.answers.append((url, answer))
            case .failure(let refusal): state.refusal = state.refusal ?? refusal
            }
            state.left -= 1
            return state.left == 0
        }
        if isLast { isOver.signal() }
    }

    func wait() -> Answered {
        isOver.wait()
        return state.withLock { state in state.refusal.map { .failure($0) } ?? .success(state.answers) }
    }
}

extension WorkerService.Refusal {
    /// Whether it may be otherwise in a moment, when partitions have found their workers.
    fileprivate var mayPass: Bool {
        switch self {
        case .unable(.noOwner), .unable(.unanswered): true
        case .unable, .wrong: false
        }
    }
}
