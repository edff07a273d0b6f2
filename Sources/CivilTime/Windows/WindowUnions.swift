/// The windows of a `DailyWindow` in order of time, in seconds since 1970, those that touch made one.
///
/// Windows start in the order of their dates, so one look ahead tells whether a union is complete.
struct WindowUnions {
    private let window: DailyWindow
    private let zone: ZoneRules
    private let span: OffsetSpan
    private var date: LocalDate
    private let last: LocalDate
    /// The first window that does not touch the union given last.
    private var pending: Range<Int64>?

    /// From the first window that could hold `second` to those of some days later.
    @inline(__always)
    init(of window: DailyWindow, in zone: ZoneRules, around second: Int64, days: Int) {
        self.window = window
        self.zone = zone
        span = zone.table.span(containing: second)
        let today = zone.date(at: second, in: span)
        date = today.advanced(byDays: -Self.reach)
        last = today.advanced(byDays: days)
        pending = nil
    }

    /// How many days before its own a second's window may have started: one for the night, one for an
    /// evening repeated because the clocks went back over midnight.
    private static let reach = 2

    @inline(__always)
    mutating func next() -> Range<Int64>? {
        guard var union = pending ?? nextWindow() else { return nil }
        pending = nil
        while let window = nextWindow() {
            guard window.lowerBound <= union.upperBound else {
                pending = window
                break
            }
            union = union.lowerBound..<max(union.upperBound, window.upperBound)
        }
        return union
    }

    @inline(__always)
    private mutating func nextWindow() -> Range<Int64>? {
        while date < last {
            let current = date
            date = current.advanced(byDays: 1)
            if let seconds = window.seconds(startingOn: current, in: zone, near: span) { return seconds }
        }
        return nil
    }
}
