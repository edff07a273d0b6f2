/// Whether a server answers at all. It is asked for its front page: a job would be a job, and a question may cost money.
enum AnswerCheck {
    static func finding(
        _ name: String, _ address: HTTPAddress, _ caFile: String?, _ words: String,
        _ answer: @escaping @Sendable (SenderFinding) -> Void
    ) {
        let client = ProviderClient(
            route: .init(caFile: caFile), calls: 1, connectionsMax: 1, patience: ProviderClient.usualPatience)
        client.ask(ProviderRequest(method: .get, url: address.origin + "/", headers: []), mayRepeat: true) { result in
            defer { client.pool.stop {} }
            switch result {
            case .success: answer(.well(name, words))
            // What it says there does not matter.
            case .failure(let failure) where failure.status != nil: answer(.well(name, words))
            case .failure(let failure): answer(.ailing(name, address.origin, failure))
            }
        }
    }
}
