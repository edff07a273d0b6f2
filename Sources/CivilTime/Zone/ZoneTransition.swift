/// A moment at which a zone's clocks were or will be changed.
public struct ZoneTransition: Hashable, Sendable {
    /// The first instant of the new offset.
    public let instant: Instant
    public let offsetBefore: Int32
    public let offsetAfter: Int32

    public init(instant: Instant, offsetBefore: Int32, offsetAfter: Int32) {
        self.instant = instant
        self.offsetBefore = offsetBefore
        self.offsetAfter = offsetAfter
    }
}

extension ZoneRules {
    /// The first change of the clocks strictly after an instant; `nil` where there is none ever after.
    public func nextTransition(after instant: Instant) -> ZoneTransition? {
        let span = table.span(containing: instant.wholeSeconds)
        guard span.end <= Int64.max / 1000 else { return nil }
        return ZoneTransition(
            instant: Instant(seconds: span.end),
            offsetBefore: Int32(span.offset),
            offsetAfter: table.offset(at: span.end)
        )
    }

    /// The changes of the clocks at or after the lower bound and before the upper one, in order.
    ///
    /// Transitions that change only a zone's abbreviation are not among them. A zone with a rule for
    /// the future has no last one, so bound the range.
    public func transitions(in range: Range<Instant>) -> some Sequence<ZoneTransition> {
        sequence(state: range.lowerBound.advanced(byMilliseconds: -1)) { [self] previous in
            guard let next = nextTransition(after: previous), next.instant < range.upperBound else { return nil }
            previous = next.instant
            return next
        }
    }
}
