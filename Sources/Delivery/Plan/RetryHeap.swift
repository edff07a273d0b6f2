internal import CivilTime

/// A job that waits until it may be tried again.
struct Retry: Comparable {
    var due: Instant
    var parcel: Parcel
    var tries: Tries

    static func < (left: Self, right: Self) -> Bool { (left.due, left.parcel) < (right.due, right.parcel) }
}

/// Pauses, the one that ends first on top. Both verbs are O(log n).
struct RetryHeap {
    private var heap: [Retry] = []

    var count: Int { heap.count }
    var first: Retry? { heap.first }

    mutating func insert(_ retry: Retry) {
        heap.append(retry)
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// The first one, if its pause is over.
    mutating func popDue(at now: Instant) -> Retry? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(from: 0)
        return first
    }

    /// All pauses are over.
    mutating func endAll() {
        for place in heap.indices { heap[place].due = Instant(milliseconds: 0) }
        // In order it is a heap.
        heap.sort()
    }

    /// Takes out those of which it is so.
    mutating func take(where isTaken: (Retry) -> Bool) -> [Retry] {
        let taken = heap.filter(isTaken)
        guard !taken.isEmpty else { return [] }
        // In order it is a heap.
        heap = heap.filter { !isTaken($0) }.sorted()
        return taken
    }

    private mutating func sink(from top: Int) {
        var place = top
        while true {
            var least = place
            for child in (2 * place + 1)...(2 * place + 2) where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
