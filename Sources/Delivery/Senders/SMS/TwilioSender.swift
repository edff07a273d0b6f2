internal import CivilTime

/// Sends texts through Twilio.
public final class TwilioSender: Sendable {
    public struct Settings: Sendable, Equatable {
        public var account: String
        public var token: String
        var sender: TwilioMessage.Sender
        /// In place of Twilio's own server.
        public var origin: String?
        public var reports: Reports?
        public var caFile: String?
        public var limits = SenderGate.Limits(calls: 16)
    }

    /// Where Twilio is to tell what became of a text, and what the job's name there is signed with.
    public struct Reports: Sendable, Equatable {
        public var url: String
        public var secret: [UInt8]
    }

    let settings: Settings
    let client: ProviderClient
    let clock: @Sendable () -> Instant

    init(
        _ settings: Settings, patience: HTTPCall.Patience = ProviderClient.usualPatience,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.settings = settings
        self.clock = clock
        client = ProviderClient(
            route: .init(caFile: settings.caFile, connections: .single), calls: settings.limits.calls,
            connectionsMax: settings.limits.calls, patience: patience)
    }

    public var limits: SenderGate.Limits { settings.limits }

    /// Answers exactly once, on any thread.
    public func send(_ order: Order, to phone: String, answer: @escaping @Sendable (SenderVerdict) -> Void) {
        let now = clock()
        if let objection = order.objection(at: now) { return answer(objection) }
        let callback = settings.reports.map { "\($0.url)?job=\(JobToken.text(order.place, secret: $0.secret))" }
        let message = TwilioMessage(order: order, sender: settings.sender, statusCallback: callback)
        let request: ProviderRequest
        do throws(MessageObjection) {
            request = try message.request(
                to: phone, origin: origin, account: settings.account, authorization: authorization, at: now)
        } catch {
            return answer(.dead(reason: "\(error)"))
        }
        ask(request, by: order.deadline(by: clock), answer)
    }

    /// Sends a text that is no job, such as a code; it is of no use later than so many seconds from now.
    public func send(
        _ text: String, to phone: String, goodForSeconds: Int, answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        let request: ProviderRequest
        do throws(MessageObjection) {
            request = try TwilioMessage.request(
                text, to: phone, sender: settings.sender, validForSeconds: goodForSeconds,
                origin: origin, account: settings.account,
                authorization: authorization)
        } catch {
            return answer(.dead(reason: "\(error)"))
        }
        ask(request, by: Deadline(clock().advanced(bySeconds: Int64(goodForSeconds)), by: clock), answer)
    }

    private func ask(
        _ request: ProviderRequest, by deadline: Deadline?, _ answer: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        client.ask(request, mayRepeat: false, by: deadline) { result in
            guard let said = ProviderAnswer(result) else {
                guard case .failure(let failure) = result else { return }
                return answer(TwilioAnswer.verdict(failure))
            }
            answer(TwilioAnswer.verdict(said, at: self.clock()))
        }
    }

    var origin: String { settings.origin ?? "https://api.twilio.com" }

    var authorization: String { "Basic " + Base64.encode(Array("\(settings.account):\(settings.token)".utf8)) }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) { client.pool.stop(done) }
}
