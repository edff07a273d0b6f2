internal import CivilTime
internal import Hashing

/// What was revoked of persons' tokens: single ones, of a person all that were made up to an instant, and of everybody.
///
/// A token is alive for a year at most, so an entry is of no use a year after it was made. How many people each log has erased
/// whose tokens are among the revoked is kept for ever (`E4`).
public struct RevokedTokens: Sendable, Equatable {
    /// All made at this instant or before.
    struct All: Sendable, Equatable {
        var before: Instant
        var revokedAt: Instant

        /// From then on no token that it is about can be alive.
        var endsAt: Instant { RevokedTokens.endsAt(max(revokedAt, before)) }
    }

    /// One thing that is revoked, or known of it, as the file says it.
    enum Word: Sendable, Equatable {
        case everybody(All)
        case unmarked(All)
        /// So many people were erased from a log.
        case erased(log: Int, count: Int)
        case mark(String, All)
        case all(String, All)
        case one(person: String, id: String, at: Instant)
        /// Whoever was called so was erased: nothing is kept under the name.
        case gone(String)
    }

    /// Of people who are known, by what `PersonTokens` names them.
    private(set) var all: [String: All] = [:]
    /// By person and id, each with when it was revoked.
    private(set) var single: [String: [String: Instant]] = [:]
    private(set) var singleCount = 0
    /// Of people who were erased, by their mark: a name could be found by guessing (`G9`).
    private(set) var erasedMarks: [String: All] = [:]
    /// Of all tokens without a mark. With each erasure they end: some may be theirs, and the file must not say which.
    private(set) var unmarked: All?
    private(set) var everybody: All?
    /// How many people were erased, by the log's number.
    var erased: [Int: Int] = [:]
    /// Whether a version wrote it that kept people who were erased by name. Which of the names are theirs nobody knows any more.
    var namesErased = false
    /// What there is of it in the file.
    private(set) var file = File()

    struct File: Sendable, Equatable {
        /// Where the next line goes; `nil` where the file has to be written as a whole.
        var length: Int?
        /// Lines that were added since it was written as a whole.
        var added = 0
        /// Whether names of people stand in it who were erased.
        var namesGone = false
        /// When half of what stands in it is of no use any more; `nil` where nothing does.
        var halfEndsAt: Instant?
    }

    /// Of tokens that are revoked one by one.
    public static let singlesMax = 100_000
    /// Of people whose tokens are revoked. All of them are in memory.
    static let peopleMax = 200_000

    public init() {}

    func holds(_ token: PersonTokens.Content, of person: String) -> Bool {
        token.madeAt <= last(of: person, marked: token.mark) || single[person]?[token.id] != nil
    }

    /// The earliest instant at which a token of the person can be made that is not revoked already: were it made in the
    /// millisecond in which all were revoked, or by a clock that was set back, it would be dead from the beginning.
    func earliest(for person: String, marked mark: String?) -> Instant {
        last(of: person, marked: mark).advanced(byMilliseconds: 1)
    }

    /// All of a person's tokens with that mark are revoked that were made at this instant or before.
    private func last(of person: String, marked mark: String?) -> Instant {
        let end = if let mark { erasedMarks[mark] } else { unmarked }
        return [everybody, all[person], end].compactMap { $0?.before }.max() ?? .distantPast
    }

    // MARK: Revoking

    /// - Parameter madeLast: no token was made after this.
    func revokingAll(of person: String, madeLast: Instant, at now: Instant) -> [Word] {
        [.all(person, Self.end(all[person], madeLast, now))]
    }

    /// - Parameter madeLast: no token was made after this.
    func revokingEverybodys(madeLast: Instant, at now: Instant) -> [Word] {
        [.everybody(Self.end(everybody, madeLast, now))]
    }

    /// Revokes all tokens of people who are about to be erased, and keeps nothing by which a guess could be tried.
    ///
    /// - Parameters:
    ///   - people: as `all` names them, with their marks. Whoever has none may have tokens with one all the same, so everybody's end.
    ///   - madeLast: no token was made after this.
    func erasing(_ people: [(name: String, mark: String?)], madeLast: Instant, at now: Instant) -> [Word] {
        guard people.allSatisfy({ $0.mark != nil }) else { return revokingEverybodys(madeLast: madeLast, at: now) }
        var words = [Word.unmarked(Self.end(unmarked, madeLast, now))]
        for (name, mark) in people {
            if all[name] != nil || single[name] != nil { words.append(.gone(name)) }
            if let mark { words.append(.mark(mark, Self.end(erasedMarks[mark], madeLast, now))) }
        }
        return words
    }

    mutating func take(_ words: [Word]) {
        for word in words {
            switch word {
            case .everybody(let end):
                everybody = end
                (all, single, singleCount, erasedMarks, unmarked) = ([:], [:], 0, [:], nil)
                namesErased = false
            case .unmarked(let end): unmarked = end
            case .erased(let log, let count): erased[log] = count == 0 ? nil : count
            case .mark(let mark, let end):
                erasedMarks[mark] = end
                mayEnd(at: end.endsAt)
            case .all(let person, let end):
                removeSingles(of: person)
                all[person] = end
                mayEnd(at: end.endsAt)
            case .one(let person, let id, let instant):
                if single[person, default: [:]].updateValue(instant, forKey: id) == nil { singleCount += 1 }
                mayEnd(at: Self.endsAt(instant))
            case .gone(let person):
                all[person] = nil
                removeSingles(of: person)
                file.namesGone = true
            }
        }
    }

    /// The first that stands in a file is half of it for as long as nobody has looked.
    private mutating func mayEnd(at instant: Instant) { file.halfEndsAt = file.halfEndsAt ?? instant }

    private mutating func removeSingles(of person: String) {
        singleCount -= single.removeValue(forKey: person)?.count ?? 0
    }

    private static func end(_ known: All?, _ madeLast: Instant, _ now: Instant) -> All {
        All(before: max(now, madeLast, known?.before ?? .distantPast), revokedAt: now)
    }

    /// Of so many of a log's erased people the tokens are revoked.
    func countErased(in log: Int) -> Int { erased[log, default: 0] }

    // MARK: Forgetting

    /// From when on nothing is kept that was revoked at an instant.
    fileprivate static func endsAt(_ revokedAt: Instant) -> Instant {
        revokedAt.advanced(byMilliseconds: 1000 * Int64(PersonTokens.secondsMax))
    }

    /// How many single tokens are revoked that can be alive.
    func livingSingles(at now: Instant) -> Int {
        single.values.reduce(0) { $0 + $1.values.count { Self.endsAt($0) > now } }
    }

    /// Whether it is time to write the file anew without what it need not hold. Costs nothing to ask.
    func isWorthWriting(at now: Instant) -> Bool {
        let people = all.count + erasedMarks.count
        return file.namesGone || people > Self.peopleMax || file.added > people + singleCount + Self.linesAddedLeast
            || file.halfEndsAt.map { $0 <= now } ?? false
    }

    /// So few lines need no writing anew, whatever they say.
    private static let linesAddedLeast = 64

    /// With some words more, and without what no living token can be of. Where too much is left, without the older half.
    func compacted(at now: Instant, with words: [Word]) -> RevokedTokens {
        var next = self
        next.take(words)
        next.prune(at: now)
        next.bound()
        return next
    }

    private mutating func prune(at now: Instant) {
        all = all.filter { $0.value.endsAt > now }
        erasedMarks = erasedMarks.filter { $0.value.endsAt > now }
        single = single.mapValues { $0.filter { Self.endsAt($0.value) > now } }.filter { !$0.value.isEmpty }
        singleCount = single.values.reduce(0) { $0 + $1.count }
        if let end = unmarked, end.endsAt <= now { unmarked = nil }
        if let end = everybody, end.endsAt <= now { everybody = nil }
    }

    /// Where too many people stand here, the older half of them is forgotten, and everybody's tokens end that are as old as theirs.
    private mutating func bound() {
        guard all.count + erasedMarks.count > Self.peopleMax else { return }
        let ends = (Array(all.values) + Array(erasedMarks.values)).sorted { $0.before < $1.before }
        let cut = ends[ends.count / 2].before
        let gone = ends.filter { $0.before <= cut }
        // As long as the last of them would have been kept.
        let revokedAt = (gone + (everybody.map { [$0] } ?? [])).map(\.revokedAt).max() ?? cut
        everybody = All(before: max(cut, everybody?.before ?? .distantPast), revokedAt: revokedAt)
        all = all.filter { $0.value.before > cut }
        erasedMarks = erasedMarks.filter { $0.value.before > cut }
    }

    // MARK: What there is in the file

    /// All of it is in the file, which is so long.
    func written(_ length: Int) -> RevokedTokens {
        var next = self
        let singles = single.values.flatMap { $0.values.map(Self.endsAt) }
        let ends = (all.values.map(\.endsAt) + erasedMarks.values.map(\.endsAt) + singles).sorted()
        // Nothing is added to one whose names are to go.
        next.file = File(
            length: namesErased ? nil : length, halfEndsAt: ends.isEmpty ? nil : ends[(ends.count - 1) / 2])
        return next
    }

    /// The words are in it, as one line more.
    mutating func take(_ words: [Word], addedAsLine length: Int) {
        take(words)
        file.length = file.length.map { $0 + length }
        file.added += 1
    }

    /// What is in it now is not known.
    mutating func isUnknownOnDisk() { file.length = nil }

    /// As it was read: so much of it is whole lines, and it names people who were erased or does not.
    mutating func wasRead(length: Int?, added: Int, namesErased: Bool) {
        let namesGone = file.namesGone
        self = written(length ?? 0)
        (file.length, file.added, file.namesGone) = (length, added, namesGone)
        self.namesErased = namesErased
    }
}

extension RevokedTokens.Word {
    /// Whether nothing that was revoked before says any more than it.
    var endsEverything: Bool { if case .everybody = self { true } else { false } }
}
