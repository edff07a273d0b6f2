/// Why the bytes of a zone are not usable (RFC 9636). Positions are byte offsets in the file.
public enum TZifError: Error, Equatable, Sendable {
    case notTZif
    case truncated(needed: Int, size: Int)
    case noLocalTimeTypes
    case unknownLocalTimeType(transition: Int, type: Int)
    case unorderedTransitions(index: Int)
    case offsetOutOfRange(seconds: Int)
    case leapSeconds(count: Int)
    case badFooter(String)
}

extension TZifError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTZif:
            "it does not begin like a TZif file; reinstall the tzdata package."
        case .truncated(let needed, let size):
            "it ends at byte \(size) where byte \(needed) was expected; reinstall the tzdata package."
        case .noLocalTimeTypes:
            "it names no offset from UTC at all; reinstall the tzdata package."
        case .unknownLocalTimeType(let transition, let type):
            "its transition \(transition) refers to offset number \(type), which it lacks; reinstall the tzdata package."
        case .unorderedTransitions(let index):
            "its transition \(index) is not later than the one before; reinstall the tzdata package."
        case .offsetOutOfRange(let seconds):
            "it claims an offset of \(seconds) seconds from UTC; reinstall the tzdata package."
        case .leapSeconds(let count):
            "it counts \(count) leap seconds, which the system clock does not; use the zones outside \"right/\"."
        case .badFooter(let text):
            "its last line, \"\(text)\", is not a POSIX TZ rule; reinstall the tzdata package."
        }
    }
}
