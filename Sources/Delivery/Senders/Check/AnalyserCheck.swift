/// Whether the analyser of messages answers (`N10`). Nothing is asked of it: a question may cost money.
enum AnalyserCheck {
    static func finding(
        _ part: SendersDocument.Analyser, _ answer: @escaping @Sendable (SenderFinding) -> Void
    ) {
        let name = "analyser"
        guard let address = HTTPAddress(part.url) else {
            return answer(
                .ailing(name, "the URL cannot be read", cure: "name a URL such as https://host/v1/chat/completions"))
        }
        let client = ProviderClient(
            route: .init(caFile: part.server.caFile), calls: 1, connectionsMax: 1,
            patience: ProviderClient.usualPatience)
        client.ask(ProviderRequest(method: .get, url: address.origin + "/", headers: []), mayRepeat: true) { result in
            defer { client.pool.stop {} }
            switch result {
            case .success:
                answer(.well(name, "\(address.origin) answers; what the model says shows the first analysis"))
            // What it says there does not matter.
            case .failure(let failure) where failure.status != nil: answer(.well(name, "\(address.origin) answers"))
            case .failure(let failure): answer(.ailing(name, address.origin, failure))
            }
        }
    }
}
