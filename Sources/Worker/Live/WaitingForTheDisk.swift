internal import Journal

/// What may be told only once it is durable: answers, and jobs to be handed over. In the order of the log.
struct WaitingForTheDisk {
    private typealias Answer = (Result<Void, WorkerRefusal>) -> Void

    private var answers: ArraySlice<(durableAt: UInt64, answer: Answer)> = []
    private var jobs: ArraySlice<(durableAt: UInt64, place: EventPlace)> = []

    var isEmpty: Bool { answers.isEmpty && jobs.isEmpty }

    mutating func add(durableAt position: UInt64, _ answer: @escaping (Result<Void, WorkerRefusal>) -> Void) {
        answers.append((position, answer))
    }

    mutating func add(jobs places: [EventPlace], durableAt position: UInt64) {
        for place in places { jobs.append((position, place)) }
    }

    mutating func take(through durable: UInt64, into turn: inout WorkerCore.Turn) {
        while let first = jobs.first, first.durableAt <= durable { turn.jobs.append(jobs.removeFirst().place) }
        while let first = answers.first, first.durableAt <= durable {
            let answer = answers.removeFirst().answer
            turn.answers.append { answer(.success(())) }
        }
    }

    /// Nothing more will be durable: everyone hears why, and no job is handed over.
    mutating func abandon(_ failure: JournalError, into turn: inout WorkerCore.Turn) {
        for (_, answer) in answers { turn.answers.append { answer(.failure(.journal(failure))) } }
        answers = []
        jobs = []
    }
}
