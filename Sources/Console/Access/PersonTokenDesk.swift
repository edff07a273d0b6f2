public import CivilTime
internal import Synchronization

/// Makes persons' tokens, says whose one is, and revokes them.
///
/// Safe to share: what is revoked is under a lock, and it is written down before it is told to anybody.
public final class PersonTokenDesk: Sendable {
    private struct State: Sendable {
        var revoked: RevokedTokens
        /// When the last token was made, of whomever: those made later have a later instant, whatever the clock says.
        var madeLast = Instant.distantPast
        /// Those for whom no token is made: they are being erased.
        var erasing: [String: Int] = [:]
    }

    public struct Made: Sendable, Equatable {
        public var token: String
        public var id: String
        public var user: String
        public var endsAt: Instant
    }

    private let tokens: PersonTokens
    private let number: @Sendable (_ user: String) -> PersonNumber?
    private let state: Mutex<State>
    /// One after the other, so that an older state never replaces a newer one.
    private let writing = Mutex(Writing())
    private let clock: @Sendable () -> Instant
    /// Whether all is known here that others have revoked.
    private let isUpToDate = Mutex<@Sendable () -> Bool>({ true })
    private let later: Later
    /// Writes what is revoked, durably; why it could not be done.
    private let write: @Sendable (RevokedTokens.Write) -> String?

    private struct Writing: Sendable {
        /// Whether the file is to be written anew, or is by now.
        var isCompacting = false
        /// What was revoked since the state was taken that is being written; `nil` where that is of no use.
        var meanwhile: [[RevokedTokens.Word]]?
    }

    /// Has something done a while later, on a thread that may wait.
    public typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - number: what number a log of this process has for somebody; `nil` for whoever is unknown here.
    ///   - later: all of the file is written anew there, which takes long.
    public init(
        _ tokens: PersonTokens, revoked: RevokedTokens, number: @escaping @Sendable (_ user: String) -> PersonNumber?,
        clock: @escaping @Sendable () -> Instant, later: @escaping Later,
        write: @escaping @Sendable (RevokedTokens.Write) -> String?
    ) {
        self.tokens = tokens
        self.number = number
        state = Mutex(State(revoked: revoked))
        (self.clock, self.later) = (clock, later)
        self.write = write
    }

    /// `nil` while the person is being erased: such a token would be good for whoever comes with that id afterwards.
    func make(for user: String, seconds: Int) -> Made? {
        let now = clock()
        let person = tokens.name(of: user)
        let made = state.withLock { state -> (at: Instant, mark: String?)? in
            guard state.erasing[person] == nil else { return nil }
            // Not before: it could be that of somebody who is erased meanwhile.
            let mark = mark(of: user)
            let madeAt = max(now, state.revoked.earliest(for: person, marked: mark))
            state.madeLast = max(state.madeLast, madeAt)
            return (madeAt, mark)
        }
        guard let made else { return nil }
        let content = PersonTokens.Content(
            user: user, id: PersonTokens.newID(marked: made.mark), madeAt: made.at,
            endsAt: now.advanced(byMilliseconds: 1000 * Int64(seconds)))
        return Made(token: tokens.text(of: content), id: content.id, user: user, endsAt: content.endsAt)
    }

    /// Whose token it is; `nil` for one that is not valid here, whatever is wrong with it.
    func pass(of token: String) -> PersonPass? {
        guard let content = tokens.content(of: token) else { return nil }
        let isRevoked = state.withLock { $0.revoked.holds(content, of: tokens.name(of: content.user)) }
        guard !isRevoked, clock() < content.endsAt else { return nil }
        return PersonPass(user: content.user, id: content.id, endsAt: content.endsAt)
    }

    // MARK: Several workers

    /// In a cluster others revoke as well, and tell those that live.
    ///
    /// - Parameter isUpToDate: whether this worker was told of all of it. As long as it was not, nobody is let in.
    public func follow(_ isUpToDate: @escaping @Sendable () -> Bool) { self.isUpToDate.withLock { $0 = isUpToDate } }

    var mayLetIn: Bool { isUpToDate.withLock { $0 }() }

    /// What is revoked here, for another worker.
    public var toldToOthers: String { String(decoding: state.withLock { $0.revoked }.forOthers.bytes, as: UTF8.self) }

    /// What came of it that another worker has told what is revoked there.
    public enum Compared: Sendable, Equatable {
        /// It is revoked here as well, durably. Whether more is revoked here than that one has told.
        case done(isMoreHere: Bool)
        case failed(String)
    }

    /// Revokes what another worker has revoked. Only for threads that may wait.
    public func compare(with told: String) -> Compared {
        let others: RevokedTokens
        do throws(RevokedTokens.Unreadable) { others = try RevokedTokens(Array(told.utf8)) } catch {
            return .failed("of what another worker has revoked, \(error)")
        }
        let known = state.withLock { $0.revoked }
        if !known.learning(others).isEmpty, let problem = change({ (known, _, _) in known.learning(others) }) {
            return .failed(problem)
        }
        return .done(isMoreHere: !others.learning(known.forOthers).isEmpty)
    }

    /// The same, for whoever does not ask what more there is: why it could not be done.
    public func hear(revokedElsewhere told: String) -> String? {
        if case .failed(let problem) = compare(with: told) { problem } else { nil }
    }

    // MARK: Revoking

    /// Revokes one token, or all of a person that were made before now. Returns when that is durable, with why it is not.
    /// Only for threads that may wait.
    public func revoke(_ id: String?, of user: String) -> String? {
        let (person, now) = (tokens.name(of: user), clock())
        guard let id else { return change { $0.revokingAll(of: person, madeLast: $1, at: $2) } }
        let isFull = state.withLock { state in
            state.revoked.singleCount >= RevokedTokens.singlesMax
                && state.revoked.livingSingles(at: now) >= RevokedTokens.singlesMax
        }
        guard !isFull else {
            return "\(RevokedTokens.singlesMax) tokens are revoked one by one; revoke all of this person instead"
        }
        return change { (_, _, now) in [.one(person: person, id: id, at: now)] }
    }

    // MARK: Writing

    /// Durable when it returns, with why it is not. A line is written, however many stand there.
    private func change(
        _ work: (_ known: RevokedTokens, _ madeLast: Instant, _ now: Instant) -> [RevokedTokens.Word]
    ) -> String? {
        let now = clock()
        let problem = writing.withLock { writing -> String? in
            let (length, words) = state.withLock { ($0.revoked.file.length, work($0.revoked, $0.madeLast, now)) }
            guard let length, !words.contains(where: \.endsEverything) else {
                return writeWhole(words, at: now, &writing)
            }
            let line = RevokedTokens.line(words)
            if let problem = write(.line(line, at: length)) {
                giveUpFile(&writing)
                return problem
            }
            writing.meanwhile?.append(words)
            state.withLock { $0.revoked.take(words, addedAsLine: line.count) }
            return nil
        }
        if problem == nil { compactWhereWorthIt() }
        return problem
    }

    /// The first time, and where little is left of it.
    private func writeWhole(_ words: [RevokedTokens.Word], at now: Instant, _ writing: inout Writing) -> String? {
        let next = state.withLock { $0.revoked }.compacted(at: now, with: words)
        let bytes = next.bytes
        if let problem = write(.whole(bytes)) {
            giveUpFile(&writing)
            return problem
        }
        writing.meanwhile = nil
        state.withLock { $0.revoked = next.written(bytes.count) }
        return nil
    }

    /// What lies there is not known any more: the next change writes all of it.
    private func giveUpFile(_ writing: inout Writing) {
        writing.meanwhile = nil
        state.withLock { $0.revoked.isUnknownOnDisk() }
    }

    /// A run that was killed may have left the file as it was to be written anew.
    public func compactWhereWorthIt() {
        let now = clock()
        let isDue = writing.withLock { writing in
            guard !writing.isCompacting, state.withLock({ $0.revoked.isWorthWriting(at: now) }) else { return false }
            writing.isCompacting = true
            return true
        }
        if isDue { later { [weak self] in self?.compact() } }
    }

    /// Writes the file anew without what it need not hold. Whoever revokes something meanwhile waits for a few lines of it alone.
    private func compact() {
        let now = clock()
        let known = writing.withLock { writing in
            writing.meanwhile = []
            return state.withLock { $0.revoked }
        }
        let compacted = known.compacted(at: now, with: [])
        let bytes = compacted.bytes
        let problem = write(.draft(bytes))
        let isDone = writing.withLock { writing -> Bool in
            writing.isCompacting = false
            guard problem == nil, let meanwhile = writing.meanwhile else {
                writing.meanwhile = nil
                return false
            }
            let lines = meanwhile.map { RevokedTokens.line($0) }
            guard write(.draftInPlace(adding: Array(lines.joined()))) == nil else {
                giveUpFile(&writing)
                return false
            }
            writing.meanwhile = nil
            var next = compacted.written(bytes.count)
            for (words, line) in zip(meanwhile, lines) { next.take(words, addedAsLine: line.count) }
            let taken = next
            state.withLock { $0.revoked = taken }
            return true
        }
        if isDone { compactWhereWorthIt() }
    }

    // MARK: Erasing

    /// What stands for a person in their tokens, for workers that do not have their log; `nil` for whoever is unknown here.
    public func mark(of user: String) -> String? { number(user).map { tokens.mark(of: $0) } }

    /// People of a log of this process are about to be erased, in one commit: all their tokens end, durably and by one write, and none
    /// is made until it is told how that went (`E4`). Returns why it could not be done. Only for threads that may wait.
    ///
    /// - Parameter log: the number of the log that they are in.
    public func beginErasing(_ users: [String], in log: Int) -> String? {
        begin(users.map { (tokens.name(of: $0), mark(of: $0)) }, in: log)
    }

    /// As above, of people whose marks are given: those of another worker's log, which this one may not know. Everybody's tokens end
    /// where somebody has none.
    ///
    /// - Parameter counting: of how many of the log it is known afterwards, where it was of some and these are so many more.
    public func beginErasing(
        _ people: [EraseOrder.Person], in log: Int, counting: (_ known: Int, _ more: Int) -> Int = { $0 + $1 }
    ) -> String? {
        begin(people.map { (tokens.name(of: $0.user), $0.mark) }, in: log, counting)
    }

    private func begin(
        _ people: [(name: String, mark: String?)], in log: Int, _ counting: (Int, Int) -> Int = { $0 + $1 }
    ) -> String? {
        state.withLock { state in for person in people { state.erasing[person.name, default: 0] += 1 } }
        let problem = change { (known, madeLast, now) in
            known.erasing(people, madeLast: madeLast, at: now)
                + [.erased(log: log, count: counting(known.countErased(in: log), people.count))]
        }
        if problem != nil { for person in people { makeAgain(for: person.name) } }
        return problem
    }

    /// - Parameter isRefused: whether the log has not erased them. Their tokens stay revoked all the same.
    public func endErasing(_ user: String, in log: Int, isRefused: Bool) {
        if isRefused {
            // One too many that is left in the file is taken away later: by the next start, or in a cluster as soon as it is seen.
            _ = uncount([log: 1])
        }
        makeAgain(for: tokens.name(of: user))
    }

    private func makeAgain(for person: String) {
        state.withLock { state in
            guard let count = state.erasing[person] else { return }
            state.erasing[person] = count == 1 ? nil : count - 1
        }
    }

    /// What a start found out about tokens of people whom the log erased.
    public enum Settling: Sendable, Equatable {
        /// All of them are revoked.
        case settled
        /// Of some it is not known whose they are, so those of everybody were revoked.
        case everybodys
        case failed(String)
    }

    /// The logs of these that have erased more people than are known here; all where the file names people who were erased.
    ///
    /// - Parameter counts: how many people each log has erased, by its number.
    public func missed(of counts: [Int: Int]) -> [Int: Int] {
        state.withLock { state in
            counts.filter { state.revoked.namesErased || $0.value > state.revoked.countErased(in: $0.key) }
        }
    }

    /// Of how many people it is known here that they were erased from these logs, of those of which it is more than the log says: some
    /// are being erased, or were not after all.
    public func known(beyond counts: [Int: Int]) -> [Int: Int] {
        state.withLock { state in
            counts.reduce(into: [:]) { beyond, one in
                let count = state.revoked.countErased(in: one.key)
                if count > one.value { beyond[one.key] = count }
            }
        }
    }

    /// So many people were not erased from each log after all. Durable when it returns, with why it is not.
    public func uncount(_ people: [Int: Int]) -> String? {
        change { (known, _, _) in
            people.map { (log, count) in .erased(log: log, count: max(0, known.countErased(in: log) - count)) }
        }
    }

    /// Sees to it that nobody whom a log erased has a token left, also where the file is older than an erasure: a backup that was
    /// put back, or one of a version that revoked none (`E3`, `E4`). A file that names people who were erased is written anew without
    /// them. Only for threads that may wait.
    ///
    /// - Parameters:
    ///   - erased: how many people each log has erased, by its number.
    ///   - madeLast: no token was made after this, as far as the logs know.
    public func settle(erased: [Int: Int], madeLast: Instant) -> Settling {
        compactWhereWorthIt()
        let known = state.withLock { $0.revoked }
        if !known.namesErased, erased.allSatisfy({ $0.value == known.countErased(in: $0.key) }) { return .settled }
        let isUnknown = known.namesErased || erased.contains { $0.value > known.countErased(in: $0.key) }
        let problem = change { (known, made, now) in
            (isUnknown ? known.revokingEverybodys(madeLast: max(made, madeLast), at: now) : [])
                + erased.map { (log, count) in .erased(log: log, count: count) }
        }
        if let problem { return .failed(problem) }
        return isUnknown ? .everybodys : .settled
    }
}
