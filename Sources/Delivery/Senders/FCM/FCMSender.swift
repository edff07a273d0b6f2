internal import CivilTime
internal import Notices
internal import Synchronization

/// Sends to apps through Firebase Cloud Messaging (HTTP v1), one message a call.
///
/// Safe to share: what changes is under a lock.
public final class FCMSender: Sendable {
    public struct Settings: Sendable, Equatable {
        /// In place of Google's own server.
        public var origin: String?
        /// Where a click on a message in a browser leads that names no page.
        public var page: String?
        public var caFile: String?
        public var limits = SenderGate.Limits(calls: 256)
    }

    typealias Caller = @Sendable (Result<String, Refusal>) -> Void

    /// Why there is no access token.
    struct Refusal: Error, Sendable {
        var verdict: SenderVerdict
    }

    let settings: Settings
    let access: GoogleAccess
    private let tokens = Mutex(AccessTokens<Caller>())
    private let doubt = Mutex(LimitDoubt())
    let client: ProviderClient
    let clock: @Sendable () -> Instant

    init(
        _ settings: Settings, account: ServiceAccount, patience: HTTPCall.Patience = ProviderClient.usualPatience,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.settings = settings
        self.clock = clock
        access = GoogleAccess(account: account)
        client = ProviderClient(
            route: .init(caFile: settings.caFile, connections: .shared), calls: settings.limits.calls,
            connectionsMax: ProviderClient.connectionsMax, patience: patience)
    }

    public var limits: SenderGate.Limits { settings.limits }

    /// Answers exactly once, on any thread.
    public func send(
        _ order: Order, to address: FCMAddress, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        send(order, address, refused: nil) { verdict in
            answer(self.doubt.withLock { $0.judge(verdict, of: address.value) })
        }
    }

    private func send(
        _ order: Order, _ address: FCMAddress, refused: String?, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        withToken(refused: refused) { token in
            switch token {
            case .failure(let refusal): answer(refusal.verdict)
            case .success(let token):
                self.send(order, address, token: token, mayRenew: refused == nil, answer: answer)
            }
        }
    }

    private func send(
        _ order: Order, _ address: FCMAddress, token: String, mayRenew: Bool,
        answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let now = clock()
        if let objection = order.objection(at: now) { return answer(objection) }
        let request: ProviderRequest
        do throws(MessageObjection) {
            request = try FCMMessage(order: order, page: settings.page).request(
                to: address, origin: origin,
                project: access.account.project, token: token, at: now)
        } catch {
            return answer(.final(reason: "\(error)"))
        }
        client.ask(request, mayRepeat: true, by: order.deadline(by: clock)) { result in
            guard let said = ProviderAnswer(result) else {
                guard case .failure(let failure) = result else { return }
                return answer(failure.verdict)
            }
            let verdict = FCMAnswer.verdict(said, at: self.clock())
            guard case .renew(let reason) = verdict else { return answer(verdict) }
            if mayRenew { return self.send(order, address, refused: token, answer: answer) }
            answer(
                .misconfigured(
                    .init(reason, cure: "a new access token is refused too: see whether the key file was revoked")))
        }
    }

    var origin: String { settings.origin ?? "https://fcm.googleapis.com" }

    func withToken(refused: String?, _ caller: @escaping Caller) {
        switch tokens.withLock({ $0.action(for: caller, refused: refused, at: clock()) }) {
        case .use(let token): caller(.success(token))
        case .wait: break
        case .ask: askForToken()
        }
    }

    private func askForToken() {
        let request = ProviderRequest(
            url: access.account.tokenURI.url, headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: access.form(at: clock()))
        client.ask(request, mayRepeat: true) { result in
            let now = self.clock()
            let answer = Self.token(result, at: now)
            let token = try? answer.get()
            let callers = self.tokens.withLock { $0.came(token, at: now) }
            for caller in callers { caller(answer.map(\.text)) }
        }
    }

    private static func token(
        _ result: Result<HTTPAnswer, HTTPFailure>, at now: Instant
    ) -> Result<(text: String, seconds: Int), Refusal> {
        guard let said = ProviderAnswer(result) else {
            guard case .failure(let failure) = result else { return .failure(Refusal(verdict: .transient(reason: ""))) }
            return .failure(Refusal(verdict: failure.verdict))
        }
        guard said.status == 200 else { return .failure(Refusal(verdict: FCMAnswer.tokenVerdict(said, at: now))) }
        guard let json = said.json, let text = json["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return .failure(Refusal(verdict: .transient(reason: "answered no access token"))) }
        return .success((text, json["expires_in"]?.integer ?? 0))
    }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) { client.pool.stop(done) }
}
