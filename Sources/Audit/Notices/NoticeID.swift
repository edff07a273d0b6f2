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
        base = Self.base(of: text)
        if base.utf8.count < text.utf8.count {
            let rest = text.utf8.dropFirst(base.utf8.count + 1)
            guard let number = Int(Substring(rest)), number > 0, String(number).utf8.elementsEqual(rest) else {
                return nil
            }
            repetition = number
        }
        let parts = base.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), !parts.contains(where: \.isEmpty), let last = parts.last else {
            return nil
        }
        user = String(Substring(parts[0]))
        kind = String(Substring(parts[1]))
        subject = parts.count == 4 ? String(Substring(parts[2])) : nil
        if last.first == UInt8(ascii: "#"), let seq = UInt64(Substring(last.dropFirst())) {
            mark = .raised(by: seq)
        } else if let slot = LocalDateTime(String(Substring(last))) {
            mark = .slot(slot)
        } else {
            return nil
        }
    }

    /// The name without the snooze, for those that cannot be taken apart otherwise.
    static func base(of text: String) -> String {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "~")) else { return text }
        return String(text[..<end])
    }

    static func requested(user: String, kind: String, subject: String?, seq: UInt64) -> String {
        ([user, kind] + (subject.map { [$0] } ?? []) + ["#\(seq)"]).joined(separator: "/")
    }
}
