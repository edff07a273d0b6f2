internal import CivilTime
internal import Hashing

/// What was revoked of persons' tokens: single ones, of a person all that were made up to an instant, and of everybody.
///
/// A token is alive for a year at most, so an entry is forgotten a year after it was made. How many people each log has erased
/// whose tokens are among the revoked is kept for ever (`E4`).
public struct RevokedTokens: Sendable, Equatable {
    /// All made at this instant or before.
    private struct All: Sendable, Equatable {
        var before: Instant
        var revokedAt: Instant

        init(before: Instant, revokedAt: Instant) { (self.before, self.revokedAt) = (before, revokedAt) }

        /// As the file has them, in milliseconds.
        init(_ before: Int64, revokedAt: Int64) {
            self.init(before: Instant(milliseconds: before), revokedAt: Instant(milliseconds: revokedAt))
        }
    }

    /// Of people who are known, by what `PersonTokens` names them.
    private var all: [String: All] = [:]
    /// By person and id, each with when it was revoked.
    private var single: [String: Instant] = [:]
    /// Of people who were erased, by their mark: a name could be found by guessing (`G9`).
    private var erasedMarks: [String: All] = [:]
    /// Of all tokens without a mark. With each erasure they end: some may be theirs, and the file must not say which.
    private var unmarked: All?
    private var everybody: All?
    /// How many people were erased, by the log's number.
    private var erased: [Int: Int] = [:]
    /// Whether a version wrote it that kept people who were erased by name. Which of the names are theirs nobody knows any more.
    private(set) var namesErased = false

    /// Of tokens that are revoked one by one.
    public static let singlesMax = 100_000
    /// Of people whose tokens are revoked. All of it is written each time.
    static let peopleMax = 200_000

    public init() {}

    var singleCount: Int { single.count }

    func holds(_ token: PersonTokens.Content, of person: String) -> Bool {
        token.madeAt <= last(of: person, marked: token.mark) || single[Self.key(person, token.id)] != nil
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

    /// - Parameter madeLast: no token was made after this.
    mutating func revokeAll(of person: String, madeLast: Instant, at now: Instant) {
        all[person] = Self.end(all[person], madeLast, now)
        removeSingles(of: [person])
        bound()
    }

    mutating func revoke(_ id: String, of person: String, at now: Instant) { single[Self.key(person, id)] = now }

    /// - Parameter madeLast: no token was made after this.
    mutating func revokeEverybodys(madeLast: Instant, at now: Instant) {
        everybody = Self.end(everybody, madeLast, now)
        (all, single, erasedMarks, unmarked, namesErased) = ([:], [:], [:], nil, false)
    }

    /// Revokes all tokens of people who are about to be erased, and keeps nothing by which a guess could be tried.
    ///
    /// - Parameters:
    ///   - people: as `all` names them, with their marks. Whoever has none may have tokens with one all the same, so everybody's end.
    ///   - madeLast: no token was made after this.
    mutating func erase(_ people: [(name: String, mark: String?)], madeLast: Instant, at now: Instant) {
        guard people.allSatisfy({ $0.mark != nil }) else { return revokeEverybodys(madeLast: madeLast, at: now) }
        for (name, mark) in people {
            all[name] = nil
            if let mark { erasedMarks[mark] = Self.end(erasedMarks[mark], madeLast, now) }
        }
        removeSingles(of: Set(people.map { $0.name }))
        unmarked = Self.end(unmarked, madeLast, now)
        bound()
    }

    /// Also what another worker has revoked. How many people were erased each counts for itself, by those whom it was told of.
    mutating func add(_ other: RevokedTokens) {
        func later(_ one: All, _ other: All) -> All {
            All(before: max(one.before, other.before), revokedAt: max(one.revokedAt, other.revokedAt))
        }
        func later(_ one: All?, _ other: All?) -> All? {
            guard let one, let other else { return one ?? other }
            return later(one, other)
        }
        all.merge(other.all, uniquingKeysWith: later)
        erasedMarks.merge(other.erasedMarks, uniquingKeysWith: later)
        single.merge(other.single, uniquingKeysWith: max)
        (unmarked, everybody) = (later(unmarked, other.unmarked), later(everybody, other.everybody))
        bound()
    }

    /// What another worker is told of it.
    var forOthers: RevokedTokens {
        var told = self
        (told.erased, told.namesErased) = ([:], false)
        return told
    }

    /// Of so many of a log's erased people the tokens are revoked.
    func countErased(in log: Int) -> Int { erased[log, default: 0] }

    mutating func setErased(_ count: Int, in log: Int) { erased[log] = count == 0 ? nil : count }

    /// Forgets what no living token can be of.
    mutating func prune(at now: Instant) {
        let oldest = now.advanced(byMilliseconds: -1000 * Int64(PersonTokens.secondsMax))
        func isAlive(_ end: All) -> Bool { max(end.revokedAt, end.before) > oldest }
        all = all.filter { isAlive($0.value) }
        erasedMarks = erasedMarks.filter { isAlive($0.value) }
        single = single.filter { $0.value > oldest }
        if let end = unmarked, !isAlive(end) { unmarked = nil }
        if let end = everybody, !isAlive(end) { everybody = nil }
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

    private mutating func removeSingles(of people: Set<String>) {
        guard !single.isEmpty else { return }
        single = single.filter { !people.contains(String($0.key.prefix { $0 != " " })) }
    }

    private static func end(_ known: All?, _ madeLast: Instant, _ now: Instant) -> All {
        All(before: max(now, madeLast, known?.before ?? .distantPast), revokedAt: now)
    }

    private static func key(_ person: String, _ id: String) -> String { "\(person) \(id)" }
}

// MARK: The file

extension RevokedTokens {
    /// Why a file is not what was revoked.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        public var line: Int
        public var description: String { "line \(line) is not what was written there" }
    }

    private static let title = "belfry revoked tokens 3"
    /// Those of versions that kept people who were erased by name; the first of them did not count them either.
    private static let olderTitles = ["belfry revoked tokens 1", "belfry revoked tokens 2"]

    var bytes: [UInt8] {
        var lines = [namesErased ? Self.olderTitles[1] : Self.title]
        if let everybody { lines.append(Self.line("everybody", everybody)) }
        if let unmarked { lines.append(Self.line("unmarked", unmarked)) }
        lines += erased.sorted { $0.key < $1.key }.map { "erased \($0.key) \($0.value)" }
        lines += erasedMarks.sorted { $0.key < $1.key }.map { Self.line("mark \($0.key)", $0.value) }
        lines += all.sorted { $0.key < $1.key }.map { Self.line("all \($0.key)", $0.value) }
        lines += single.sorted { $0.key < $1.key }.map { "one \($0.key) \($0.value.milliseconds)" }
        let text = lines.joined(separator: "\n") + "\n"
        return Array((text + "\(Digest(of: Array(text.utf8)))\n").utf8)
    }

    private static func line(_ words: String, _ end: All) -> String {
        "\(words) \(end.before.milliseconds) \(end.revokedAt.milliseconds)"
    }

    /// Read strictly: a file that is cut short would let in whom it forgot.
    public init(_ bytes: [UInt8]) throws(Unreadable) {
        self.init()
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(line: 1) }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 3, lines.removeLast().isEmpty, ([Self.title] + Self.olderTitles).contains(lines[0]) else {
            throw Unreadable(line: 1)
        }
        let digest = lines.removeLast()
        let signed = lines.joined(separator: "\n") + "\n"
        guard digest == "\(Digest(of: Array(signed.utf8)))" else { throw Unreadable(line: lines.count + 1) }
        for (place, line) in lines.enumerated().dropFirst() {
            let words = line.split(separator: " ").map(String.init)
            guard let kind = words.first, let last = words.last.flatMap(Int64.init) else {
                throw Unreadable(line: place + 1)
            }
            let number = words.dropLast().last.flatMap(Int64.init)
            switch (kind, words.count, number) {
            case ("all", 4, let before?): all[words[1]] = All(before, revokedAt: last)
            case ("one", 4, _): single[Self.key(words[1], words[2])] = Instant(milliseconds: last)
            case ("mark", 4, let before?): erasedMarks[words[1]] = All(before, revokedAt: last)
            case ("unmarked", 3, let before?): unmarked = All(before, revokedAt: last)
            case ("everybody", 3, let before?): everybody = All(before, revokedAt: last)
            case ("erased", 3, let log?): erased[Int(log)] = Int(last)
            default: throw Unreadable(line: place + 1)
            }
        }
        namesErased = lines[0] != Self.title && !erased.isEmpty
    }
}
