public import CivilTime

/// How a slot is called (`T8`): by the person's date and time. An instant that was agreed with others, such as a warning
/// before a deadline, is called by itself where its local time names another slot as well: `2026-03-02T17:00Z`.
public enum SlotWord: Hashable, Sendable {
    case local(LocalDateTime)
    /// To the minute.
    case instant(Instant)
}

extension SlotWord: LosslessStringConvertible {
    public init?(_ text: String) {
        var text = text
        guard let read = text.withUTF8({ Self($0) }) else { return nil }
        self = read
    }

    init?(_ utf8: UnsafeBufferPointer<UInt8>) {
        guard utf8.last == UInt8(ascii: "Z") else {
            guard let local = LocalDateTime(utf8) else { return nil }
            self = .local(local)
            return
        }
        guard let inUTC = LocalDateTime(UnsafeBufferPointer(rebasing: utf8.dropLast())) else { return nil }
        self = .instant(ZoneRules.utc.instant(of: inUTC, occurrence: .first))
    }

    public var description: String {
        switch self {
        case .local(let local): local.description
        case .instant(let instant): ZoneRules.utc.local(at: instant).description + "Z"
        }
    }
}

extension SlotWord {
    public func local(in zone: ZoneRules) -> LocalDateTime {
        switch self {
        case .local(let local): local
        case .instant(let instant): zone.local(at: instant)
        }
    }

    public func instant(in zone: ZoneRules) -> Instant {
        switch self {
        case .local(let local): zone.instant(of: local, occurrence: .first)
        case .instant(let instant): instant
        }
    }
}

extension Instant {
    /// The minute that it is in: names of slots tell no seconds.
    var minuteBegun: Instant { advanced(byMilliseconds: -(((milliseconds % 60_000) + 60_000) % 60_000)) }
}

extension Person {
    /// A local time says which slot is meant unless it comes twice that day and this is the second, or travel gave it to
    /// another slot of the same kind and subject before.
    func word(for slot: Slot) -> SlotWord {
        guard slot.isAbsolute else { return .local(slot.local) }
        let first = zone.instant(of: slot.local, occurrence: .first)
        guard (0..<60_000).contains(slot.instant.milliseconds(since: first)),
            !wasHandled(slot.kind, slot.subject, slot.local, isOncePerDay: false)
        else { return .instant(slot.instant.minuteBegun) }
        return .local(slot.local)
    }
}
