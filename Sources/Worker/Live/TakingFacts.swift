internal import CivilTime
internal import Journal
internal import Notices
internal import Queueing

/// A request for facts, and how far it has come.
struct FactsUnderway {
    var request: FactsRequest
    var receipts: [FactReceipt] = []
    /// Where they are all or nothing.
    var trial: FactTrial?

    init(_ request: FactsRequest) {
        self.request = request
        receipts.reserveCapacity(request.facts.count)
    }

    var next: Fact? { receipts.count < request.facts.count ? request.facts[receipts.count] : nil }
}

extension WorkerCore {
    /// Takes facts until a commit is full, of one request or of many. Returns whether there are more.
    func takeFacts(at now: Instant) throws(JournalError) -> Bool {
        var left = limits.factsPerTurn
        beginShare()
        while left > 0, !isShareOver {
            if underway == nil { underway = try nextFacts(at: now) }
            guard let next = underway else { break }
            // Was it begun in another turn? Then it is the last of this one, or one after the other would keep all else waiting.
            let isGoneOnWith = next.wholeAt != nil
            if next.request.isAllOrNothing {
                let trial = if let begun = next.trial { begun } else { try beginTrial(at: now) }
                guard try goOnTrying(next.request, in: trial, left: &left) else { return true }
                if trial.isRefused {
                    underway?.receipts = trial.receipts
                    finishFacts()
                    if isGoneOnWith { break }
                    continue
                }
            }
            let wholeAt = underway?.wholeAt
            while let fact = underway?.next, left > 0, !isShareOver {
                left -= 1
                if let receipt = underway?.knownBefore {
                    underway?.receipts.append(receipt)
                    continue
                }
                if fact.isAboutEverybody, let seq = try knownSeq(of: fact) {
                    underway?.receipts.append(.duplicate(of: seq))
                    continue
                }
                if let order = RunOrder(forEverybodyBy: fact) {
                    setAside(fact, for: order)
                    break
                }
                // What concerns everybody has a commit of its own, after all that is due (`T10`).
                if fact.isAboutEverybody {
                    try append(at: now)
                    if isApplyingPolicy { return setBehindPolicy() }
                    guard isCaughtUp(at: now), running?.people == nil else { return true }
                    underway?.receipts.append(try take(fact, isOwn: next.request.isOwn, at: now))
                    applySome(at: now, ofCommitThatAdopts: true)
                    try append(at: now)
                } else {
                    underway?.receipts.append(try take(fact, isOwn: next.request.isOwn, at: wholeAt ?? now))
                }
            }
            guard underway?.next == nil else { break }
            finishFacts()
            if let wholeAt { try append(at: wholeAt) }
            if isGoneOnWith { break }
        }
        if underway?.wholeAt == nil { try append(at: now) }
        return underway != nil || !requests.isEmpty || !resumed.isEmpty
    }

    /// What was taken before has a commit of its own: it need not wait until all of these are.
    private func beginTrial(at now: Instant) throws(JournalError) -> FactTrial {
        try append(at: now)
        let trial = FactTrial(at: now, by: decider.trial())
        underway?.trial = trial
        return trial
    }

    private func contact(of user: String, about topic: JobTopic, at now: Instant) -> Contact? {
        let occasion = Occasion(decider.nextSequence, now, user: user, decider.plan)
        return decider.register.number(of: user).map { decider.register[$0].contact(about: topic, on: occasion) }
    }

    /// A fact with what the worker alone can add to it.
    func judged(_ fact: Fact, at now: Instant) -> Fact {
        var judged = fact
        switch fact.payload {
        case .phoneCodeEntered(let entered) where entered.isCorrect == nil:
            judged.payload = .phoneCodeEntered(self.judged(entered, of: fact))
        case .deliveryReported(let report):
            judged.payload = .deliveryReported(self.judged(report, of: fact, at: now))
        default: break
        }
        return judged
    }

    /// Which channels are tried instead (`N4`). Who sends nothing tries none.
    private func judged(_ report: DeliveryReported, of fact: Fact, at now: Instant) -> DeliveryReported {
        var report = report
        report.givesWayTo = []
        guard report.isForGood, let senders = senders?(), let user = fact.user,
            let person = decider.register.number(of: user)
        else { return report }
        report.givesWayTo = decider.register[person].waysInstead(
            of: report, senders, on: Occasion(decider.nextSequence, now, user: user, decider.plan))
        return report
    }

    /// Whether a phone's code is the one that was sent (`N9`). Who sends none knows of none that is right.
    private func judged(_ entered: PhoneCodeEntered, of fact: Fact) -> PhoneCodeEntered {
        var entered = entered
        entered.isCorrect = false
        if let isRightCode, let user = fact.user, let person = decider.register.number(of: user),
            let asked = decider.register[person].details.phone.asked
        {
            let request = decider.register[person].details.phone.request
            entered.isCorrect = isRightCode(CodeOrder(user: user, phone: asked, request: request), entered.code.text)
        }
        return entered
    }

    private func finishFacts() {
        guard let done = underway else { return }
        underway = nil
        for (fact, receipt) in zip(done.request.facts, done.receipts) { factTally.count(fact.payload, receipt) }
        answer(done.receipts, done.request.reply)
    }

    /// Everybody is run in pieces, a fact each, while other requests go on; this one does behind its run.
    private func setAside(_ fact: Fact, for order: RunOrder) {
        guard let request = underway else { return }
        underway = nil
        begin(order, for: .fact(fact, of: request))
    }

    /// Other requests go on meanwhile. Returns that there is more.
    private func setBehindPolicy() -> Bool {
        guard let request = underway else { return true }
        underway = nil
        behindPolicy.append(request)
        return true
    }

    private func begin(_ order: RunOrder, for asker: RunUnderway.Asker) {
        runs.append(
            RunUnderway(
                order, for: asker, firstSeq: decider.nextSequence, jobsBefore: jobsWritten + draft.jobCount))
    }

    /// The next request for facts; others on the way are put where they belong.
    private func nextFacts(at now: Instant) throws(JournalError) -> FactsUnderway? {
        if let request = resumed.popFirst() { return request }
        while let request = requests.popFirst() {
            switch request {
            case .facts(let facts): return FactsUnderway(facts)
            case .run(let order, let reply): begin(order, for: .order(reply))
            case .story(let user, let number, let reply):
                // It tells of all that was asked before it.
                try append(at: now)
                answer(PersonPlace(of: user, numbered: number, in: journal), reply)
            case .numbers(let users, let reply):
                try append(at: now)
                answer(users.map { journal.people.number(of: $0) }, reply)
            case .contacts(let people, let reply):
                // An address is read where the log holds it, so it must be durable.
                try append(at: now)
                answer(people.map { contact(of: $0.user, about: $0.topic, at: now) }, reply)
            case .card(let user, let reply):
                // It tells of what was asked before it, once that is durable.
                try append(at: now)
                answer(decider.register.number(of: user).map { PersonCard(decider.register[$0]) }, reply)
            case .generalCommits(let reply):
                // A policy that was told before has its commit by now.
                answer(journal.generalCommits, reply)
            }
        }
        return nil
    }

    func take(_ fact: Fact, isOwn: Bool, at now: Instant) throws(JournalError) -> FactReceipt {
        if let seq = try knownSeq(of: fact) { return .duplicate(of: seq) }
        if let seq = decider.register.duplicate(of: fact, at: now) { return .duplicate(of: seq) }
        if let seq = sight(before: fact, at: now) { return .duplicate(of: seq) }
        if let problem = obstacle(to: fact, isOwn: isOwn, at: now) { return .refused(problem) }
        let fact = judged(fact, at: now)
        let mayStopMail = fact.payload.isComplaint && hasMailOn(fact.user)
        do throws(FieldError) {
            let place = draft.events.count
            let warnings = try decider.take(fact, at: now, isOwn: isOwn, into: &draft.events)
            // Before it may stand what was due for its person.
            guard let seq = draft.events[place...].first(where: \.isFact)?.seq else {
                preconditionFailure("a fact was taken and not written down")
            }
            if let id = fact.id { draft.ids[id] = seq }
            noteSight(fact, seq, at: now)
            if mayStopMail, !hasMailOn(fact.user) { try takeComplaint(fact, at: now) }
            return .recorded(seq: seq, warnings: warnings)
        } catch {
            return .refused(error)
        }
    }

    /// `N6`: a complaint that counted is an unsubscription like any other, and recorded as one behind the report that told of it.
    private func takeComplaint(_ report: Fact, at now: Instant) throws(FieldError) {
        var word = Unsubscribed()
        (word.channel, word.how) = (.email, .complaint)
        let fact = Fact(user: report.user, at: report.at, trace: report.trace, payload: .unsubscribed(word))
        _ = try decider.take(fact, at: now, isOwn: true, into: &draft.events)
    }

    private func hasMailOn(_ user: String?) -> Bool {
        guard let user, let number = decider.register.number(of: user) else { return false }
        return decider.register[number].preferences.channels.contains(.email)
    }

    func obstacle(to fact: Fact, isOwn: Bool, at now: Instant) -> FieldError? {
        obstacle(to: fact, isOwn: isOwn, at: now, decider.register)
    }

    func obstacle(to fact: Fact, isOwn: Bool, at now: Instant, _ register: borrowing Register) -> FieldError? {
        if journal.seals == nil {
            if fact.payload.isErasure { return FieldError(Self.unsealed) }
            if case .policyAdopted(let adopted) = fact.payload,
                let policy = try? Policy(recorded: adopted.policy.text), policy.retention != nil
            {
                return FieldError(path: "data.policy.retention", "cannot be kept to: " + Self.unsealed)
            }
        }
        if let words = Self.wordsOfErased(fact.payload) { return words }
        if let excess = register.excess(of: fact, at: now) { return excess }
        // What became of a job of somebody who was erased meanwhile is nobody's (`E1`).
        guard isOwn, let user = fact.user else { return nil }
        if let number = register.number(of: user), !register[number].isErased,
            register[number].retentionEnds(register.plan).map({ $0 > now }) ?? true
        {
            return nil
        }
        return FieldError(path: "user", "is nobody known here")
    }

    /// Of a notice that is asked for now. A history that is imported may have lost its words.
    private static func wordsOfErased(_ fact: Payload) -> FieldError? {
        guard case .noticeRequested(let request) = fact else { return nil }
        for (name, text) in [("title", request.title), ("body", request.body)] where text?.text == Erased.text {
            return FieldError(
                path: "data.\(name)", "says \(Erased.text), which stands in the place of what was erased")
        }
        return nil
    }

    private static let unsealed =
        "this log was begun before what it says of people was sealed, so nobody can be erased from it; `belfry import` of the facts begins one from which they can"

    /// The number of the fact that was told under this one's key, durable or not.
    func knownSeq(of fact: Fact) throws(JournalError) -> UInt64? {
        guard let id = fact.id else { return nil }
        if let seq = draft.ids[id] { return seq }
        return try journal.seq(ofFact: id)
    }
}

extension Payload {
    /// Whether it tells that somebody called a mail spam.
    fileprivate var isComplaint: Bool {
        guard case .deliveryReported(let report) = self else { return false }
        return report.channel == .email && report.status == .complained
    }
}

extension Fact {
    /// `policy_adopted`, and a `run_requested` that names nobody.
    var isAboutEverybody: Bool { user == nil }
}
