/// A moment on the time line: whole milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Arithmetic saturates at `distantPast` and `distantFuture`: a deadline far away never wraps around
/// into the past and never traps.
public struct Instant: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The start of a whole second since 1970; saturates.
    @inlinable
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    public static let distantPast = Instant(milliseconds: .min)
    public static let distantFuture = Instant(milliseconds: .max)
}

extension Instant {
    /// Whole seconds since 1970, rounded towards the past, so that 23:59:59.999 is still in its own second.
    @inlinable
    public var wholeSeconds: Int64 {
        let quotient = milliseconds / 1000
        return milliseconds % 1000 < 0 ? quotient - 1 : quotient
    }

    /// The milliseconds from `earlier` to this instant; negative when `earlier` is the later one; saturates.
    @inlinable
    public func milliseconds(since earlier: Instant) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return overflow ? (milliseconds < 0 ? .min : .max) : difference
    }

    /// How many seconds whoever waits from `earlier` on has to wait for this instant, none of them too short; 0 when it has come.
    public func wholeSeconds(after earlier: Instant) -> Int64 {
        let left = max(0, milliseconds(since: earlier))
        return left / 1000 + (left % 1000 == 0 ? 0 : 1)
    }

    @inlinable
    public func advanced(byMilliseconds amount: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(amount)
        return Instant(milliseconds: overflow ? (amount < 0 ? .min : .max) : sum)
    }

    @inlinable
    public func advanced(bySeconds amount: Int64) -> Instant {
        advanced(by: amount, of: 1000)
    }

    @inlinable
    public func advanced(byMinutes amount: Int64) -> Instant {
        advanced(by: amount, of: 60_000)
    }

    @inlinable
    public func advanced(byHours amount: Int64) -> Instant {
        advanced(by: amount, of: 3_600_000)
    }

    /// Moves by days of exactly 24 hours. Local days may be longer or shorter (T6): for those ask `ZoneRules`.
    @inlinable
    public func advanced(byDays amount: Int64) -> Instant {
        advanced(by: amount, of: 86_400_000)
    }

    @inlinable
    func advanced(by amount: Int64, of unit: Int64) -> Instant {
        let (product, overflow) = amount.multipliedReportingOverflow(by: unit)
        if overflow { return amount < 0 ? .distantPast : .distantFuture }
        return advanced(byMilliseconds: product)
    }
}
