internal import CivilTime

/// A notice's or job's name taken apart (SPEC §12): `anna/check_in/2026-03-02T09:00`, `anna/reminder/goal:g1/#17~1`.
struct NoticeID: Equatable {
    enum Mark: Equatable {
        case slot(LocalDateTime)
        /// The number of the event that raised it.
        case raised(by: UInt64)
    }

    var user: String
    var kind: String
    var subject: String?
    var mark: Mark
    /// Which snooze of the notice it is; `nil` for the notice itself.
    var repetition: Int?
    /// The name without the snooze.
    var base: String

    init?(_ text: String) {
        let pieces = text.split(separator: "~", omittingEmptySubsequences: false)
        guard let name = pieces.first, pieces.count <= 2 else { return nil }
        if pieces.count == 2 {
            guard let number = Int(pieces[1]), number > 0, String(number) == pieces[1] else { return nil }
            repetition = number
        }
        base = String(name)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(parts.count), !parts.contains(""), let last = parts.last else { return nil }
        user = parts[0]
        kind = parts[1]
        subject = parts.count == 4 ? parts[2] : nil
        if last.hasPrefix("#"), let seq = UInt64(last.dropFirst()) {
            mark = .raised(by: seq)
        } else if let slot = LocalDateTime(last) {
            mark = .slot(slot)
        } else {
            return nil
        }
    }

    /// The name without the snooze, for those that cannot be taken apart otherwise.
    static func base(of text: String) -> String { String(text.prefix { $0 != "~" }) }

    static func requested(user: String, kind: String, subject: String?, seq: UInt64) -> String {
        ([user, kind] + (subject.map { [$0] } ?? []) + ["#\(seq)"]).joined(separator: "/")
    }
}
