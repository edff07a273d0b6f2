internal import CivilTime
internal import Journal
internal import Notices
internal import Queueing

extension WorkerCore {
    /// Goes on with the "run now" that is under way, or begins with the next. Returns whether there is more of it.
    func goOnRunning(at now: Instant) throws(JournalError) -> Bool {
        if running == nil { running = runs.popFirst() }
        guard var run = running else { return false }
        if run.people == nil {
            // A fact about everybody that is being taken came first. Once the run has begun, the fact waits for it.
            if let next = underway?.next, next.isAboutEverybody { return true }
            guard isCaughtUp(at: now), !isApplyingPolicy else { return true }
            if try turnDown(run, at: now) { return hasRuns }
            run.people = peopleCount(of: run)
        }
        try runSome(&run, at: now)
        try append(at: now)
        running = run
        if run.done == run.people { finish(run) }
        return hasRuns
    }

    /// Somebody is still to be run, or a request to go on behind its run.
    var hasRuns: Bool { running != nil || !runs.isEmpty || !resumed.isEmpty }

    /// With a kind, everybody is asked about by a fact of their own, so that no commit grows with the people there are.
    /// Without one there is nothing to raise: what was due has been decided, and no fact is needed to say so.
    private func peopleCount(of run: RunUnderway) -> Int {
        guard run.order.kind != nil else { return 0 }
        return run.order.users.isEmpty ? peopleCount : run.order.users.count
    }

    private func runSome(_ run: inout RunUnderway, at now: Instant) throws(JournalError) {
        let people = run.people ?? 0
        let end = min(people, run.done + limits.factsPerTurn)
        beginShare()
        while run.done < end, !isShareOver {
            let user = run.order.users.isEmpty ? decider.register.names[run.done] : run.order.users[run.done]
            // Refused of whoever was erased: they have no part in it (`E1`).
            _ = try take(run.fact(about: user), isOwn: false, at: now)
            run.done += 1
        }
        guard run.done == people, case .fact(let told, of: _) = run.asker else { return }
        // Where the log has met nobody, as that of everyone, nobody else says what it brings.
        run.receipt = try take(people == 0 ? told : told.endOfRun, isOwn: false, at: now)
    }

    /// Answers a run that is not to be: one that is wrong, or whose fact the log has.
    private func turnDown(_ run: RunUnderway, at now: Instant) throws(JournalError) -> Bool {
        if case .fact(let told, of: let request) = run.asker, let seq = try knownSeq(of: told) {
            running = nil
            goOn(with: request, .duplicate(of: seq))
            return true
        }
        guard let problem = run.order.problem(under: decider.register, at: now) else { return false }
        running = nil
        switch run.asker {
        case .order(let reply): refuse(problem, reply)
        case .fact(_, of: let request): goOn(with: request, .refused(problem))
        }
        return true
    }

    private func finish(_ run: RunUnderway) {
        running = nil
        switch run.asker {
        case .order(let reply):
            let receipt = RunReceipt(
                firstSeq: run.firstSeq, lastSeq: journal.head.lastSeq, jobs: jobsWritten - run.jobsBefore)
            answer(receipt, reply)
        case .fact(_, of: let request):
            guard let receipt = run.receipt else { preconditionFailure("a run's fact was not recorded") }
            goOn(with: request, receipt)
        }
    }

    /// The request whose fact asked for the run is in its turn again.
    private func goOn(with request: FactsUnderway, _ receipt: FactReceipt) {
        var request = request
        request.receipts.append(receipt)
        resumed.append(request)
    }
}
