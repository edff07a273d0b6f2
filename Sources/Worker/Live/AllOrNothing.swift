internal import CivilTime
internal import Journal
public import Notices

/// "All or nothing" is one commit.
extension Fact {
    /// Why that cannot be had of this fact in a request of so many; `nil` where it can.
    ///
    /// A fact about everybody has commits of its own, so that a power cut could part it from the others. A run of everybody is itself
    /// recorded in pieces.
    public func partingProblem(amongFacts count: Int) -> FieldError? {
        guard isAboutEverybody else { return nil }
        if case .runRequested = payload {
            return FieldError(
                path: "type",
                "a run of everybody is recorded in pieces: it is not taken as all or nothing, not even by itself")
        }
        guard count > 1 else { return nil }
        return FieldError(
            path: "type",
            "a fact about everybody is not taken with others as all or nothing; send it in a request of its own")
    }
}

/// Facts that are all or nothing, tried on copies of their people before any is taken.
final class FactTrial {
    /// When they happen, all of them, however many turns it takes.
    let now: Instant
    fileprivate var decider: Decider
    /// How many have had their person copied.
    fileprivate var copied = 0
    fileprivate(set) var receipts: [FactReceipt] = []
    /// One is refused, so all are left out.
    fileprivate(set) var isRefused = false
    private var ids: Set<String> = []

    init(at now: Instant, by decider: Decider) { (self.now, self.decider) = (now, decider) }

    fileprivate func isFirst(withId id: String?) -> Bool { id.map { ids.insert($0).inserted } ?? true }
}

extension FactsUnderway {
    /// When all of them happen, where several become one commit. Until it is whole nothing else is recorded, since what was tried is
    /// to hold when it is taken, and what one has led to is not to be in the log without the others.
    var wholeAt: Instant? { request.facts.count > 1 ? trial?.now : nil }

    /// Of the next fact, where it was found to be in the log already when all were tried: whoever it is about may be erased by now, and
    /// then nothing shows it any more.
    var knownBefore: FactReceipt? {
        guard wholeAt != nil, let trial, receipts.count < trial.receipts.count,
            case .duplicate = trial.receipts[receipts.count]
        else { return nil }
        return trial.receipts[receipts.count]
    }
}

extension WorkerCore {
    /// Tries some of the facts underway, one at least. Returns whether all have been.
    func goOnTrying(_ facts: FactsRequest, in trial: FactTrial, left: inout Int) throws(JournalError) -> Bool {
        while trial.copied < facts.facts.count {
            if let user = facts.facts[trial.copied].user { trial.decider.takeCopy(of: user, from: decider) }
            trial.copied += 1
            // One by itself has no commit to be kept whole, so that others may come between its turns: it is taken in this one.
            if hasLasted, facts.facts.count > 1 { return false }
        }
        while trial.receipts.count < facts.facts.count {
            let receipt = try tried(facts.facts[trial.receipts.count], of: facts, in: trial)
            if case .refused = receipt { trial.isRefused = true }
            trial.receipts.append(receipt)
            left -= 1
            if left <= 0 || hasLasted { break }
        }
        guard trial.receipts.count == facts.facts.count else { return false }
        // The copies are of no use any more.
        trial.decider = decider.trial()
        return true
    }

    /// What its sender is told of it if any is refused.
    private func tried(
        _ fact: Fact, of facts: FactsRequest, in trial: FactTrial
    ) throws(JournalError) -> FactReceipt {
        if let seq = try knownSeq(of: fact) { return .duplicate(of: seq) }
        if let problem = fact.partingProblem(amongFacts: facts.facts.count) { return .refused(problem) }
        guard trial.isFirst(withId: fact.id) else { return .leftOut }
        let now = trial.now
        if let problem = obstacle(to: fact, isOwn: facts.isOwn, at: now, trial.decider.register) {
            return .refused(problem)
        }
        do throws(FieldError) {
            var ignored: [Event] = []
            _ = try trial.decider.take(judged(fact, at: now), at: now, isOwn: facts.isOwn, into: &ignored)
            return .leftOut
        } catch {
            return .refused(error)
        }
    }
}
