/// How long things took: how many took no longer than each bound, how many took longer than all, and their sum.
///
/// It takes the same room whatever it counts, and none for counts before the first. Only those of the same bounds are put together.
public struct Durations: Sendable, Equatable {
    /// In milliseconds, ascending.
    public let boundsMs: [Double]
    /// By bound, not added up, the last beyond every bound; empty while there is nothing.
    public private(set) var counts: [Int] = []
    public private(set) var sumMs = 0.0

    public init(upTo boundsMs: [Double]) { self.boundsMs = boundsMs }

    /// As they were kept; `nil` for a wrong number of counts.
    public init?(upTo boundsMs: [Double], counts: [Int], sumMs: Double) {
        guard counts.isEmpty || counts.count == boundsMs.count + 1 else { return nil }
        (self.boundsMs, self.counts, self.sumMs) = (boundsMs, counts, sumMs)
    }

    public var count: Int { counts.reduce(0, +) }

    /// What came before its time took none.
    public mutating func add(milliseconds: Double) {
        let milliseconds = max(0, milliseconds)
        begin()
        counts[boundsMs.firstIndex { milliseconds <= $0 } ?? boundsMs.count] += 1
        sumMs += milliseconds
    }

    public mutating func add(_ other: Durations) {
        guard !other.counts.isEmpty else { return }
        precondition(boundsMs == other.boundsMs, "durations of other bounds")
        begin()
        for place in counts.indices { counts[place] += other.counts[place] }
        sumMs += other.sumMs
    }

    private mutating func begin() {
        if counts.isEmpty { counts = Array(repeating: 0, count: boundsMs.count + 1) }
    }

    /// The bound within which this share of them lies; `nil` where there are none. What is beyond every bound is told as the
    /// last of them.
    public func quantileMs(_ share: Double) -> Double? {
        let all = count
        guard all > 0 else { return nil }
        var left = max(1, Int((Double(all) * share).rounded(.up)))
        for place in counts.indices {
            left -= counts[place]
            if left <= 0 { return boundsMs[min(place, boundsMs.count - 1)] }
        }
        return boundsMs.last
    }
}
