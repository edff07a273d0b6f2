internal import Dispatch

// A log of several that is about to be another worker's.
extension Courier {
    /// A log that is held, and whom to tell that it is at rest.
    struct Holding: Sendable {
        var positions: Range<UInt64>
        var done: @Sendable () -> Void
    }

    /// Begins no more of the jobs that a log holds at these positions, since it is about to go to another worker, who hands out
    /// all that has no outcome in it. Ends with `forget` or `resume`.
    ///
    /// - Parameter done: told, on any thread, once nothing of it is under way and every outcome is in it.
    public func hold(_ positions: Range<UInt64>, done: @escaping @Sendable () -> Void) {
        queue.async {
            self.plan.hold(positions)
            self.holdings.append(Holding(positions: positions, done: done))
            self.tellWhoIsAtRest()
        }
    }

    /// The log is another worker's now. Only for threads that may wait.
    public func forget(_ positions: Range<UInt64>) {
        queue.sync {
            plan.forget(positions)
            holdings.removeAll { $0.positions == positions }
            goOn()
        }
    }

    /// The log stays.
    public func resume(_ positions: Range<UInt64>) {
        queue.async {
            self.plan.resume(positions)
            self.holdings.removeAll { $0.positions == positions }
            self.goOn()
        }
    }

    /// Looks what is to be taken up of a log that was opened, and holds these without an outcome. What waits here goes on, and is read
    /// again, since whoever had the log meanwhile may have erased somebody. A text that was under way when the worker ended, or the
    /// log was lost, may have been taken, and fails (`N5`). To be asked before any of the log may be handed out; only for threads
    /// that may wait.
    ///
    /// - Parameter positions: all that the log has.
    public func returned(_ places: [JobPlace], in positions: Range<UInt64>) -> JobsReturned {
        queue.sync {
            forgetWhatWasRead()
            let missing = plan.came(positions, with: mine(places))
            strikeEndedTexts()
            guard let texts = mail?.texts else { return JobsReturned(places: missing, doubtful: []) }
            // What goes on is struck when it has come to its end, and of the rest that is not missing the log has the outcome.
            let noted = texts.noted(in: positions).subtracting(plan.goingOn(in: positions))
            let doubtful = noted.isEmpty ? [] : noted.intersection(missing.map(\.ofAllChannels))
            texts.forget(noted.subtracting(doubtful))
            return JobsReturned(places: missing, doubtful: Array(doubtful))
        }
    }

    func strikeEndedTexts() {
        let ended = plan.takeEndedTexts()
        mail?.texts.strike(ended)
    }

    func tellWhoIsAtRest() {
        guard !holdings.isEmpty else { return }
        let atRest = holdings.filter { plan.isAtRest($0.positions) }
        guard !atRest.isEmpty else { return }
        holdings.removeAll { holding in atRest.contains { $0.positions == holding.positions } }
        for holding in atRest { holding.done() }
    }
}

/// What of a log's jobs is to be taken up once it is at work.
public struct JobsReturned: Sendable {
    let places: [JobPlace]
    /// Those whose text may have been taken before.
    let doubtful: [JobPlace]
}
