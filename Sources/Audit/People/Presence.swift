internal import CivilTime

/// Whether a person has the app open, and what they look at (P7, P15).
///
/// The facts do not always say: a message may be sent from a notification while the app is closed. Such cases are
/// `unclear`, and nothing is held against a decision because of them.
struct Presence {
    enum Answer { case yes, unclear, no }

    private var app = Answer.no
    private var looking: [String: Answer] = [:]
    private var lastSign: Instant?
    private(set) var isClosedForSure = true

    /// "Fresh for 2 minutes" ends as a window does (T2).
    private static let freshMilliseconds: Int64 = 120_000

    mutating func opened(at instant: Instant) {
        app = .yes
        isClosedForSure = false
        looking = looking.mapValues { _ in .unclear }
        lastSign = instant
    }

    mutating func closed() {
        app = .no
        isClosedForSure = true
        looking = [:]
    }

    mutating func opened(conversation: String, at instant: Instant) {
        if app == .no { app = .unclear }
        isClosedForSure = false
        // Two conversations are not looked at at once.
        looking = [conversation: .yes]
        lastSign = instant
    }

    mutating func closed(conversation: String) { looking[conversation] = nil }

    mutating func sent(in conversation: String, at instant: Instant) {
        if app == .no { app = .unclear }
        if looking[conversation] == nil { looking[conversation] = .unclear }
        lastSign = instant
    }

    func isOpen(at instant: Instant) -> Answer { isFresh(at: instant) ? app : .no }

    func isLooking(at conversation: String, at instant: Instant) -> Answer {
        isFresh(at: instant) ? looking[conversation] ?? .no : .no
    }

    private func isFresh(at instant: Instant) -> Bool {
        guard let lastSign else { return false }
        return instant.milliseconds(since: lastSign) < Self.freshMilliseconds
    }
}
