extension OffsetTable {
    /// Makes the table of a zone file.
    ///
    /// Before the first transition the first standard type holds; a footer holds from the second after
    /// the last transition, or always where there is none. Both as Python's `zoneinfo` reads the same file.
    init(_ file: TZifFile) {
        var builder = OffsetTableBuilder(before: file.offsetBeforeTransitions)
        for (second, type) in zip(file.transitions, file.typeIndices) {
            builder.change(at: second, to: file.types[Int(type)].offset)
        }
        if let footer = file.footer {
            builder.follow(footer, after: file.transitions.last)
        }
        self = builder.table
    }
}

extension TZifFile {
    fileprivate var offsetBeforeTransitions: Int32 {
        if transitions.isEmpty { return types[types.count - 1].offset }
        return (types.first { !$0.isDaylight } ?? types[0]).offset
    }
}

/// Collects changes of offset in order, leaving out those that change nothing.
private struct OffsetTableBuilder {
    private var starts: [Int64] = []
    private var offsets: [Int32]
    private var cycle: FooterCycle?

    init(before offset: Int32) {
        offsets = [offset]
    }

    var table: OffsetTable { OffsetTable(starts: starts, offsets: offsets, cycle: cycle) }

    /// Seconds an `Instant` can hold. A change before them has always been made, one after never comes.
    private static let seconds = (Int64.min / 1000)...(Int64.max / 1000)

    mutating func change(at second: Int64, to offset: Int32) {
        if second < Self.seconds.lowerBound {
            offsets = [offset]
        } else if second <= Self.seconds.upperBound, offset != offsets[offsets.count - 1] {
            starts.append(second)
            offsets.append(offset)
        }
    }

    mutating func follow(_ rule: FooterRule, after last: Int64?) {
        guard let last else { return followAlways(rule) }
        guard last < Self.seconds.upperBound else { return }
        let first = max(last, Self.seconds.lowerBound) + 1
        guard let daylight = rule.daylight else { return change(at: first, to: rule.standardOffset) }
        let year = GregorianCalendar.date(days: Int(first / 86_400)).year
        writeOut(daylight, standardOffset: rule.standardOffset, from: first, year: year, governsThePast: false)
    }

    /// A zone that is nothing but its footer.
    private mutating func followAlways(_ rule: FooterRule) {
        offsets = [rule.standardOffset]
        guard let daylight = rule.daylight else { return }
        writeOut(daylight, standardOffset: rule.standardOffset, from: .min, year: 1960, governsThePast: true)
        if cycle == nil {
            // Daylight time that never ends, or differs in nothing.
            starts = []
            offsets = [daylight.offset]
        }
    }

    /// Writes out the rule from the second `first`, which is in `year`: ten years, one cycle, ten more.
    /// The margins hold the neighbours of every second of the cycle, even of a rule that skips years.
    private mutating func writeOut(
        _ daylight: FooterRule.Daylight, standardOffset: Int32, from first: Int64, year: Int, governsThePast: Bool
    ) {
        let cycle = FooterCycle(start: firstSecond(of: year + 10), governsThePast: governsThePast)
        let limit = firstSecond(of: year + 420)
        let stretches = daylight.stretches(beginningIn: year - 2...year + 421, standardOffset: standardOffset)
        change(at: first, to: stretches.contains { $0.contains(first) } ? daylight.offset : standardOffset)
        for stretch in stretches {
            if stretch.lowerBound > first, stretch.lowerBound < limit {
                change(at: stretch.lowerBound, to: daylight.offset)
            }
            if stretch.upperBound > first, stretch.upperBound < limit {
                change(at: stretch.upperBound, to: standardOffset)
            }
        }
        if let last = starts.last, last >= cycle.start { self.cycle = cycle }
    }

    private func firstSecond(of year: Int) -> Int64 {
        Int64(GregorianCalendar.days(year: year, month: 1, day: 1)) * 86_400
    }
}

extension FooterRule.Daylight {
    /// The stretches of daylight time that begin in some years, those that touch made one.
    fileprivate func stretches(beginningIn years: ClosedRange<Int>, standardOffset: Int32) -> [Range<Int64>] {
        var stretches: [Range<Int64>] = []
        stretches.reserveCapacity(years.count)
        for year in years {
            let stretch = stretch(beginningIn: year, standardOffset: standardOffset)
            if let last = stretches.last, stretch.lowerBound <= last.upperBound {
                stretches[stretches.count - 1] = last.lowerBound..<max(last.upperBound, stretch.upperBound)
            } else {
                stretches.append(stretch)
            }
        }
        return stretches
    }
}
