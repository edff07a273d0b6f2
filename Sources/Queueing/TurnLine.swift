/// A queue of several parties that are served in turn, one element each: whoever brings much waits behind their own.
public struct TurnLine<Party: Hashable, Element> {
    /// Each who has something waiting, in the order in which they are served.
    private var turns: [Party] = []
    /// First in, first out. Nobody's is empty.
    private var waiting: [Party: [Element]] = [:]
    public private(set) var count = 0

    public init() {}

    public func count(of party: Party) -> Int { waiting[party]?.count ?? 0 }

    public mutating func append(_ element: Element, of party: Party) {
        if waiting[party] == nil { turns.append(party) }
        waiting[party, default: []].append(element)
        count += 1
    }

    /// The first of whose turn it is; they are then behind all others.
    public mutating func popFirst() -> Element? {
        guard let party = turns.first, var theirs = waiting.removeValue(forKey: party) else { return nil }
        turns.removeFirst()
        let first = theirs.removeFirst()
        count -= 1
        if !theirs.isEmpty {
            waiting[party] = theirs
            turns.append(party)
        }
        return first
    }

    /// Takes out those of which it is so. Asks once of each.
    public mutating func take(where isTaken: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        for party in turns {
            var left: [Element] = []
            for element in waiting[party] ?? [] {
                if isTaken(element) { taken.append(element) } else { left.append(element) }
            }
            waiting[party] = left.isEmpty ? nil : left
        }
        turns = turns.filter { waiting[$0] != nil }
        count -= taken.count
        return taken
    }
}

extension TurnLine: Sendable where Party: Sendable, Element: Sendable {}
