public import CivilTime
internal import Hashing
public import Notices

/// Reports by Standard Webhooks 1.0, for providers that sign so and for gateways of one's own: a body
/// `{"job": the job's id, "channel": …, "status": …, "permanent"?, "code"?, "provider_id"?, "at"?}`.
public struct StandardReports: Sendable {
    let secrets: WebhookSecrets

    public init(secrets: WebhookSecrets) { self.secrets = secrets }

    public func read(_ report: IncomingReport, at now: Instant) throws(ReportRefusal) -> [ProviderReport] {
        guard let id = report.headers["webhook-id"], let time = report.headers["webhook-timestamp"],
            let signatures = report.headers["webhook-signature"]
        else { throw .unsigned }
        guard let seconds = Int64(time), seconds.magnitude < 1 << 40 else { throw .wrongSignature }
        let own = secrets.signature(id: id, at: Instant(seconds: seconds), body: report.body).split(separator: " ")
        // Every pair is compared, whichever fits: so the time tells nothing.
        let isOurs = signatures.split(separator: " ").prefix(Self.signaturesMax).filter { given in
            own.filter { Authentication.areEqual(Array($0.utf8), Array(given.utf8)) }.count > 0
        }
        guard !isOurs.isEmpty, "\(seconds)" == time else { throw .wrongSignature }
        guard IncomingReport.isRecent(time, at: now) else { throw .outOfTime }
        do throws(FieldError) {
            var body = try StandardReport(report.body)
            body.read.id = "standard:\(id)"
            return [body.read]
        } catch {
            throw .field(error)
        }
    }

    /// A field as the worker's log names it: not by a name that is nobody's here, which may say who somebody is.
    public static func logged(_ problem: FieldError) -> String {
        problem.path.isEmpty || StandardReport.hasField(problem.path) ? problem.path : "an unknown field"
    }

    private static let signaturesMax = 16
}
