internal import CivilTime
internal import Notices

extension APNsSender {
    /// Connects and shows the token to a page that nothing is sent through. Apple may say then what is wrong with the key.
    func check(_ answer: @escaping @Sendable (SenderFinding) -> Void) {
        let name = "push.apns"
        let origin = origin(.production)
        let now = clock()
        let request = ProviderRequest(
            method: .get, url: "\(origin)/3/device/",
            headers: [("authorization", "bearer \(shownToken(at: now))"), ("apns-topic", settings.topic)])
        client.ask(request, mayRepeat: true) { result in
            switch result {
            case .failure(let failure): answer(.ailing(name, origin, failure))
            case .success(let said):
                if let problem = said.versionProblem(origin) {
                    return answer(.ailing(name, "\(origin) \(problem)", cure: HTTPAnswer.versionCure))
                }
                let answered = ProviderAnswer(status: said.status, body: said.body)
                answer(Self.finding(name, "\(origin) answers over \(said.version)", origin, answered, at: now))
            }
        }
    }

    private static func finding(
        _ name: String, _ words: String, _ origin: String, _ said: ProviderAnswer, at now: Instant
    ) -> SenderFinding {
        // A page that does not exist is refused; what counts is whether the token was.
        if [403, 429].contains(said.status) || said.status >= 500 || (300...399).contains(said.status) {
            let verdict = APNsAnswer.verdict(said, registeredAt: now, topicOf: .sender, at: now)
            if case .renew(let reason) = verdict {
                return .ailing(name, "\(origin) \(reason)", cure: APNsAnswer.clockCure)
            }
            if let finding = SenderFinding.ailing(name, origin, verdict) { return finding }
        }
        return .well(name, "the key is good, and \(words); whether it takes topic and team shows `belfry test`")
    }
}

extension FCMSender {
    /// Has Google give out an access token, and connects to where messages go.
    func check(_ answer: @escaping @Sendable (SenderFinding) -> Void) {
        let name = "push.fcm"
        let tokens = access.account.tokenURI.origin
        withToken(refused: nil) { token in
            switch token {
            case .failure(let refusal):
                answer(
                    .ailing(name, tokens, refusal.verdict)
                        ?? .ailing(name, "\(tokens) gave no token", cure: "check again"))
            case .success: self.connect(name, answer)
            }
        }
    }

    private func connect(_ name: String, _ answer: @escaping @Sendable (SenderFinding) -> Void) {
        let (origin, project) = (origin, access.account.project)
        client.ask(ProviderRequest(method: .get, url: "\(origin)/", headers: []), mayRepeat: true) { result in
            switch result {
            case .failure(let failure): answer(.ailing(name, origin, failure))
            case .success(let said):
                if let problem = said.versionProblem(origin) {
                    return answer(.ailing(name, "\(origin) \(problem)", cure: HTTPAnswer.versionCure))
                }
                let words =
                    "an access token was given for project \(project), and \(origin) answers over \(said.version)"
                answer(.well(name, "\(words); whether it may send shows `belfry test`"))
            }
        }
    }
}
