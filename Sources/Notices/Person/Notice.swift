public import CivilTime

/// A candidate for reaching a person (SPEC §1). It is immutable.
public final class Notice: Sendable {
    /// Its readable id: `anna/check_in/2026-03-02T09:00`.
    public let name: String
    /// Its kind's place in the rulebook.
    public let kind: Int
    public let subject: String?
    public let priority: Priority
    public let raisedAt: Instant
    /// The local day it belongs to: its slot's, or the one it was raised on. Travel does not change it (`P2`).
    public let date: LocalDate
    /// The slot that raised it; `nil` for one that was asked for.
    public let slot: LocalDateTime?
    /// When the slot of a goal or another subject was due where the person was when it was raised: what tells it from other
    /// slots that are instants (`T8`).
    public let due: Instant?
    /// The local day it belongs to as it was where the person was when it began to wait; `nil` for what asks nothing about
    /// its day, or does not wait yet.
    let day: Range<Instant>?
    /// Of one that was asked for, the number of the event that raised it (`P18`); otherwise 0.
    public let sequence: UInt64
    public let content: NoticeContent?
    /// How it is asked: as any other, or as a repeat the person asked for.
    public let origin: Origin
    /// Tells most names apart without reading them; it orders nothing.
    let nameHash: UInt64

    public enum Origin: Sendable {
        case ordinary
        /// The n-th snooze of a job (`S1`): only P1–P7 are asked, and of one that comes late P8 and P9 too.
        case snooze(Int)
        /// A recorded "run now" with `force`: only P1–P7 are asked.
        case forced
        /// A sample (`N8`): asked P6 only, on the channel that is tried or on all.
        case test(ChannelSet)
    }

    public init(
        name: String, kind: Int, subject: String? = nil, priority: Priority, raisedAt: Instant, date: LocalDate,
        slot: LocalDateTime? = nil, due: Instant? = nil, day: Range<Instant>? = nil,
        sequence: UInt64 = 0, content: NoticeContent? = nil,
        origin: Origin = .ordinary
    ) {
        self.name = name
        self.kind = kind
        self.subject = subject
        self.priority = priority
        self.raisedAt = raisedAt
        self.date = date
        self.slot = slot
        self.due = due
        self.day = day
        self.sequence = sequence
        self.content = content
        self.origin = origin
        nameHash = Self.hash(of: name)
    }

    func isSame(as other: Notice) -> Bool { self === other || nameHash == other.nameHash && name == other.name }

    /// Nobody can do harm with names that are told apart by reading them, so this need not be hard to foresee.
    static func hash(of name: String) -> UInt64 {
        let bytes = name.utf8Span.span
        return bytes.withUnsafeBufferPointer { bytes in
            var hash = UInt64(truncatingIfNeeded: bytes.count)
            func add(_ word: UInt64) {
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
            }
            let words = bytes.count / 8
            for place in 0..<words {
                add(UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
            }
            add(bytes[(words * 8)...].reduce(0) { $0 << 8 | UInt64($1) })
            return hash
        }
    }

    /// The same with something changed.
    func with(
        kind: Int? = nil, subject: String?? = nil, priority: Priority? = nil, day: Range<Instant>? = nil,
        origin: Origin? = nil
    ) -> Notice {
        Notice(
            name: name, kind: kind ?? self.kind, subject: subject ?? self.subject, priority: priority ?? self.priority,
            raisedAt: raisedAt, date: date, slot: slot, due: due, day: day ?? self.day,
            sequence: sequence, content: content, origin: origin ?? self.origin)
    }

    /// With its kind's words, whatever its own were.
    var wordless: Notice {
        Notice(
            name: name, kind: kind, subject: subject, priority: priority, raisedAt: raisedAt, date: date, slot: slot,
            due: due, day: day, sequence: sequence, content: nil, origin: origin)
    }

    /// The goal it is about.
    public var goal: Substring? { subject?.named("goal:") }
    /// The conversation it is about.
    public var conversation: Substring? { subject?.named("conversation:") }

    /// `P18`: which of two notices of one person comes first.
    public static func comesFirst(_ left: Notice, _ right: Notice) -> Bool {
        if left.priority != right.priority { return left.priority.rawValue > right.priority.rawValue }
        if left.raisedAt != right.raisedAt {
            return left.raisedAt < right.raisedAt
        }
        if left.kind != right.kind { return left.kind < right.kind }
        let subjects = (left.subject ?? "", right.subject ?? "")
        if subjects.0 != subjects.1 { return subjects.0.utf8.lexicographicallyPrecedes(subjects.1.utf8) }
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}

extension String {
    /// What follows a prefix such as `goal:`.
    func named(_ prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8) ? Substring(self.utf8.dropFirst(prefix.utf8.count)) : nil
    }
}

/// What a notice says beyond its kind's own words.
public final class NoticeContent: Sendable {
    public let title: String?
    public let body: String?
    public let data: FlatMap<Text>
    public let expiresAt: Instant?
    public let subtype: String?
    /// What a weekly digest counted when its slot came (`D3`).
    public let week: WeekActivity?

    public init(
        title: String? = nil, body: String? = nil, data: FlatMap<Text> = FlatMap(), expiresAt: Instant? = nil,
        subtype: String? = nil, week: WeekActivity? = nil
    ) {
        self.title = title
        self.body = body
        self.data = data
        self.expiresAt = expiresAt
        self.subtype = subtype
        self.week = week
    }
}

/// A notice that has not come to its end.
public struct Waiting: Sendable {
    public enum State: Sendable, Equatable {
        case held(until: Instant)
        case gathered(into: String)
    }

    public var notice: Notice
    public private(set) var heldUntil: Instant?
    /// The digest or summary it waits for.
    public private(set) var gatheredInto: String?
    public var reason: Reason
    /// Whether that is a week's digest (`D7`).
    public internal(set) var isForWeek = false
    /// Whether the conversation it is about was read or opened since (`P2`).
    public internal(set) var isRead = false

    public init(notice: Notice, state: State, reason: Reason) {
        self.notice = notice
        self.reason = reason
        self.state = state
    }

    /// Whether it waits for the digest of a day, or of a week; what an overload gathered waits for a summary.
    func isGathered(for scope: DigestScope) -> Bool {
        gatheredInto != nil && reason != .overload && isForWeek == (scope == .weekly)
    }

    public var state: State {
        get { gatheredInto.map { .gathered(into: $0) } ?? .held(until: heldUntil ?? .distantFuture) }
        set {
            switch newValue {
            case .held(let until): (heldUntil, gatheredInto) = (until, nil)
            case .gathered(let into): (heldUntil, gatheredInto) = (nil, into)
            }
        }
    }
}
