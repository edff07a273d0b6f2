internal import CivilTime

extension WorkerCore {
    /// Answers once everybody who was due has been woken, and that is durable: whose time had ended while no worker ran is erased by
    /// then. Not where the worker ends before.
    public func askWhenCaughtUp(_ reply: @escaping Reply<Void>) { waitingToCatchUp.append(reply) }

    func answerWhenCaughtUp(at now: Instant) {
        guard !waitingToCatchUp.isEmpty, isCaughtUp(at: now), !isApplyingPolicy, textsDue.map({ $0 > now }) ?? true
        else { return }
        for reply in waitingToCatchUp { answer((), reply) }
        waitingToCatchUp = []
    }
}

extension LiveWorker {
    /// Answers once everybody has been woken who was due.
    public nonisolated func catchUp(reply: @escaping Reply<Void>) -> Intake {
        ask(bytes: 0, hasRoom: true, reply) { $0.askWhenCaughtUp($1) }
    }
}
