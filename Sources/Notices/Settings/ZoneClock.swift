public import CivilTime

extension ZoneRules {
    /// How many seconds a zone's clocks are ahead of UTC, from when on, in the year before a moment and the year after it: so that
    /// whoever shows times has them as they are decided by (`T1`), whatever their own tables of zones say.
    public func clock(around instant: Instant) -> JSONValue {
        let (first, last) = (instant.advanced(byDays: -Self.clockDays), instant.advanced(byDays: Self.clockDays))
        let spans =
            [(from: first, seconds: offsetSeconds(at: first))]
            + transitions(in: first..<last).map { (from: $0.instant, seconds: $0.offsetAfter) }
        return .array(
            spans.map { span in
                .object([.init("from", .string("\(span.from)")), .init("seconds", .number("\(span.seconds)"))])
            })
    }

    private static let clockDays: Int64 = 370
}
