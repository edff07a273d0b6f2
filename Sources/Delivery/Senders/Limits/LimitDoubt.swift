/// Whether a limit is one address's or the provider's for all.
///
/// Providers say the same of both: a push service's 429, Firebase's `QUOTA_EXCEEDED`. So it is taken for the address's own,
/// lest one device that is sent too much keep everybody waiting; what many different addresses hear in a row is the
/// provider's (`N5`).
struct LimitDoubt {
    /// Those that have heard it, each once; what was taken meanwhile speaks for half of them.
    private var limited: [String] = []

    /// So many different ones are hardly each at a limit of their own.
    static let inARowMax = 10

    mutating func judge(_ verdict: SenderVerdict, of address: String) -> SenderVerdict {
        guard case .wait(let seconds, let reason, .address) = verdict else {
            // A provider that is at its limit lets some through.
            if case .taken = verdict { limited.removeFirst((limited.count + 1) / 2) }
            return verdict
        }
        if limited.count < Self.inARowMax, !limited.contains(address) { limited.append(address) }
        return limited.count < Self.inARowMax ? verdict : .wait(seconds: seconds, reason: reason, whom: .sender)
    }
}
