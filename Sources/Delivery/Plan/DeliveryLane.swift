internal import CivilTime
internal import Queueing

/// What waits for one carrier. A job that pauses between two tries takes no room in the gate, so it holds up no other.
struct DeliveryLane {
    private var gate: SenderGate
    /// Whether it leads to many that know nothing of one another (`Carrier.isShared`).
    private let isShared: Bool
    /// Who takes what waits here, and the first attempt that is theirs.
    private var taker: Taker?
    private var firstAttempt: UInt64 = 0
    /// Attempts of this lane that are under way, with room in the gate or without.
    private var attempts = 0
    /// What is not a job.
    private var errands = WaitingLine<UInt64>()
    private var fresh = FreshLine()
    private var pausing = RetryHeap()
    /// Those whose pause is over and who wait for room.
    private var again = WaitingLine<Retry>()
    private var isTurnOfAgain = true
    /// When the gate opens, where it said so.
    private var opening: Instant?
    /// When the first of those in line may have waited too long.
    private var firstLast: Instant?
    private var tooLate = WaitingLine<Retry>()

    init(_ carrier: Carrier) {
        isShared = carrier.isShared
        taker = carrier.taker
        gate = SenderGate(carrier.limits.ofLane(isShared))
    }

    /// When there is something to be done.
    var nextDue: Instant? {
        let isWaiting = !errands.isEmpty || !fresh.isEmpty || !again.isEmpty
        return [pausing.first?.due, isWaiting ? opening : nil, isWaiting ? firstLast : nil].compactMap { $0 }.min()
    }

    /// Whether something was given to it that it has not answered.
    var isBusy: Bool { attempts > 0 }

    /// How much waits, paused or not.
    var waiting: Int { errands.count + fresh.count + again.count + pausing.count + tooLate.count }

    /// When it is next given something, where it asked for nothing before; `nil` where it did not.
    func nextTry(at now: Instant) -> Instant? {
        if let closed = gate.closedUntil(at: now) { return closed }
        guard errands.isEmpty, fresh.isEmpty, again.isEmpty, let first = pausing.first, first.tries.waits > 0 else {
            return nil
        }
        return first.due
    }

    mutating func setLimits(_ limits: SenderGate.Limits) { gate.setLimits(limits.ofLane(isShared)) }

    /// Another document is in force. A pause that somebody asked for, and their failures, are not those of who takes the jobs next,
    /// also where that is somebody else than this lane's: its jobs go there at their turn. What was never tried begins, then they take turns.
    ///
    /// - Parameter attempt: the first that they are given.
    /// - Returns: whether somebody else takes them from now on.
    mutating func change(to carrier: Carrier, from attempt: UInt64) -> Bool {
        setLimits(carrier.limits)
        guard carrier.taker != taker else { return false }
        (taker, firstAttempt) = (carrier.taker, attempt)
        gate.startOver()
        pausing.endAll()
        isTurnOfAgain = false
        return true
    }

    var isBroken: Bool { gate.isBroken }

    mutating func beginAttempt() { attempts += 1 }
    mutating func endAttempt() { attempts -= 1 }

    /// Whether nothing waits or is under way.
    var isUnused: Bool { attempts == 0 && waiting == 0 }

    /// Whether it may be another's: nothing is lost with it but how often its carrier has failed. A pause that the provider asked
    /// for is to be kept.
    func isIdle(at now: Instant) -> Bool {
        guard isUnused else { return false }
        var pauses = gate
        pauses.setLimits(SenderGate.Limits(calls: 1, hasBreaker: false))
        return pauses.enter(at: now) == .go
    }

    mutating func append(errand: UInt64) { errands.append(errand) }
    mutating func append(_ parcel: Parcel, isTest: Bool = false) { fresh.append(parcel, isTest: isTest) }

    mutating func pause(_ retry: Retry) { pausing.insert(retry) }

    /// One in line waits until then at most.
    mutating func mind(_ last: Instant?) {
        guard let last else { return }
        let next = last.advanced(byMilliseconds: 1)
        if firstLast.map({ next < $0 }) ?? true { firstLast = next }
    }

    /// One that has waited as long as it can. The whole line is looked through for them, once a second at most.
    mutating func nextTooLate(at now: Instant, in jobs: JobTable) -> (parcel: Parcel, tries: Tries)? {
        if let first = firstLast, first <= now {
            firstLast = nil
            func isOver(_ parcel: Parcel) -> Bool { jobs.lastMoment(of: parcel).map { $0 < now } ?? false }
            for parcel in fresh.take(where: isOver) { tooLate.append(Retry(due: now, parcel: parcel, tries: Tries())) }
            tooLate.append(contentsOf: again.take { isOver($0.parcel) })
            for parcel in fresh.elementsLeft { mind(jobs.lastMoment(of: parcel)) }
            for retry in again.elementsLeft { mind(jobs.lastMoment(of: retry.parcel)) }
            firstLast = firstLast.map { max($0, now.advanced(bySeconds: 1)) }
        }
        return tooLate.popFirst().map { ($0.parcel, $0.tries) }
    }

    /// - Parameter jobs: which knows how long one may wait in line.
    mutating func endPauses(at now: Instant, in jobs: JobTable) {
        while let retry = pausing.popDue(at: now) {
            again.append(retry)
            mind(jobs.lastMoment(of: retry.parcel))
        }
    }

    /// The next that is no job: somebody waits for it.
    mutating func nextErrand(at now: Instant) -> UInt64? {
        guard !errands.isEmpty, enter(at: now) else { return nil }
        return errands.popFirst()
    }

    /// The next to try and what it has behind it. New ones and old ones take turns, so that neither starves the other; a test goes
    /// before both.
    mutating func next(at now: Instant) -> (parcel: Parcel, tries: Tries)? {
        guard !fresh.isEmpty || !again.isEmpty, enter(at: now) else { return nil }
        let isAgain = !fresh.hasTests && (isTurnOfAgain ? !again.isEmpty : fresh.isEmpty)
        let next = isAgain ? again.popFirst().map { ($0.parcel, $0.tries) } : fresh.popFirst().map { ($0, Tries()) }
        isTurnOfAgain = !isAgain
        return next
    }

    private mutating func enter(at now: Instant) -> Bool {
        switch gate.enter(at: now) {
        case .go:
            opening = nil
            return true
        case .later(let instant): opening = instant
        case .full: opening = nil
        }
        return false
    }

    /// Takes out all that wait of which it is so, with what they have behind them.
    mutating func take(where isTaken: (Parcel) -> Bool) -> [Retry] {
        let fresh = fresh.take(where: isTaken).map { Retry(due: .distantPast, parcel: $0, tries: Tries()) }
        return fresh + again.take { isTaken($0.parcel) } + tooLate.take { isTaken($0.parcel) }
            + pausing.take { isTaken($0.parcel) }
    }

    /// One has been answered for and makes room. Gives what that means for the job or errand.
    mutating func ended(_ verdict: SenderVerdict, of attempt: UInt64, at now: Instant) -> SenderVerdict {
        // What was with whoever took the jobs before says nothing of who takes them now.
        if attempt < firstAttempt {
            gate.left()
            return verdict
        }
        let verdict = isShared ? verdict.ofOneOfMany : verdict
        defer { gate.ended(verdict, at: now) }
        return gate.isBroken ? verdict.ofWhoIsDown : verdict
    }

    /// One has made room without an answer.
    mutating func left() { gate.left() }

    /// Those who come next, as far as that is known.
    func upcoming(_ limit: Int) -> [Parcel] {
        again.prefix(limit).map(\.parcel) + fresh.prefix(limit)
    }
}

extension SenderGate.Limits {
    /// A breaker would have those who are down stop those who are not.
    fileprivate func ofLane(_ isShared: Bool) -> Self {
        var limits = self
        if isShared { limits.hasBreaker = false }
        return limits
    }
}

extension SenderVerdict {
    /// The same of one among many that share a lane: the pause that it asks for is no other's.
    fileprivate var ofOneOfMany: SenderVerdict {
        guard case .wait(let seconds, let reason, .sender) = self else { return self }
        return .wait(seconds: seconds, reason: reason, whom: .address)
    }
}
