import Console
import Queueing
import Synchronization

/// Where questions about people wait to be answered, a few at a time (`G11`).
///
/// An answer reads all that a person has, which can take a good part of a second. So questions have threads of their own,
/// which give way to the rest of the worker, and a waiting room with so many seats. Who has gone gives up the seat, and is
/// passed over when the turn comes.
final class QuestionRoom: Sendable {
    private struct Waiting: Sendable {
        let asker: Asker
        let answer: @Sendable () -> Void
    }

    private struct Line: Sendable {
        var waiting: [Waiting] = []
        /// Threads that are answering.
        var answering = 0
    }

    private let threads: Int
    private let seats: Int
    private let lane: Lane
    private let line = Mutex(Line())

    init(threads: Int, seats: Int) {
        self.threads = threads
        self.seats = seats
        lane = Lane("belfry.questions", threads: threads, waitingMax: threads, priority: .behindOthers)
    }

    /// `false` where every seat is taken by somebody who still waits. The answer of who has gone is never begun.
    func take(_ asker: Asker, _ answer: @escaping @Sendable () -> Void) -> Bool {
        let outcome = line.withLock { line -> (isTaken: Bool, mustBegin: Bool) in
            if line.waiting.count >= seats { line.waiting.removeAll { $0.asker.isGone } }
            guard line.waiting.count < seats else { return (false, false) }
            line.waiting.append(Waiting(asker: asker, answer: answer))
            guard line.answering < threads else { return (true, false) }
            line.answering += 1
            return (true, true)
        }
        if outcome.mustBegin { begin() }
        return outcome.isTaken
    }

    private func begin() {
        let isBegun = lane.take { [self] in
            while let next = next() { next.answer() }
        }
        precondition(isBegun, "there is a thread for whoever may be answering")
    }

    /// `nil`, and one less is answering, where nobody waits any more.
    private func next() -> Waiting? {
        line.withLock { line in
            while !line.waiting.isEmpty {
                let next = line.waiting.removeFirst()
                if !next.asker.isGone { return next }
            }
            line.answering -= 1
            return nil
        }
    }
}
