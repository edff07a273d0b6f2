internal import CivilTime

/// Wakes in the order of time, and at one instant in the order of people. One person may have several; those that were
/// overtaken are left to whoever takes them out.
struct WakeHeap {
    struct Wake {
        var at: Instant
        var person: Int

        @inline(__always)
        func comes(before other: Wake) -> Bool {
            at.milliseconds != other.at.milliseconds
                ? at.milliseconds < other.at.milliseconds : person < other.person
        }
    }

    private var heap: [Wake] = []

    var first: Wake? { heap.first }

    mutating func insert(_ wake: Wake) {
        heap.append(wake)
        heap.withUnsafeMutableBufferPointer { heap in
            var place = heap.count - 1
            while place > 0 {
                let parent = (place - 1) / 4
                guard wake.comes(before: heap[parent]) else { break }
                heap[place] = heap[parent]
                place = parent
            }
            heap[place] = wake
        }
    }

    /// Four children a parent: half as many steps, each in one line of the cache.
    mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap.withUnsafeMutableBufferPointer { heap in
            var place = 0
            while true {
                let firstChild = 4 * place + 1
                guard firstChild < heap.count else { break }
                var least = firstChild
                var child = firstChild + 1
                while child < min(firstChild + 4, heap.count) {
                    if heap[child].comes(before: heap[least]) { least = child }
                    child += 1
                }
                guard heap[least].comes(before: last) else { break }
                heap[place] = heap[least]
                place = least
            }
            heap[place] = last
        }
    }
}
