/// Those who are due in one and the same millisecond, given out lowest number first.
///
/// A bitset with a bit for each word of it, a bit for each word of those, and so on up to a single word: adding, taking
/// out and finding the lowest are a step a level, four for ten million people, however many are due. Nothing is sorted.
struct DueSet {
    /// From the people's own bits to the one word over all of them. A bit above is set while its word below is not zero.
    private var levels: [[UInt64]] = [[0]]

    var isEmpty: Bool { levels[levels.count - 1][0] == 0 }

    /// Nothing happens to somebody who is in it already.
    mutating func insert(_ person: Int) {
        if person >= levels[0].count * 64 { grow(toHold: person) }
        var place = person
        for level in levels.indices {
            let word = levels[level][place >> 6]
            levels[level][place >> 6] = word | 1 << UInt64(place & 63)
            guard word == 0 else { return }
            place >>= 6
        }
    }

    /// Nothing happens to somebody who is not in it.
    mutating func remove(_ person: Int) {
        guard person < levels[0].count * 64 else { return }
        var place = person
        for level in levels.indices {
            levels[level][place >> 6] &= ~(1 << UInt64(place & 63))
            guard levels[level][place >> 6] == 0 else { return }
            place >>= 6
        }
    }

    /// Takes out the lowest number.
    mutating func popFirst() -> Int? {
        guard !isEmpty else { return nil }
        var place = 0
        for level in levels.indices.reversed() {
            place = place << 6 | levels[level][place].trailingZeroBitCount
        }
        remove(place)
        return place
    }

    /// By half as much again, so that people who come one by one do not each cost a growing.
    private mutating func grow(toHold person: Int) {
        var words = max(person / 64 + 1, levels[0].count * 3 / 2)
        for level in 0... {
            if level == levels.count {
                // What was the top has more than one word now; its first is the only one that can have bits.
                levels.append([levels[level - 1][0] == 0 ? 0 : 1])
            }
            levels[level].append(contentsOf: repeatElement(0, count: max(0, words - levels[level].count)))
            guard words > 1 else { return }
            words = (words + 63) / 64
        }
    }
}
