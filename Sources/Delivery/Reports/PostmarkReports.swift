internal import CivilTime
internal import Hashing
internal import Notices

/// What Postmark says of a mail. It signs nothing: the URL it is told holds a user and a password.
public struct PostmarkReports: Sendable {
    let authorization: [UInt8]
    let secrets: [[UInt8]]

    public init(user: String, password: String, secrets: [[UInt8]]) {
        authorization = Array("Basic \(Base64.encode(Array("\(user):\(password)".utf8)))".utf8)
        self.secrets = secrets
    }

    public func read(_ report: IncomingReport) throws(ReportRefusal) -> [ProviderReport] {
        guard let given = report.headers["authorization"] else { throw .unsigned }
        guard Authentication.areEqual(Array(given.utf8), authorization) else { throw .wrongSignature }
        guard let event = ProviderAnswer(status: 200, body: report.body).json, let kind = event["RecordType"]?.string
        else { throw .malformed }
        // What an operator changes by hand is about no mail, and names none.
        if kind == "SubscriptionChange", Self.suppression(event) == nil { return [] }
        guard let message = ProviderAnswer.providerID(event["MessageID"]?.string) else { throw .malformed }
        return self.report(event, kind, message).map { [$0] } ?? []
    }

    private func report(_ event: JSONValue, _ kind: String, _ message: String) -> ProviderReport? {
        // Metadata comes back as the mail's header `X-PM-Metadata-job` sent it; else the token of the Message-ID.
        let named = event["Metadata"]?["job"]?.string.flatMap { JobToken.place(of: $0, secrets: secrets) }
        var report = ProviderReport(
            id: "postmark:\(message):\(kind)", job: named.map { .place($0) }, providerID: message, status: .delivered)
        switch kind {
        case "Delivery": break
        case "Bounce":
            report.id += ":\(event["ID"]?.integer ?? 0)"
            report.code = ProviderReport.code(event["Type"]?.string) ?? event["TypeCode"]?.integer.map { "\($0)" }
            report.isPermanent = event["Inactive"]?.bool ?? false
            report.status = report.isPermanent ? .bounced : .failed
            guard let type = BounceType(event) else { break }
            if type == .unsubscribe {
                (report.status, report.isPermanent) = (.unsubscribed, false)
            } else if !report.isPermanent {
                return nil
            }
        case "SpamComplaint":
            report.id += ":\(event["ID"]?.integer ?? 0)"
            (report.status, report.isPermanent) = (.complained, true)
        case "SubscriptionChange":
            guard let suppression = Self.suppression(event) else { return nil }
            // It has no number of its own, and the same mail's list may be left, joined and left again.
            report.id += ":\(event["ChangedAt"]?.string.flatMap { ReportTime.instant($0) }?.description ?? "")"
            report.code = ProviderReport.code(event["SuppressionReason"]?.string)
            (report.status, report.isPermanent) = (suppression.status, suppression.isPermanent)
        default: return nil
        }
        let times = ["DeliveredAt", "BouncedAt", "ChangedAt"]
        report.at = times.lazy.compactMap { event[$0]?.string }.first.flatMap { ReportTime.instant($0) }
        return report
    }

    /// Why Postmark sends nothing more to an address. `nil` where it sends again, and where an operator has put the address on
    /// its list: the person has said nothing, and the address may be alive.
    private static func suppression(_ event: JSONValue) -> (status: ProviderReport.Status, isPermanent: Bool)? {
        guard event["SuppressSending"]?.bool == true else { return nil }
        switch (event["SuppressionReason"]?.string, event["Origin"]?.string) {
        case ("HardBounce", _): return (.bounced, true)
        case ("SpamComplaint", _): return (.complained, true)
        case ("ManualSuppression", "Recipient"): return (.unsubscribed, false)
        default: return nil
        }
    }
}

/// What Postmark calls a bounce and is none, by its word and its number: an answer to a mail that came, a delay, or the person's
/// own wish. Every other type is a failure.
private enum BounceType: String, CaseIterable {
    /// It may come yet: Postmark tries on.
    case transient = "Transient"
    case unsubscribe = "Unsubscribe"
    case subscribe = "Subscribe"
    case autoResponder = "AutoResponder"
    case addressChange = "AddressChange"
    case openRelayTest = "OpenRelayTest"
    case challengeVerification = "ChallengeVerification"

    init?(_ event: JSONValue) {
        if let word = event["Type"]?.string {
            self.init(rawValue: word)
        } else {
            guard let code = event["TypeCode"]?.integer, let type = Self.allCases.first(where: { $0.code == code })
            else { return nil }
            self = type
        }
    }

    private var code: Int {
        switch self {
        case .transient: 2
        case .unsubscribe: 16
        case .subscribe: 32
        case .autoResponder: 64
        case .addressChange: 128
        case .openRelayTest: 1024
        case .challengeVerification: 16384
        }
    }
}
