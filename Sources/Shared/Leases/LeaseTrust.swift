/// How long a worker lives without a renewal, and how far it trusts that.
public struct LeaseTerms: Sendable, Equatable {
    /// How long the database holds a worker alive after a renewal.
    public var lifetime: Duration
    /// How much sooner the worker itself stops: as much as its clock and the database's may differ in a lifetime, and as
    /// long as a turn that has begun may take.
    public var margin: Duration
    /// From one renewal to the next.
    public var interval: Duration

    public static let usual = LeaseTerms(lifetime: .seconds(6), margin: .seconds(1), interval: .seconds(2))

    public init(lifetime: Duration, margin: Duration, interval: Duration) {
        precondition(margin > .zero && interval > .zero, "a lease has a margin and is renewed")
        precondition(lifetime > margin + interval, "a lease outlasts the time between two renewals")
        self.lifetime = lifetime
        self.margin = margin
        self.interval = interval
    }
}

/// Whether a worker may still decide (`M2`, `M4`): the worker's own side of its lease.
///
/// The database's clock alone says who lives, and nobody here can read it. But the database takes a renewal after it was
/// sent, so the lease lasts at least until *renewal sent* + lifetime. Up to a margin before that the worker decides; from
/// then on it does not, before anyone else may begin. When the answer came plays no part: it may have been under way for long.
///
///     unborn ──renewed──> trusted ──time──> doubtful ──renewed, looked──> trusted
///                            └────────────gone────────> over <──gone────────┘
public struct LeaseTrust: Sendable, Equatable {
    public let terms: LeaseTerms
    private var trustedUntil: BootInstant?
    private var hasLapsed = false
    /// When the renewal was confirmed from which on the lease has not lapsed.
    private var soundSince: BootInstant?
    /// The database does not know the worker any more.
    public private(set) var isOver = false

    public init(_ terms: LeaseTerms) { self.terms = terms }

    /// Whether the worker may decide, and answer questions as the owner of what it has.
    public func mayDecide(at now: BootInstant) -> Bool {
        guard let end else { return false }
        return now < end
    }

    /// When `mayDecide` ends unless a renewal comes; `nil` where it does not hold.
    public var end: BootInstant? { isOver || hasLapsed ? nil : trustedUntil }

    /// Since when it has held without a break; `nil` while it does not. Whoever is told things as one that lives was told all since then.
    public func unbrokenSince(at now: BootInstant) -> BootInstant? { mayDecide(at: now) ? soundSince : nil }

    /// How long ago the newest renewal was sent that was confirmed; `nil` before the first.
    public func age(at now: BootInstant) -> Duration? {
        trustedUntil.map { now - $0 + (terms.lifetime - terms.margin) }
    }

    /// The registration or a renewal that was sent then has been confirmed by `now`.
    ///
    /// After a lapse that is not enough to decide again: others may have taken partitions meanwhile and given them back.
    public mutating func renewed(sent: BootInstant, now: BootInstant) {
        lookForLapse(at: now)
        let until = sent + (terms.lifetime - terms.margin)
        if trustedUntil.map({ now >= $0 }) ?? true { soundSince = now }
        trustedUntil = max(trustedUntil ?? until, until)
        lookForLapse(at: now)
    }

    /// To be called when time has gone by; a lapse that nobody looked for is found by the next call of any verb.
    public mutating func lookForLapse(at now: BootInstant) {
        if let trustedUntil, now >= trustedUntil { hasLapsed = true }
    }

    /// Whether the worker must look at what it still owns before it may decide again.
    public var mustLook: Bool { hasLapsed && !isOver }

    /// After a lapse the worker has read who owns what, and dropped what is its own no more.
    ///
    /// - Parameter asked: when the question was sent. It counts if a renewal had been confirmed before, and has lasted since.
    public mutating func looked(asked: BootInstant, now: BootInstant) {
        lookForLapse(at: now)
        guard let trustedUntil, let soundSince, soundSince <= asked, now < trustedUntil else { return }
        hasLapsed = false
    }

    /// A renewal found nobody: everything is dropped, and the worker begins again with a new id.
    public mutating func gone() { isOver = true }
}
