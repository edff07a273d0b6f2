internal import Journal
internal import Queueing

/// What may be told only once it is durable: answers, jobs to be handed over, analyses to be asked for. In the order of the log.
struct WaitingForTheDisk {
    private typealias Answer = (Result<Void, WorkerRefusal>) -> Void

    private var answers = WaitingLine<(durableAt: UInt64, answer: Answer)>()
    /// Answers to what is in the commit being made: several requests share one.
    private var answersToDraft: [Answer] = []
    private var commits = WaitingLine<WrittenCommit>()

    var isEmpty: Bool { answers.isEmpty && answersToDraft.isEmpty && commits.isEmpty }

    mutating func add(durableAt position: UInt64, _ answer: @escaping (Result<Void, WorkerRefusal>) -> Void) {
        answers.append((position, answer))
    }

    mutating func addToDraft(_ answer: @escaping (Result<Void, WorkerRefusal>) -> Void) {
        answersToDraft.append(answer)
    }

    mutating func add(_ commit: WrittenCommit) {
        for answer in answersToDraft { answers.append((commit.durableAt, answer)) }
        answersToDraft.removeAll(keepingCapacity: true)
        if commit.hasNews { commits.append(commit) }
    }

    mutating func take(through durable: UInt64, into turn: inout WorkerCore.Turn) {
        while let next = commits.first, next.durableAt <= durable {
            turn.jobs += next.jobs
            turn.lookups += next.lookups
            turn.due += next.due
            turn.codes += next.codes
            turn.analyses += next.analyses
            turn.erased += next.erased
            turn.textsErased = next.textsErased ?? turn.textsErased
            _ = commits.popFirst()
        }
        while let next = answers.first, next.durableAt <= durable {
            turn.answers.append { next.answer(.success(())) }
            _ = answers.popFirst()
        }
    }

    /// Nothing more is acknowledged: everyone hears why, and no job is handed over.
    mutating func abandon(_ failure: JournalError, into turn: inout WorkerCore.Turn) {
        while let next = answers.popFirst() { turn.answers.append { next.answer(.failure(.journal(failure))) } }
        for answer in answersToDraft { turn.answers.append { answer(.failure(.journal(failure))) } }
        answersToDraft = []
        commits = WaitingLine()
    }
}
