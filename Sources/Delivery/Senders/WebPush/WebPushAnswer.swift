internal import CivilTime

/// What an answer of a browser's push service means (RFC 8030), and what some of them do otherwise.
enum WebPushAnswer {
    static func verdict(_ answer: ProviderAnswer, origin: String, at now: Instant) -> SenderVerdict {
        let reason = answer.reason()
        switch answer.status {
        // 201, or 202 where the service tells later what became of it (RFC 8030); some say 200, with where the message is or
        // with nothing besides.
        case 200...299 where ![201, 202].contains(answer.status) && answer.isPage:
            return .misconfigured(
                .init(
                    "\(reason) with a page in place of 201",
                    cure: "see what answers in place of the push service: a proxy, or the page of a network"))
        case 200...299:
            return .taken(providerID: ProviderAnswer.providerID(answer.headers["location"]))
        case 404, 410:
            return .dead(reason: reason)
        case 401, 403:
            return .misconfigured(
                .init(
                    reason,
                    cure:
                        "the subscription was made with another VAPID key, the subject leads nowhere, or the clock is off",
                    whom: .address))
        case 429:
            // Of the subscription, or of the service: RFC 8030 leaves open which (`LimitDoubt`).
            return answer.limit(of: .address, reason, at: now)
        case 406 where HTTPAddress(origin)?.host.hasSuffix(".notify.windows.com") ?? false:
            // Windows says so for 429.
            return answer.limit(of: .address, reason, at: now)
        case 300...399:
            // Endpoints come from clients: a redirect could lead anywhere, into this network too.
            return .final(reason: "\(reason); redirects are not followed")
        default:
            return answer.usualVerdict(at: now)
        }
    }
}

extension ProviderAnswer {
    /// Something to read, about no message: for people, and not for us.
    fileprivate var isPage: Bool { headers["location"] == nil && (!body.isEmpty || isTooLong) }
}
