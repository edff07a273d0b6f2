internal import CivilTime
internal import Notices

/// What of a notice's name hangs on how was decided, and not on what happened: under another policy the same notice has
/// another name.
///
/// A slot is the same at another time of its day (`T8`). A notice that a decision raised (a derived session, an analysis,
/// an overload) is named after that decision's number, which counts everything decided before.
struct DecidedNames {
    /// What a notice is called whatever was decided: whose it is, of what kind and about what, and which repeat.
    struct Family: Hashable {
        var person: Int
        var stem: String
        /// `~2` of the second repeat.
        var tail: String

        func name(after decision: UInt64) -> String { "\(stem)/#\(decision)\(tail)" }
    }

    /// What else is in the name.
    enum End: Equatable {
        case slot(date: String)
        case decision(UInt64)
    }

    /// The numbers of decisions that notices may be named after, and whom each is about. Nobody else's notice is named so.
    private var decisions: [UInt64: Int] = [:]

    /// Whether a notice may be named after this event, though it is no fact.
    static func mayBeNamed(after event: Event) -> Bool {
        switch event.payload {
        case .sessionCompleted(let session): session.isDerived == true
        case .analysisConcluded(let conclusion): conclusion.notify
        case .noticeGathered(let gathered): number(in: gathered.into.text[...]) == event.seq
        default: false
        }
    }

    mutating func note(_ decision: UInt64, about person: Int) { decisions[decision] = person }

    /// `nil` for a notice that a fact raised: its name is the same under every policy.
    func parts(of name: String, of person: Int) -> (family: Family, end: End)? {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parts = name[name.index(after: slash)...].split(separator: "~", maxSplits: 1)
        guard let base = parts.first, let end = end(base, of: person) else { return nil }
        let tail = parts.count == 2 ? "~\(parts[1])" : ""
        return (Family(person: person, stem: String(name[..<slash]), tail: tail), end)
    }

    private func end(_ base: Substring, of person: Int) -> End? {
        if let number = Self.number(in: base) { return decisions[number] == person ? .decision(number) : nil }
        return base.utf8.firstIndex(of: UInt8(ascii: "T")).map { .slot(date: String(base[..<$0])) }
    }

    /// The number that a name ends in: `#17`.
    private static func number(in name: Substring) -> UInt64? {
        guard let mark = name.utf8.lastIndex(of: UInt8(ascii: "#")) else { return nil }
        return UInt64(name[name.index(after: mark)...])
    }
}
