extension DailyWindow {
    /// The parts of a stretch of time in which a window is open, in order; those that touch are one.
    public func open(in stretch: Range<Instant>, of zone: ZoneRules) -> [Range<Instant>] {
        guard !stretch.isEmpty else { return [] }
        var found: [Range<Instant>] = []
        var next = interval(containing: stretch.lowerBound, in: zone) ?? self.next(after: stretch.lowerBound, in: zone)
        while let window = next, window.lowerBound < stretch.upperBound {
            found.append(window.clamped(to: stretch))
            guard window.upperBound < stretch.upperBound else { break }
            // A window without an end is told of a week at a time.
            next =
                interval(containing: window.upperBound, in: zone) ?? self.next(after: window.upperBound, in: zone)
        }
        return found.united
    }
}

extension [Range<Instant>] {
    /// The same in order of time, those that touch or overlap made one, and none empty.
    public var united: [Range<Instant>] {
        var whole: [Range<Instant>] = []
        for stretch in sorted(by: { $0.lowerBound < $1.lowerBound }) where !stretch.isEmpty {
            if let last = whole.last, stretch.lowerBound <= last.upperBound {
                whole[whole.count - 1] = last.lowerBound..<Swift.max(last.upperBound, stretch.upperBound)
            } else {
                whole.append(stretch)
            }
        }
        return whole
    }
}
