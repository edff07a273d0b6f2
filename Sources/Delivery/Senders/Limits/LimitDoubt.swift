/// Whether a limit is one address's or the provider's for all.
///
/// Providers say the same of both: a push service's 429, Firebase's `QUOTA_EXCEEDED`. So it is taken for the address's own,
/// lest one device that is sent too much keep everybody waiting; what many different addresses hear in a row is the
/// provider's (`N5`).
struct LimitDoubt {
    private var limited = Hearers()

    /// Of so many different ones hardly each has a reason of its own.
    static let inARowMax = 10

    mutating func judge(_ verdict: SenderVerdict, of address: String) -> SenderVerdict {
        guard case .wait(let seconds, let reason, .address) = verdict else {
            // A provider that is at its limit lets some through.
            if case .taken = verdict { limited.forgetHalf() }
            return verdict
        }
        return limited.areMany(with: address) ? .wait(seconds: seconds, reason: reason, whom: .sender) : verdict
    }
}

/// Whether a refusal is about one address or about us.
///
/// A relay's 5.7.1 may be its mind about one recipient, or that it passes on nobody's mail who has not signed in; a push service's
/// 403 a subscription of before the key was changed, or a key that is wrong. So it is taken for the address's own, and for ours where
/// many different addresses are refused and none is served: then jobs wait until somebody has mended it (`N5`).
struct RefusalDoubt {
    private var refused = Hearers()

    mutating func judge(_ verdict: SenderVerdict, of address: String) -> SenderVerdict {
        guard case .misconfigured(let problem) = verdict, problem.whom == .address else {
            if case .taken = verdict { refused = Hearers() }
            return verdict
        }
        guard refused.areMany(with: address) else { return verdict }
        var ours = problem
        ours.whom = .sender
        return .misconfigured(ours)
    }
}

/// Addresses that have heard the same one after the other.
private struct Hearers {
    /// Each once.
    private var addresses: [String] = []

    mutating func areMany(with address: String) -> Bool {
        if addresses.count < LimitDoubt.inARowMax, !addresses.contains(address) { addresses.append(address) }
        return addresses.count >= LimitDoubt.inARowMax
    }

    mutating func forgetHalf() { addresses.removeFirst((addresses.count + 1) / 2) }
}
