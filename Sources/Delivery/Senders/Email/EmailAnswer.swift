/// What a relay's reply means: by its status and its enhanced status (RFC 3463), never by its words.
enum EmailAnswer {
    static func verdict(_ reply: MailReply) -> SenderVerdict {
        let enhanced = reply.enhanced.map { $0.map(String.init).joined(separator: ".") }
        let reason = "answered \(reply.status)" + (enhanced.map { " \($0)" } ?? "")
        switch reply.status {
        case 200...299:
            return .taken(providerID: reply.queueID)
        case 454 where reply.enhanced?[1] == 7, 530, 534, 535, 538:
            return .misconfigured(.init(reason, cure: "see whether user and password_file are right for this relay"))
        case 400...499:
            return .transient(reason: reason)
        default:
            return refusal(reply.enhanced, reason)
        }
    }

    private static func refusal(_ enhanced: [Int]?, _ reason: String) -> SenderVerdict {
        guard let enhanced, enhanced[0] == 5 else { return .final(reason: reason) }
        switch (enhanced[1], enhanced[2]) {
        // The sender's address, not the recipient's.
        case (1, 7), (1, 8):
            return .misconfigured(
                .init(reason, cure: "the relay does not take mail from this address: see from and bounce_domain"))
        case (1, _), (2, 1):
            return .dead(reason: reason)
        case (7, _):
            return .misconfigured(
                .init(
                    reason, cure: "the relay's policy is against it: see its log, and the domain's SPF and DKIM",
                    whom: .address))
        default:
            return .final(reason: reason)
        }
    }

    /// What it means that no reply came. A mail that comes twice has the same Message-ID.
    static func verdict(_ failure: HTTPFailure) -> SenderVerdict { failure.verdict }
}
