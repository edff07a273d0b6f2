internal import CivilTime
internal import Notices

extension EmailSender {
    /// Goes as far as a mail would: greeting, encryption and sign-in.
    func check(_ answer: @escaping @Sendable (SenderFinding) -> Void) {
        let name = "email.smtp"
        let relay = settings.relay
        let url = relay.address.url
        let call = MailCall(relay: relay, errand: .greeting, patience: ProviderClient.usualPatience)
        pool.ask(call) { result in
            switch result {
            case .failure(let failure):
                if let doubt = relay.address.doubt, failure.isOfSpeaking {
                    return answer(.ailing(name, "\(url) \(failure)", cure: doubt))
                }
                guard failure.isWithoutEncryption else { return answer(.ailing(name, url, failure)) }
                answer(
                    .ailing(
                        name, "\(url) offers no encryption (STARTTLS)",
                        cure: "name its port for submission (587), or smtps:// where the connection begins encrypted"))
            case .success(let reply):
                if let ailing = SenderFinding.ailing(name, url, EmailAnswer.verdict(reply)) { return answer(ailing) }
                let known = relay.user == nil ? "" : " and signs us in"
                answer(
                    .well(name, "\(url) greets us\(known); whether it takes mail from this address shows `belfry test`")
                )
            }
        }
    }
}

extension TwilioSender {
    /// Looks at the account.
    func check(_ answer: @escaping @Sendable (SenderFinding) -> Void) {
        let (name, origin) = ("sms.twilio", origin)
        let request = ProviderRequest(
            method: .get, url: "\(origin)/2010-04-01/Accounts/\(settings.account).json",
            headers: [("Authorization", authorization)])
        client.ask(request, mayRepeat: true) { result in
            switch result {
            case .failure(let failure): answer(.ailing(name, origin, failure))
            case .success(let said):
                answer(Self.finding(name, origin, ProviderAnswer(status: said.status, body: said.body), self.clock()))
            }
        }
    }

    private static func finding(
        _ name: String, _ origin: String, _ said: ProviderAnswer, _ now: Instant
    ) -> SenderFinding {
        // A look at the account is no text: nothing was sent that could come twice.
        let isRefusal = !(200...299).contains(said.status)
        if isRefusal, let ailing = SenderFinding.ailing(name, origin, TwilioAnswer.verdict(said, at: now)) {
            return ailing
        }
        guard let account = said.json, let status = account["status"]?.string else {
            return .ailing(name, "\(origin) answered no account", cure: "see whether url leads to Twilio")
        }
        guard status == "active" else {
            return .ailing(
                name, "the account is \(Plain.line(status))",
                cure: "open it again in Twilio's console: it may need money")
        }
        let isTrial = account["type"]?.string == "Trial"
        return .well(
            name,
            isTrial
                ? "the account is active; as a trial it texts only numbers that it has verified"
                : "the account is active")
    }
}
