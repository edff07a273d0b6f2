/// Every change of a zone's offset, in one sorted table.
///
/// The footer's rule is written out into the table for one cycle of the Gregorian calendar, 400 years,
/// after which it repeats to the second. So there is one way to look an offset up, whatever the year:
/// bring the second into the table, search, move the answer back.
struct OffsetTable: Equatable, Sendable {
    /// Strictly increasing seconds since 1970 at which the offset changes.
    let starts: [Int64]
    /// `offsets[0]` holds before the first start, `offsets[i + 1]` from `starts[i]` on; neighbours differ.
    let offsets: [Int32]
    /// The extremes of `offsets`: they bound how far a wall clock may be from UTC.
    let lowest: Int64
    let highest: Int64
    /// Whether the clocks ever jump a whole day ahead, so that a date may be skipped (T6).
    let mayJumpDates: Bool
    private let cycle: FooterCycle?
    /// For each 2^24 seconds of 1970–2106, about 194 days, how many starts come before: most of a search
    /// is done by one look here.
    private let hints: [Int32]

    init(starts: [Int64], offsets: [Int32], cycle: FooterCycle?) {
        precondition(offsets.count == starts.count + 1, "an offset before the first start and one from each on")
        self.starts = starts
        self.offsets = offsets
        self.cycle = cycle
        lowest = Int64(offsets.min() ?? 0)
        highest = Int64(offsets.max() ?? 0)
        mayJumpDates = zip(offsets, offsets.dropFirst()).contains { $1 - $0 >= 86_400 }
        var hints: [Int32] = []
        hints.reserveCapacity(257)
        var passed = 0
        for bucket in 0...Int64(256) {
            while passed < starts.count, starts[passed] <= bucket << 24 { passed += 1 }
            hints.append(Int32(passed))
        }
        self.hints = hints
    }

    @inline(__always)
    func offset(at second: Int64) -> Int32 {
        offsets[changes(upTo: second &- shift(for: second))]
    }

    /// The stretch of one offset that holds `second`.
    @inline(__always)
    func span(containing second: Int64) -> OffsetSpan {
        let shift = shift(for: second)
        let index = changes(upTo: second &- shift)
        return OffsetSpan(
            start: index == 0 ? .min : starts[index &- 1] &+ shift,
            end: index == starts.count ? .max : starts[index] &+ shift,
            offset: Int64(offsets[index])
        )
    }

    /// How many changes of the table have happened at `second`.
    @inline(__always)
    private func changes(upTo second: Int64) -> Int {
        var low = 0
        var high = starts.count
        if second >= 0, second < 1 << 32 {
            let bucket = Int(truncatingIfNeeded: second >> 24)
            low = Int(hints[bucket])
            high = Int(hints[bucket &+ 1])
        }
        while low < high {
            let middle = (low &+ high) >> 1
            if starts[middle] <= second {
                low = middle &+ 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// What to take from a second to find it in the table: nothing, or a number of whole cycles.
    @inline(__always)
    private func shift(for second: Int64) -> Int64 {
        guard let cycle, second >= cycle.end || second < cycle.beginning else { return 0 }
        return cycle.shift(for: second)
    }
}

/// A stretch of time with one offset, in seconds since 1970; `.min` and `.max` where it has no bound.
struct OffsetSpan: Equatable, Sendable {
    var start: Int64
    var end: Int64
    var offset: Int64

    @inline(__always)
    func contains(_ second: Int64) -> Bool { second >= start && second < end }
}

/// The 400 years of an offset table that stand for all that follow them.
struct FooterCycle: Equatable, Sendable {
    static let length = Int64(GregorianCalendar.daysInCycle) * 86_400

    /// Where they start. From ten years before this to ten years after `end` the table is complete.
    var start: Int64
    /// Whether they stand for all time before as well: the zone is nothing but its footer.
    var governsThePast: Bool

    var end: Int64 { start + Self.length }
    var beginning: Int64 { governsThePast ? start : .min }

    func shift(for second: Int64) -> Int64 {
        let distance = second - start
        let cycles = distance / Self.length
        return (distance % Self.length < 0 ? cycles - 1 : cycles) * Self.length
    }
}
