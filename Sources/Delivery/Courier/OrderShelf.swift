internal import Notices

/// Orders that were read along with another of their commit, or when it was asked where they are to go: so that a commit
/// with a million jobs is not read a million times. Bounded; what no longer fits is read again when its turn comes.
struct OrderShelf {
    private struct Kept {
        let order: Order
        /// How often it will be asked for: once for each device.
        var uses: Int
    }

    private var orders: [UInt64: Kept] = [:]
    private var bytes = 0

    /// How many are looked for when a commit is read.
    static let lookahead = 8192
    private static let bytesMax = 16 << 20

    /// Takes an order off the shelf.
    mutating func take(_ seq: UInt64) -> Order? {
        guard let kept = orders[seq] else { return nil }
        if kept.uses > 1 {
            orders[seq]?.uses -= 1
        } else {
            orders[seq] = nil
            bytes -= kept.order.extent
        }
        return kept.order
    }

    /// Keeps an order for those who will ask for it, if there is room.
    mutating func put(_ order: Order, uses: Int = 1) {
        guard bytes + order.extent <= Self.bytesMax else { return }
        guard orders.updateValue(Kept(order: order, uses: uses), forKey: order.seq) == nil else { return }
        bytes += order.extent
    }

    /// Reads a job's commit, and keeps those of its orders that come next.
    ///
    /// - Parameter upcoming: which those are and how often each is asked for, at most so many; `nil` where all of the commit's
    ///   are as likely.
    mutating func order(
        _ place: JobPlace, from read: Courier.Read, upcoming: (_ limit: Int) -> [UInt64: Int]?
    ) throws -> Order {
        let events = try read(place.position)
        // Looking ahead never costs more than the reading did.
        let wanted = upcoming(min(events.count, Self.lookahead))
        makeRoom()
        var found: Order?
        for event in events {
            let isAsked = event.seq == place.seq
            let uses = wanted.map { $0[event.seq] ?? 0 } ?? (isAsked ? 0 : 1)
            guard isAsked || uses > 0, let order = Order(event, at: place.position) else { continue }
            if isAsked { found = order }
            if uses > 0 { put(order, uses: uses) }
        }
        guard let found else { throw Missing() }
        return found
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String { "the log holds no job there" }
    }

    /// Makes room for those that a commit was read for.
    private mutating func makeRoom() {
        if bytes >= Self.bytesMax / 2 { (orders, bytes) = ([:], 0) }
    }
}
