/// Names for a list, each worked out when it may first be said: of a thousand long ones few are.
final class ListedNames {
    let count: Int
    private let name: (Int) -> String
    private var known: [String] = []
    /// How many characters the first of them have together, from none of them on.
    private var extents = [0]

    init(_ count: Int, name: @escaping (Int) -> String) { (self.count, self.name) = (count, name) }

    /// The first of them, so many.
    /// - Parameter characters: it is broken off where they have more. `nil` for never.
    func first(_ most: Int, listing characters: Int?) -> ArraySlice<String> {
        let most = min(most, count)
        guard let characters else {
            learn(most)
            return known.prefix(most)
        }
        var said = 0
        while said < most, extent(said) <= characters { said += 1 }
        learn(said)
        return known.prefix(said)
    }

    private func learn(_ most: Int) { while known.count < most { known.append(name(known.count)) } }

    private func extent(_ said: Int) -> Int {
        while extents.count <= said {
            learn(extents.count)
            extents.append(extents[extents.count - 1] + known[extents.count - 1].count)
        }
        return extents[said]
    }

    /// How many there are more is said.
    static func listed(_ names: some Collection<String>, of count: Int) -> String {
        let more = count - names.count
        return names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
