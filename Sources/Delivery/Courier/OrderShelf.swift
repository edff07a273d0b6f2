/// Orders that were read along with another of their commit: so that a commit with a million jobs is not read a million
/// times. Bounded; what no longer fits is read again when its turn comes.
struct OrderShelf {
    private var orders: [UInt64: Order] = [:]
    private var bytes = 0

    /// How many are looked for when a commit is read.
    static let lookahead = 8192
    private static let bytesMax = 16 << 20

    /// Takes an order off the shelf.
    mutating func take(_ seq: UInt64) -> Order? {
        guard let order = orders.removeValue(forKey: seq) else { return nil }
        bytes -= order.line.count
        return order
    }

    /// Makes room for those that a commit was read for.
    mutating func makeRoom() {
        if orders.count >= Self.lookahead || bytes >= Self.bytesMax / 2 { (orders, bytes) = ([:], 0) }
    }

    mutating func put(_ order: Order) {
        guard bytes + order.line.count <= Self.bytesMax, orders.updateValue(order, forKey: order.seq) == nil else {
            return
        }
        bytes += order.line.count
    }
}
