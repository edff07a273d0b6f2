/// How one sender stands, as `senders check` says it.
public struct SenderFinding: Sendable, Equatable {
    /// Where it stands in the document: `push.apns`.
    public let sender: String
    /// What was seen, or what is wrong. Holds no secret and no address.
    public let detail: String
    /// What to do about what is wrong; `nil` where nothing is.
    public let cure: String?

    public var isWell: Bool { cure == nil }

    static func well(_ sender: String, _ detail: String) -> SenderFinding {
        SenderFinding(sender: sender, detail: detail, cure: nil)
    }

    static func ailing(_ sender: String, _ detail: String, cure: String) -> SenderFinding {
        SenderFinding(sender: sender, detail: detail, cure: cure)
    }

    /// - Parameter host: who could not be asked, without path or query.
    static func ailing(_ sender: String, _ host: String, _ failure: HTTPFailure) -> SenderFinding {
        ailing(sender, "\(host) \(failure)", cure: failure.cure)
    }

    /// What a provider's refusal comes to; `nil` where it speaks against nobody.
    static func ailing(_ sender: String, _ host: String, _ verdict: SenderVerdict) -> SenderFinding? {
        switch verdict {
        case .taken, .dead, .stopped: nil
        case .misconfigured(let problem): ailing(sender, "\(host) \(problem.reason)", cure: problem.cure)
        case .wait(let seconds, let reason, whom: _):
            ailing(sender, "\(host) \(reason)", cure: "it asks for a pause: check again in \(seconds) s")
        case .transient(let reason, _):
            ailing(sender, "\(host) \(reason)", cure: "see whether this machine reaches it, then check again")
        case .final(let reason), .renew(let reason):
            ailing(sender, "\(host) \(reason)", cure: "see whether url leads to the right server")
        }
    }
}

extension HTTPFailure {
    /// What the operator can do about a server that could not be asked.
    fileprivate var cure: String {
        switch reason {
        case .cannotFind: "see whether the name in url is right, and whether this machine can look up names (DNS)"
        case .cannotConnect, .timedOut, .tooLate:
            "see whether url and its port are right, and whether a firewall lets this machine out to it"
        case .untrusted: "see whether url, ca_file and this machine's clock are right"
        case .forbidden: "name a server on the public internet"
        case .badCall: "see whether url is written right"
        case .tooLarge, .broken, .cancelled, .busy: "see whether url leads to the right server, and what its log says"
        }
    }
}

extension HTTPAnswer {
    /// What is wrong with a server that is to speak HTTP/2 and does not: push is sent over one connection or not at all.
    func versionProblem(_ origin: String) -> String? {
        guard origin.hasPrefix("https://"), version != "HTTP/2" else { return nil }
        return "answers in \(version.isEmpty ? "no known protocol" : version) and not in HTTP/2"
    }

    static let versionCure = "see whether a proxy stands in between, or url names another server"
}
