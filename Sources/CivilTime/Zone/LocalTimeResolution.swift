/// Which of the two is meant when the clocks go back and a local time occurs twice (T5).
public enum Occurrence: Sendable {
    /// For slots and the starts of windows.
    case first
    /// For the ends of windows, so that quiet errs on quiet.
    case second
}

extension ZoneRules {
    /// The instant of a local time in this zone.
    ///
    /// A local time that does not exist means the first instant after the gap (T4), one that exists twice
    /// means the occurrence asked for (T5). A time on a date that was skipped altogether lies in a gap like
    /// any other; slots and windows of such a date do not exist, and are not asked for here (T6).
    public func instant(of local: LocalDateTime, occurrence: Occurrence) -> Instant {
        let second = local.wallSecond
        let near = table.span(containing: second)
        return Instant(seconds: table.second(ofWall: second, occurrence, near: near))
    }
}

extension OffsetTable {
    /// The second at which a wall clock shows `wall`, by T4 and T5.
    ///
    /// `near` is any span of this table, best the one where the answer is expected: then nothing is searched.
    @inline(__always)
    func second(ofWall wall: Int64, _ occurrence: Occurrence, near: OffsetSpan) -> Int64 {
        if near.coversWall(wall, of: self) { return wall &- near.offset }
        return searchSecond(ofWall: wall, occurrence)
    }

    /// Visits every span in which a clock could show `wall`; it is between `lowest` and `highest` from UTC.
    private func searchSecond(ofWall wall: Int64, _ occurrence: Occurrence) -> Int64 {
        var span = span(containing: wall - highest)
        let last = wall - lowest
        var found: Int64?
        var afterGap: Int64?
        while true {
            let candidate = wall - span.offset
            if span.contains(candidate) {
                if occurrence == .first { return candidate }
                found = candidate
            }
            guard span.end <= last else { break }
            let next = self.span(containing: span.end)
            if afterGap == nil, span.end + span.offset <= wall, wall < span.end + next.offset {
                afterGap = span.end
            }
            span = next
        }
        // One of the two is there: the clock shows less than `wall` before the first span that was
        // visited and more after the last, so it either showed it or jumped over it.
        return found ?? afterGap ?? wall - span.offset
    }
}

extension OffsetSpan {
    /// Whether a clock shows `wall` in this span if it ever does, and does so once.
    @inline(__always)
    func coversWall(_ wall: Int64, of table: OffsetTable) -> Bool {
        start <= wall &- table.highest && wall &- table.lowest < end
    }
}
