internal import CivilTime

/// A notice's or job's name taken apart (SPEC §12): `anna/check_in/2026-03-02T09:00`, `anna/reminder/goal:g1/#17~1`.
struct NoticeID: Equatable {
    enum Mark: Equatable {
        case slot(LocalDateTime)
        /// A slot before a deadline that its local time does not tell from another (T8): `2026-03-02T17:00Z`.
        case instant(Instant)
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
        let base = Self.base(of: text)
        self.base = base
        if base.utf8.count < text.utf8.count {
            let rest = text.utf8.dropFirst(base.utf8.count + 1)
            guard let number = Int(Substring(rest)), number > 0, String(number).utf8.elementsEqual(rest) else {
                return nil
            }
            repetition = number
        }
        guard let first = base.slash(from: base.startIndex), let second = base.slash(from: base.after(first)) else {
            return nil
        }
        let third = base.slash(from: base.after(second))
        if let third, base.slash(from: base.after(third)) != nil { return nil }
        let about = third.map { base[base.after(second)..<$0] }
        let last = base[base.after(third ?? second)...]
        (user, kind) = (String(base[..<first]), String(base[base.after(first)..<second]))
        subject = about.map { String($0) }
        guard !user.isEmpty, !kind.isEmpty, subject != "", !last.isEmpty else { return nil }
        if last.utf8.first == UInt8(ascii: "#"), let seq = UInt64(last.dropFirst()) {
            mark = .raised(by: seq)
        } else if let slot = Mark(slot: String(last)) {
            mark = slot
        } else {
            return nil
        }
    }

    var isSlot: Bool { if case .raised = mark { false } else { true } }

    /// The goal it is about, where its subject is one.
    var goal: String? { subject?.hasPrefix("goal:") == true ? subject.map { String($0.dropFirst(5)) } : nil }

    /// The name without the snooze, for those that cannot be taken apart otherwise.
    static func base(of text: String) -> String {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "~")) else { return text }
        return String(text[..<end])
    }

    static func requested(user: String, kind: String, subject: String?, seq: UInt64) -> String {
        ([user, kind] + (subject.map { [$0] } ?? []) + ["#\(seq)"]).joined(separator: "/")
    }
}

extension NoticeID.Mark {
    /// A slot as names and skips tell of it.
    init?(slot text: String) {
        if let local = LocalDateTime(text) {
            self = .slot(local)
        } else if text.hasSuffix("Z"), let inUTC = LocalDateTime(String(text.dropLast())) {
            self = .instant(Instant(milliseconds: inUTC.wallMilliseconds))
        } else {
            return nil
        }
    }
}

extension String {
    /// The next place with a slash; looked for byte by byte, since no letter has one in it.
    fileprivate func slash(from start: Index) -> Index? { utf8[start...].firstIndex(of: UInt8(ascii: "/")) }

    fileprivate func after(_ place: Index) -> Index { utf8.index(after: place) }
}
