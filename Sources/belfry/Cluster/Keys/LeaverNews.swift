import Console
import Synchronization

/// Tells the other workers of a cluster whom retention has erased here.
///
/// Each has one word under way at most, and what comes meanwhile is joined to its next: people may leave faster than a worker that is slow
/// hears of them, and what is passed on for a person waits behind none of it.
///
/// Safe to share: the lines are under a lock.
final class LeaverNews: Sendable {
    /// Tells one worker, and whether it has done its part.
    typealias Send = @Sendable (EraseOrder, _ url: String, @escaping @Sendable (_ isDone: Bool) -> Void) -> Void

    private struct Leaver: Sendable {
        var person: EraseOrder.Person
        var partition: Int
        /// How many the partition has erased with them.
        var erased: Int?
    }

    /// What a worker is still to hear.
    private struct Line: Sendable {
        var waiting: [Leaver] = []
        var isUnderWay = false
        var isUnreached = false

        /// Of one partition, in the order in which they left.
        mutating func next() -> EraseOrder? {
            guard !isUnderWay, let partition = waiting.first?.partition else { return nil }
            isUnderWay = true
            var (told, rest): ([Leaver], [Leaver]) = ([], [])
            for leaver in waiting {
                if leaver.partition == partition, told.count < EraseOrder.peopleMax {
                    told.append(leaver)
                } else {
                    rest.append(leaver)
                }
            }
            waiting = rest
            return EraseOrder(.left, told.map(\.person), in: partition, erased: told.last?.erased)
        }
    }

    private let others: @Sendable () -> [String]
    private let send: Send
    private let unreached: @Sendable (_ url: String) -> Void
    private let lines = Mutex<[String: Line]>([:])

    /// So many wait for a worker. It misses those who waited longest, and sees that by the counts.
    static let waitingMax = 16 * EraseOrder.peopleMax

    /// - Parameters:
    ///   - others: where the other living workers are reached.
    ///   - unreached: is told of one that could not be told; again only after it was.
    init(
        others: @escaping @Sendable () -> [String], send: @escaping Send,
        unreached: @escaping @Sendable (_ url: String) -> Void
    ) {
        (self.others, self.send, self.unreached) = (others, send, unreached)
    }

    /// Waits for nothing.
    ///
    /// - Parameter erased: how many the partition has erased with them; `nil` where that is not known.
    func tell(_ people: [EraseOrder.Person], of partition: Int, erased: Int?) {
        let leavers = people.enumerated().map { place, person in
            Leaver(
                person: person, partition: partition, erased: erased.map { $0 - (people.count - 1 - place) })
        }
        let urls = others()
        lines.withLock { lines in
            lines = lines.filter { urls.contains($0.key) }
            for url in urls {
                var line = lines[url] ?? Line()
                line.waiting += leavers
                line.waiting.removeFirst(max(0, line.waiting.count - Self.waitingMax))
                lines[url] = line
            }
        }
        for url in urls { goOn(url) }
    }

    private func goOn(_ url: String) {
        guard let order = lines.withLock({ $0[url]?.next() }) else { return }
        send(order, url) { [self] isDone in
            let isNew = lines.withLock { lines in
                let isNew = !isDone && lines[url]?.isUnreached == false
                lines[url]?.isUnderWay = false
                lines[url]?.isUnreached = !isDone
                return isNew
            }
            if isNew { unreached(url) }
            goOn(url)
        }
    }
}
