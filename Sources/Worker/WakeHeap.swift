internal import CivilTime

/// Wakes in the order of time, and at one instant in the order of people. One person may have several; those that were
/// overtaken are left to whoever takes them out.
struct WakeHeap {
    struct Wake: Comparable {
        var at: Instant
        var person: Int

        static func < (left: Wake, right: Wake) -> Bool { (left.at, left.person) < (right.at, right.person) }
    }

    private var heap: [Wake] = []

    var first: Wake? { heap.first }

    mutating func insert(_ wake: Wake) {
        heap.append(wake)
        var place = heap.count - 1
        while place > 0, case let parent = (place - 1) / 2, heap[place] < heap[parent] {
            heap.swapAt(place, parent)
            place = parent
        }
    }

    mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
