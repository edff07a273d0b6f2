internal import CivilTime
internal import Hashing

/// What was revoked of persons' tokens: single ones, of a person all that were made up to an instant, and of everybody.
///
/// A token is alive for a year at most, so an entry is forgotten a year after it was made. How many people each log has erased
/// whose tokens are among the revoked is kept for ever (`E4`).
public struct RevokedTokens: Sendable, Equatable {
    /// Why a file is not what was revoked.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        public var line: Int
        public var description: String { "line \(line) is not what was written there" }
    }

    private struct All: Sendable, Equatable {
        /// All made at this instant or before.
        var before: Instant
        var revokedAt: Instant

        init(before: Instant, revokedAt: Instant) { (self.before, self.revokedAt) = (before, revokedAt) }

        /// As the file has them, in milliseconds.
        init(_ before: Int64, revokedAt: Int64) {
            self.init(before: Instant(milliseconds: before), revokedAt: Instant(milliseconds: revokedAt))
        }
    }

    /// By the person, as `PersonTokens` names them.
    private var all: [String: All] = [:]
    /// By person and id, each with when it was revoked.
    private var single: [String: Instant] = [:]
    private var everybody: All?
    /// By the log's number.
    private var erased: [Int: Int] = [:]

    public static let countMax = 100_000

    public init() {}

    var count: Int { all.count + single.count }

    func holds(_ token: PersonTokens.Content, of person: String) -> Bool {
        if let everybody, token.madeAt <= everybody.before { return true }
        if let all = all[person], token.madeAt <= all.before { return true }
        return single[Self.key(person, token.id)] != nil
    }

    /// The earliest instant at which a token of the person can be made that is not revoked already: were it made in the
    /// millisecond in which all were revoked, or by a clock that was set back, it would be dead from the beginning.
    func earliest(for person: String) -> Instant {
        max(all[person]?.before ?? .distantPast, everybody?.before ?? .distantPast).advanced(byMilliseconds: 1)
    }

    /// - Parameter madeLast: no token was made after this.
    mutating func revokeAll(of person: String, madeLast: Instant, at now: Instant) {
        all[person] = All(before: max(now, madeLast, all[person]?.before ?? .distantPast), revokedAt: now)
        let prefix = Self.key(person, "")
        single = single.filter { !$0.key.hasPrefix(prefix) }
    }

    mutating func revoke(_ id: String, of person: String, at now: Instant) { single[Self.key(person, id)] = now }

    /// - Parameter madeLast: no token was made after this.
    mutating func revokeEverybodys(madeLast: Instant, at now: Instant) {
        everybody = All(before: max(now, madeLast, everybody?.before ?? .distantPast), revokedAt: now)
        (all, single) = ([:], [:])
    }

    /// Of so many of a log's erased people the tokens are revoked.
    func countErased(in log: Int) -> Int { erased[log, default: 0] }

    mutating func setErased(_ count: Int, in log: Int) { erased[log] = count == 0 ? nil : count }

    /// Forgets what no living token can be of.
    mutating func prune(at now: Instant) {
        let oldest = now.advanced(byMilliseconds: -1000 * Int64(PersonTokens.secondsMax))
        all = all.filter { max($0.value.revokedAt, $0.value.before) > oldest }
        single = single.filter { $0.value > oldest }
        if let all = everybody, max(all.revokedAt, all.before) <= oldest { everybody = nil }
    }

    private static func key(_ person: String, _ id: String) -> String { "\(person) \(id)" }

    // MARK: The file

    private static let title = "belfry revoked tokens 2"
    /// That of a version that counted nobody who was erased.
    private static let olderTitle = "belfry revoked tokens 1"

    var bytes: [UInt8] {
        var lines = [Self.title]
        if let everybody {
            lines.append("everybody \(everybody.before.milliseconds) \(everybody.revokedAt.milliseconds)")
        }
        lines += erased.sorted { $0.key < $1.key }.map { "erased \($0.key) \($0.value)" }
        lines += all.sorted { $0.key < $1.key }.map { person, all in
            "all \(person) \(all.before.milliseconds) \(all.revokedAt.milliseconds)"
        }
        lines += single.sorted { $0.key < $1.key }.map { "one \($0.key) \($0.value.milliseconds)" }
        let text = lines.joined(separator: "\n") + "\n"
        return Array((text + "\(Digest(of: Array(text.utf8)))\n").utf8)
    }

    /// Read strictly: a file that is cut short would let in whom it forgot.
    public init(_ bytes: [UInt8]) throws(Unreadable) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(line: 1) }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 3, lines.removeLast().isEmpty, [Self.title, Self.olderTitle].contains(lines[0]) else {
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
            case ("everybody", 3, let before?): everybody = All(before, revokedAt: last)
            case ("erased", 3, let log?): erased[Int(log)] = Int(last)
            default: throw Unreadable(line: place + 1)
            }
        }
    }
}
