internal import CivilTime
internal import Journal
internal import Notices

/// A "run now", and how far it has come: everyone who is due is woken, then the people it names are asked about.
struct RunUnderway {
    let order: RunOrder
    let reply: Reply<RunReceipt>
    /// The number of the first event that belongs to it: whatever is decided from its asking on.
    let firstSeq: UInt64
    var jobs = 0
    var isChecked = false
    /// How many of its people have been run.
    var done = 0

    init(_ order: RunOrder, from firstSeq: UInt64, _ reply: @escaping Reply<RunReceipt>) {
        self.order = order
        self.firstSeq = firstSeq
        self.reply = reply
    }

    func fact(for user: String?) -> Fact {
        var request = RunRequested()
        request.kind = order.kind.map { Identifier($0) }
        request.force = order.isForced ? true : nil
        return Fact(user: user, payload: .runRequested(request))
    }
}

extension WorkerCore {
    /// Goes on with the first "run now". Returns whether there is more of it.
    func goOnRunning(at now: Instant) throws(JournalError) -> Bool {
        // A fact that concerns everybody and is half way through goes first.
        guard underway == nil, var run = runs.first else { return false }
        if !run.isChecked {
            if let problem = problem(with: run, at: now) {
                runs.removeFirst()
                refuse(problem, run.reply)
                return !runs.isEmpty
            }
            run.isChecked = true
            runs[runs.startIndex] = run
        }
        guard isCaughtUp(at: now) else { return true }
        let place = runs.startIndex
        try runSome(&runs[place], at: now)
        try append(at: now)
        run = runs[place]
        guard run.done == peopleCount(of: run) else { return true }
        runs.removeFirst()
        let receipt = RunReceipt(firstSeq: run.firstSeq, lastSeq: journal.head.lastSeq, jobs: run.jobs)
        answer(receipt, run.reply)
        return !runs.isEmpty
    }

    /// With a kind, everybody is asked about by a fact of their own, so that no commit grows with the people there are.
    /// Without one there is nothing to raise: what was due has been decided, and no fact is needed to say so.
    private func peopleCount(of run: RunUnderway) -> Int {
        guard run.order.kind != nil else { return 0 }
        return run.order.users.isEmpty ? peopleCount : run.order.users.count
    }

    private func runSome(_ run: inout RunUnderway, at now: Instant) throws(JournalError) {
        let end = min(peopleCount(of: run), run.done + limits.factsPerTurn)
        while run.done < end {
            let user = run.order.users.isEmpty ? decider.register.names[run.done] : run.order.users[run.done]
            _ = try take(run.fact(for: user), isOwn: false, at: now)
            run.done += 1
        }
    }

    private func problem(with run: RunUnderway, at now: Instant) -> FieldError? {
        for user in run.order.users.isEmpty ? [nil] : run.order.users.map(Optional.some) {
            let fact = run.fact(for: user)
            if let problem = decider.register.problem(with: fact.payload, about: fact.user, at: now) { return problem }
        }
        return nil
    }
}
