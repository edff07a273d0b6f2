public import CivilTime
internal import Journal
public import Notices
internal import Synchronization

/// A worker for as long as one order takes, for whoever has opened the log for that alone: the calling thread waits for
/// the disk.
///
/// It does what a worker does: whoever is due is decided about, and the log is left as one would have left it (`G2`).
extension WorkerCore {
    public func runAlone(_ order: RunOrder, clock: () -> Instant) -> Result<RunReceipt, WorkerRefusal> {
        alone(clock) { ask(run: order, $0) }
    }

    public func takeAlone(
        _ facts: [Fact], allOrNothing: Bool, clock: () -> Instant
    ) -> Result<[FactReceipt], WorkerRefusal> {
        alone(clock) { ask(facts: facts, allOrNothing: allOrNothing, $0) }
    }

    /// Why a fact without an id would be refused as things stand. Nobody is decided about, also not who is due.
    public func refusal(of fact: Fact, clock: () -> Instant) -> FieldError? {
        let now = max(clock(), journal.head.at)
        if let problem = obstacle(to: fact, isOwn: false, at: now) { return problem }
        let number = fact.user.flatMap { decider.register.number(of: $0) }
        return decider.register.problem(with: fact.payload, about: fact.user, number: number, at: now)
    }

    private func alone<Answer: Sendable>(
        _ clock: () -> Instant, _ ask: (@escaping Reply<Answer>) -> Void
    ) -> Result<Answer, WorkerRefusal> {
        let answered = Answered<Answer>()
        ask { result in answered.result.withLock { $0 = result } }
        while true {
            var turn: Turn
            repeat {
                turn = self.turn(at: clock(), writing: false)
                for answer in turn.answers { answer() }
                // Nobody more is woken before keys are destroyed, which the commit does (`G11`).
            } while turn.again && mayLeave
            for answer in commit().answers { answer() }
            if let result = answered.result.withLock({ $0 }),
                failure != nil || isCaughtUp(at: clock()) && !isApplyingPolicy
            {
                return result
            }
        }
    }
}

/// Where the answer is put.
private final class Answered<Answer: Sendable>: Sendable {
    let result = Mutex<Result<Answer, WorkerRefusal>?>(nil)
}
