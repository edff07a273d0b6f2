internal import CivilTime

/// An instant and ten flags in one word.
///
/// There are millions of people, and a word less makes each of them 16 bytes smaller: memory is handed out in such pieces.
/// Instants farther away than 285,000 years are taken for the distant past or future.
struct FlaggedInstant: Sendable {
    static let flagCount = 10

    private var word: Int64

    private static let mask: Int64 = 1 << flagCount - 1
    private static let most = Int64.max >> flagCount
    private static let least = Int64.min >> flagCount

    init(_ instant: Instant, flags: UInt32 = 0) {
        word = Self.shifted(instant) | Int64(flags) & Self.mask
    }

    var instant: Instant {
        get {
            switch word >> Self.flagCount {
            case Self.least: .distantPast
            case Self.most: .distantFuture
            case let milliseconds: Instant(milliseconds: milliseconds)
            }
        }
        set { word = Self.shifted(newValue) | word & Self.mask }
    }

    /// The lowest ten bits; what stands above them is not kept.
    var flags: UInt32 {
        get { UInt32(truncatingIfNeeded: word & Self.mask) }
        set { word = word & ~Self.mask | Int64(newValue) & Self.mask }
    }

    private static func shifted(_ instant: Instant) -> Int64 {
        min(max(instant.milliseconds, least), most) << flagCount
    }
}
