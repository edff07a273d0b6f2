internal import CivilTime
internal import Notices

/// What of a notice's name hangs on how was decided, and not on what happened: under another policy the same notice has
/// another name.
///
/// A slot is the same at another time of its day (`T8`). A notice that a decision raised (a derived session, an analysis,
/// an overload) is named after that decision's number, which counts everything decided before.
struct DecidedNames {
    /// What a notice is called whatever was decided.
    struct Key: Hashable {
        /// Person, kind and subject, and which repeat.
        var family: String
        /// The slot's date; empty for what a decision raised.
        var date: String
    }

    /// The numbers of decisions that notices may be named after.
    private var numbers: Set<UInt64> = []

    mutating func note(_ event: Event) {
        switch event.payload {
        case .sessionCompleted(let session) where session.isDerived == true: numbers.insert(event.seq)
        case .analysisConcluded(let conclusion) where conclusion.notify: numbers.insert(event.seq)
        case .noticeGathered(let gathered) where Self.number(in: gathered.into.text[...]) == event.seq:
            numbers.insert(event.seq)
        default: break
        }
    }

    /// `nil` for a notice that a fact raised: its name is the same under every policy.
    func key(of name: String) -> Key? {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let last = name[name.index(after: slash)...]
        let parts = last.split(separator: "~", maxSplits: 1)
        let family = name[..<slash] + (parts.count == 2 ? "~\(parts[1])" : "")
        guard let base = parts.first else { return nil }
        if let number = Self.number(in: base) {
            return numbers.contains(number) ? Key(family: String(family), date: "") : nil
        }
        guard let time = base.utf8.firstIndex(of: UInt8(ascii: "T")) else { return nil }
        return Key(family: String(family), date: String(base[..<time]))
    }

    /// The number that a name ends in: `#17`.
    private static func number(in name: Substring) -> UInt64? {
        guard let mark = name.utf8.lastIndex(of: UInt8(ascii: "#")) else { return nil }
        return UInt64(name[name.index(after: mark)...])
    }
}
