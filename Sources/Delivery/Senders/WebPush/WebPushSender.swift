internal import CivilTime
internal import Hashing
internal import Synchronization

/// Sends to browsers through whatever push service each of them named.
///
/// Safe to share: what changes is under a lock.
public final class WebPushSender: Sendable {
    public struct Settings: Sendable, Equatable {
        /// `mailto:` or `https:`, so that push services can turn to someone.
        public var subject: String
        /// Where a click leads on a message that names no page.
        public var page: String
        /// Origins that may be of a private network: the operator's own, for trying things out.
        public var trustedOrigins: Set<String> = []
        public var caFile: String?
        public var limits = SenderGate.Limits(calls: 128)
    }

    private let settings: Settings
    private let tokens: Mutex<VAPIDTokens>
    /// By origin.
    private let doubts = Mutex<[String: Doubts]>([:])
    private let client: ProviderClient
    /// For services that clients named. They may hang by the hundred, and would hold the connections that the others need.
    private let clientOfNamed: ProviderClient
    private let clock: @Sendable () -> Instant

    /// Push services are many: each has connections of its own.
    private static let connectionsMax = 64

    /// - Precondition: the key is of P-256.
    init(
        _ settings: Settings, key: SigningKey, patience: HTTPCall.Patience = ProviderClient.usualPatience,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.settings = settings
        self.clock = clock
        tokens = Mutex(VAPIDTokens(key: key, subject: settings.subject))
        let route = HTTPCall.Route(caFile: settings.caFile, connections: .shared, mustBePublic: true)
        let ownMax = WellKnownPushService.allCases.count + settings.trustedOrigins.count
        client = ProviderClient(
            route: route, calls: settings.limits.calls, lanes: ownMax,
            connectionsMax: Self.connectionsMax, patience: patience)
        // And the lane that the rest share.
        clientOfNamed = ProviderClient(
            route: route, calls: settings.limits.calls, lanes: PostLanes.namedMax + 1,
            connectionsMax: Self.connectionsMax, patience: patience)
    }

    public var limits: SenderGate.Limits { settings.limits }

    /// Answers exactly once, on any thread.
    public func send(
        _ order: Order, to subscription: WebPushSubscription, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let now = clock()
        let origin = subscription.endpoint.origin
        if let objection = order.objection(at: now) { return answer(objection) }
        let authorization = tokens.withLock { $0.authorization(for: origin, at: now) }
        let request: ProviderRequest
        do throws(MessageObjection) {
            request = try WebPushMessage(order: order, page: settings.page).request(
                to: subscription, authorization: authorization, at: now)
        } catch {
            if case .badAddress = error { return answer(.dead(reason: "\(error)")) }
            return answer(.final(reason: "\(error)"))
        }
        let service = PushService(origin: origin, trusted: settings.trustedOrigins)
        (service.isOfClients ? clientOfNamed : client).ask(
            request, mayRepeat: true, mustBePublic: !settings.trustedOrigins.contains(origin),
            by: order.deadline(by: clock)
        ) { result in
            guard let said = ProviderAnswer(result) else {
                guard case .failure(let failure) = result else { return }
                if case .wellKnown(let known) = service { return answer(known.verdict(of: failure)) }
                return answer(failure.verdict)
            }
            let verdict = WebPushAnswer.verdict(said, origin: origin, at: self.clock())
            answer(self.judged(verdict, subscription.endpoint))
        }
    }

    private func judged(_ verdict: SenderVerdict, _ endpoint: WebPushEndpoint) -> SenderVerdict {
        doubts.withLock { doubts in
            if doubts[endpoint.origin] == nil, doubts.count >= VAPIDTokens.originsMax { doubts = [:] }
            return doubts[endpoint.origin, default: Doubts()].judge(verdict, of: endpoint.url)
        }
    }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) {
        let left = Countdown(2, done)
        for one in [client, clientOfNamed] { one.pool.stop { left.one() } }
    }
}

/// What may be one subscription's, or a push service's for all.
private struct Doubts {
    private var limits = LimitDoubt()
    private var refusals = RefusalDoubt()

    mutating func judge(_ verdict: SenderVerdict, of address: String) -> SenderVerdict {
        limits.judge(refusals.judge(verdict, of: address), of: address)
    }
}
