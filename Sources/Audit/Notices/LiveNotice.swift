internal import CivilTime
internal import Notices

/// A notice that has been raised and has not ended.
struct LiveNotice {
    enum State: Equatable {
        /// Raised, and nothing said of it yet.
        case raised
        case held(until: Instant, Reason)
        /// Into the digest or summary of this name. What that gathers is kept with it: a later policy may call it otherwise.
        case gathered(into: String, as: KindDocument.Gathering?)
    }

    var id: NoticeID
    var raisedAt: Instant
    /// Of its job only the name is known any more: neither when it was raised, nor what else was in the job.
    var isForgotten = false
    /// The local day it was raised on. Travel does not make it another (P2, T9).
    var day: LocalDate?
    /// When that day, or its slot's, began and ended where the person was then; for what asks about it.
    var hours: Range<Instant>?
    /// Of a slot that is named by its instant, what the clock showed then where the person was when it was due (T8).
    var slotWall: Int64?
    /// The event that spoke of it last.
    var seq: UInt64
    var priority: Priority?
    var subtype: String?
    var expiresAt: Instant?
    /// Whether its own words were given with it.
    var hasWords = false
    var state = State.raised {
        didSet { intoKind = Self.kind(of: state) }
    }
    /// The kind of the digest or summary that it was gathered into, as it was called then.
    private(set) var intoKind: String?
    /// Whether that is a day's digest, a week's or a summary, whatever it is called by now.
    var gathering: KindDocument.Gathering? { if case .gathered(_, let gathering) = state { gathering } else { nil } }
    /// By when something must be said of it, where that is known.
    var deadline: Instant?
    var gatheredAt: Instant?
    /// What somebody asked to see a sample of (N8).
    var isTest = false

    var kind: String { id.kind }
    var subject: String? { id.subject }

    /// The goal it is about, where its subject is one.
    var goal: String? { id.goal }
    /// The conversation it is about, where its subject is one.
    var conversation: String? {
        subject?.hasPrefix("conversation:") == true ? subject.map { String($0.dropFirst(13)) } : nil
    }

    private static func kind(of state: State) -> String? {
        if case .gathered(let into, _) = state { NoticeID(into)?.kind ?? "" } else { nil }
    }
}
