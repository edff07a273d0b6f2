/// The last things that were told, so that none of them is told twice: several jobs are on their way to a device when it is found dead.
struct ToldOnce<Thing: Hashable> {
    private var told: Set<Thing> = []
    private var order: [Thing] = []
    private var oldest = 0
    private let most: Int

    init(most: Int = 4096) { self.most = most }

    /// Whether it is to be told, because it was not.
    mutating func insert(_ thing: Thing) -> Bool {
        guard told.insert(thing).inserted else { return false }
        if order.count < most {
            order.append(thing)
        } else {
            told.remove(order[oldest])
            order[oldest] = thing
            oldest = (oldest + 1) % most
        }
        return true
    }
}

/// A device as it was registered once.
struct DeadDevice: Hashable {
    var user: String?
    var registration: UInt64
}
