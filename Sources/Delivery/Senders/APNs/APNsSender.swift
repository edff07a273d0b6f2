internal import CivilTime
internal import Hashing
internal import Synchronization

/// Sends to devices through Apple's servers.
///
/// Safe to share: what changes is under locks.
public final class APNsSender: Sendable {
    public struct Settings: Sendable, Equatable {
        public var keyID: String
        public var teamID: String
        /// The app's bundle id, for devices that name none.
        public var topic: String
        /// In place of Apple's own servers.
        public var origin: String?
        public var mayBeCritical = false
        public var caFile: String?
        public var limits = SenderGate.Limits(calls: 256)
    }

    let settings: Settings
    let token: Mutex<APNsToken>
    private let doubts = Mutex<[APNsAddress.Environment: EnvironmentDoubt]>([:])
    let client: ProviderClient
    let clock: @Sendable () -> Instant

    /// - Precondition: the key is of P-256.
    init(
        _ settings: Settings, key: SigningKey, patience: HTTPCall.Patience = ProviderClient.usualPatience,
        clock: @escaping @Sendable () -> Instant
    ) {
        precondition(key.algorithm == .es256, "APNs takes a P-256 key")
        self.settings = settings
        self.clock = clock
        token = Mutex(APNsToken(key: key, keyID: settings.keyID, teamID: settings.teamID))
        client = ProviderClient(
            route: .init(caFile: settings.caFile, connections: .shared), calls: settings.limits.calls,
            connectionsMax: ProviderClient.connectionsMax, patience: patience)
    }

    public var limits: SenderGate.Limits { settings.limits }

    /// Answers exactly once, on any thread.
    public func send(
        _ order: Order, to address: APNsAddress, of device: Device,
        answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        send(order, address, device, mayRenew: true) { verdict in
            answer(self.doubts.withLock { $0[address.environment, default: EnvironmentDoubt()].judge(verdict) })
        }
    }

    private func send(
        _ order: Order, _ address: APNsAddress, _ device: Device, mayRenew: Bool,
        answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let now = clock()
        if let objection = order.objection(at: now) { return answer(objection) }
        let shown = shownToken(at: now)
        let request: ProviderRequest
        do throws(MessageObjection) {
            let message = APNsMessage(order: order, mayBeCritical: settings.mayBeCritical)
            request = try message.request(
                to: address, device: device.name, origin: origin(address.environment), topic: settings.topic,
                token: shown)
        } catch {
            return answer(.final(reason: "\(error)"))
        }
        client.ask(request, mayRepeat: true, by: order.deadline(by: clock)) { result in
            guard let said = ProviderAnswer(result) else {
                guard case .failure(let failure) = result else { return }
                return answer(failure.verdict)
            }
            let now = self.clock()
            let verdict = APNsAnswer.verdict(
                said, registeredAt: device.registeredAt, topicOf: self.topicOwner(address), at: now)
            guard case .renew(let reason) = verdict else { return answer(verdict) }
            guard self.token.withLock({ $0.isRenewed(after: shown, at: now) }) else {
                return answer(.misconfigured(.init(reason, cure: APNsAnswer.clockCure)))
            }
            guard mayRenew else { return answer(verdict) }
            self.send(order, address, device, mayRenew: false, answer: answer)
        }
    }

    /// Devices may name any app: what Apple says of theirs is no word about the document's.
    private func topicOwner(_ address: APNsAddress) -> SenderVerdict.Whom {
        address.topic ?? settings.topic == settings.topic ? .sender : .address
    }

    func shownToken(at now: Instant) -> String { token.withLock { $0.text(at: now) } }

    func origin(_ environment: APNsAddress.Environment) -> String {
        if let origin = settings.origin { return origin }
        switch environment {
        case .production: return "https://api.push.apple.com"
        case .sandbox: return "https://api.sandbox.push.apple.com"
        }
    }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) { client.pool.stop(done) }
}
