public import CivilTime

/// Seven days of a log, from a Thursday in UTC on: what people are told in them is erased together.
public struct TextWeek: Sendable, Hashable, Comparable {
    /// Counted from 1970-01-01; two bytes of a sealed field hold it, for twelve centuries.
    public let number: UInt16

    public init(number: UInt16) { self.number = number }

    /// The week of an instant; beyond those that can be told, the nearest that can.
    public init(of instant: Instant) {
        number = UInt16(clamping: instant.milliseconds / Self.milliseconds)
    }

    public var start: Instant { Instant(milliseconds: Int64(number) * Self.milliseconds) }
    public var end: Instant { Instant(milliseconds: (Int64(number) + 1) * Self.milliseconds) }

    private static let milliseconds: Int64 = 7 * 86_400_000

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension Policy {
    /// Whether what people are told is erased by itself, whoever stays.
    public var keepsTextsForAWhile: Bool { retention?.textsAfterDays != nil }
}

/// Texts that a policy keeps for some time alone.
extension RetentionRule {
    /// When what people were told in a week is erased: a day after the last of it was kept for as long as the policy says, so that
    /// no notice is under way with a text that is gone.
    public func end(ofTextsIn week: TextWeek) -> Instant? {
        textsAfterDays.map { week.end.advanced(byDays: Int64($0) + 1) }
    }
}

extension NoticeContent {
    var hasWords: Bool { title != nil || body != nil || !data.entries.isEmpty }
}
