internal import CivilTime
internal import Notices

extension ProviderAnswer {
    /// The body where it is JSON; `nil` for HTML, for nothing, and for what is too deep or too long.
    var json: JSONValue? {
        let limits = JSONLimits(bytesMax: Self.jsonBytesMax, depthMax: 16)
        return body.withUnsafeBytes { bytes in
            guard !bytes.isEmpty, let node = try? JSONTape(limits: limits).parse(bytes) else { return nil }
            return JSONValue(node)
        }
    }

    private static let jsonBytesMax = 64 << 10

    /// The wait that the provider asks for, if it does.
    func retryAfter(at now: Instant) -> Int? { headers["retry-after"].flatMap { RetryAfter.seconds($0, at: now) } }

    /// "answered 400 BadTopic": a code of the provider's own behind the status, if it looks like one.
    func reason(_ code: String? = nil) -> String {
        guard let code, (1...64).contains(code.utf8.count), code.utf8.allSatisfy(Self.isOfCode) else {
            return "answered \(status)"
        }
        return "answered \(status) \(code)"
    }

    /// Words that a provider chose freely may hold anything, an address too.
    private static func isOfCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A status that says yes, above a body that the provider never sends: something else answered in its place, such as a
    /// proxy or the page of a network that wants a sign-in. Nobody has the job.
    ///
    /// - Parameter mayRepeat: whether it does no harm to send it again, in case the provider has it all the same.
    func notFrom(_ provider: String, without what: String, mayRepeat: Bool = true) -> SenderVerdict {
        let doubt = mayRepeat ? "" : "; \(TwilioAnswer.notAgain)"
        return .misconfigured(
            .init(
                "answered \(status) without \(what), as \(provider) never does\(doubt)",
                cure: "see whether url leads to \(provider), and not to a proxy or a page", mayRepeat: mayRepeat))
    }

    /// What the provider calls the job, if that can be recorded.
    static func providerID(_ text: String?) -> String? {
        guard var text else { return nil }
        return text.withUTF8 { Token.accepts(UnsafeRawBufferPointer($0)) && $0.count <= 256 } ? text : nil
    }

    /// How long a limit is waited for that does not say how long.
    private static let limitSeconds = 60

    /// To come again when the provider says, or after a minute.
    func limit(of whom: SenderVerdict.Whom, _ reason: String, at now: Instant) -> SenderVerdict {
        .wait(seconds: retryAfter(at: now) ?? Self.limitSeconds, reason: reason, whom: whom)
    }

    /// What a status means wherever a provider has nothing of its own to say.
    func usualVerdict(at now: Instant, code: String? = nil) -> SenderVerdict {
        switch status {
        case 429:
            limit(of: .sender, reason(code), at: now)
        case 500...599:
            if let seconds = retryAfter(at: now) {
                .wait(seconds: seconds, reason: reason(code), whom: .sender)
            } else {
                .transient(reason: reason(code))
            }
        case 408, 425:
            .transient(reason: reason(code))
        case 300...399:
            .misconfigured(
                .init(
                    "\(reason(code)); redirects are not followed", cure: "name the URL that it leads to, if it is right"
                ))
        default:
            .final(reason: reason(code))
        }
    }
}

extension HTTPFailure {
    /// What it means that no status came, where sending twice does no harm: the job has a key.
    var verdict: SenderVerdict {
        switch reason {
        case .tooLate: .tooLate
        case .badCall: .final(reason: "\(self)")
        case .forbidden: .final(reason: "\(self)")
        case .untrusted:
            .misconfigured(
                .init("\(self)", cure: "see whether url, ca_file and this machine's clock are right"))
        // Our own pool is full, and nobody was asked: that is no failure of the job's, nor of whoever it goes to.
        case .busy: .wait(seconds: 1, reason: "\(self)", whom: .sender)
        case .cannotFind, .cannotConnect, .timedOut, .tooLarge, .broken, .cancelled:
            .transient(reason: "\(self)")
        }
    }
}
