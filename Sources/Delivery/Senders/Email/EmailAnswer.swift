/// What a relay's reply means: by its status, its enhanced status (RFC 3463) and what it answers to, never by its words.
enum EmailAnswer {
    static func verdict(_ reply: MailReply) -> SenderVerdict {
        let enhanced = reply.enhanced.map { $0.map(String.init).joined(separator: ".") }
        let reason = "answered \(reply.status)" + (enhanced.map { " \($0)" } ?? "")
        switch reply.status {
        case 200...299:
            return .taken(providerID: reply.queueID)
        case 454 where reply.stage == .encryption:
            return refusal(reply, reason)
        case 454 where reply.enhanced?[1] == 7, 530, 534, 535, 538:
            if reply.stage < .signIn { return refusal(reply, reason) }
            return .misconfigured(.init(reason, cure: reply.status == 530 ? firstCure : signInCure))
        case 400...499:
            return .transient(reason: reason, whom: whom(reply))
        default:
            return refusal(reply, reason)
        }
    }

    /// Whom a failure that may pass is about: the recipient where the relay says so in RFC 3463's words, their address (4.1, but
    /// 4.1.7 and 4.1.8, which are our own) or their mailbox (4.2), or says no more than 450, "mailbox unavailable". The rest
    /// may be the relay's trouble (4.3, 451, 452) or its mind about us (4.7, greylisting too), which others would meet as well.
    private static func whom(_ reply: MailReply) -> SenderVerdict.Whom {
        guard reply.stage == .recipient, reply.status != 421 else { return .sender }
        guard let enhanced = reply.enhanced else { return reply.status == 450 ? .address : .sender }
        switch (enhanced[1], enhanced[2]) {
        case (1, 7), (1, 8): return .sender
        case (1, _), (2, _): return .address
        default: return .sender
        }
    }

    private static let signInCure = "see whether user and password_file are right for this relay"
    private static let firstCure =
        "the relay wants something first: user and password_file, or encryption, which a relay on this machine is asked for where ca_file is named"
    private static let fromCure = "the relay does not take mail from this address: see from and bounce_domain"

    /// Whoever refuses before a recipient was named refuses us, whatever its code is about.
    private static func refusal(_ reply: MailReply, _ reason: String) -> SenderVerdict {
        func mistake(_ what: String, _ cure: String) -> SenderVerdict {
            .misconfigured(.init("\(reason) to \(what)", cure: cure))
        }
        switch reply.stage {
        case .greeting:
            return mistake(
                "our greeting",
                "the relay speaks to no machine like this one: see url, its log, and whether it lists this machine's address"
            )
        case .encryption:
            return mistake("STARTTLS", "the relay offers encryption and refuses it: see its certificate and its log")
        case .signIn:
            return mistake("our sign-in", signInCure)
        case .sender:
            // The mail is too long for it, which it knows from the size that is told along.
            if reply.status == 552 || reply.enhanced == [5, 3, 4] { return .final(reason: reason) }
            return mistake("our sender", fromCure)
        case .recipient, .content:
            return refusal(reply.enhanced, of: reply.stage, reason)
        }
    }

    /// Of a mail that has its recipient. What may be about either address (5.1.0, and after the mail all but 5.1.1) kills none.
    private static func refusal(_ enhanced: [Int]?, of stage: MailStage, _ reason: String) -> SenderVerdict {
        guard let enhanced, enhanced[0] == 5 else { return .final(reason: reason) }
        switch (enhanced[1], enhanced[2]) {
        // The sender's address, not the recipient's.
        case (1, 7), (1, 8):
            return .misconfigured(.init(reason, cure: fromCure))
        case (1, 1):
            return .dead(reason: reason)
        case (1, 2...), (2, 1):
            return stage == .recipient ? .dead(reason: reason) : .final(reason: reason)
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
    static func verdict(_ failure: HTTPFailure) -> SenderVerdict {
        if failure.isWithoutEncryption {
            return .misconfigured(
                .init(
                    "offers no encryption (STARTTLS)",
                    cure: "name its port for submission (587), or smtps:// where the connection begins encrypted"))
        }
        guard failure.isWithoutSignIn else { return failure.verdict }
        return .misconfigured(
            .init(
                "offers no way to sign in",
                cure: "name its port for submission (587), or leave out user and password_file if it knows this machine"
            ))
    }
}
