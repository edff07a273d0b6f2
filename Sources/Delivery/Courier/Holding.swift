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

    /// Of what a log held as it was opened, what does not wait here: that is to be taken up, later. What does goes on here, and is read again,
    /// since whoever had the log meanwhile may have erased somebody. To be asked before any of it may be handed out; only for threads that
    /// may wait.
    public func missing(of places: [JobPlace]) -> [JobPlace] {
        queue.sync {
            forgetWhatWasRead()
            return plan.missing(of: places)
        }
    }

    func tellWhoIsAtRest() {
        guard !holdings.isEmpty else { return }
        let atRest = holdings.filter { plan.isAtRest($0.positions) }
        guard !atRest.isEmpty else { return }
        holdings.removeAll { holding in atRest.contains { $0.positions == holding.positions } }
        for holding in atRest { holding.done() }
    }
}
