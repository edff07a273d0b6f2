internal import CivilTime
internal import Notices

/// Who reads which provider's reports, each with its own secret. A provider that the document says nothing of has none.
struct ReportReaders: Sendable {
    var twilio: TwilioReports?
    let sendGrid: SendGridReports?
    let ses: NotificationServiceReports?
    let postmark: PostmarkReports?
    let standard: StandardReports?

    init(
        _ document: SendersDocument, _ secrets: [[UInt8]], _ files: inout NamedSecrets
    ) throws(SendersError) {
        if let part = document.twilio, let publicURL = document.publicURL {
            let token = try files.word(part.tokenFile, for: "sms.twilio.token_file")
            twilio = TwilioReports(url: "\(publicURL)/v1/providers/twilio", token: token, secrets: secrets)
        } else {
            twilio = nil
        }
        sendGrid = try Self.sendGrid(document.reports, secrets, &files)
        ses = document.reports.sesTopic.map { NotificationServiceReports(topic: $0, secrets: secrets) }
        postmark = try Self.postmark(document.reports, secrets, &files)
        standard = try Self.standard(document.reports, &files)
    }

    static func sendGrid(
        _ reports: SendersDocument.Reports, _ secrets: [[UInt8]], _ files: inout NamedSecrets
    ) throws(SendersError) -> SendGridReports? {
        guard let file = reports.sendGridKeyFile else { return nil }
        let path = "reports.sendgrid.key_file"
        let text = String(decoding: try files.bytes(file, for: path), as: UTF8.self)
        guard let reports = SendGridReports(key: text, secrets: secrets) else {
            throw SendersError(path, "names \(file), which does not hold SendGrid's verification key")
        }
        return reports
    }

    static func postmark(
        _ reports: SendersDocument.Reports, _ secrets: [[UInt8]], _ files: inout NamedSecrets
    ) throws(SendersError) -> PostmarkReports? {
        guard let part = reports.postmark else { return nil }
        let password = try files.word(part.passwordFile, for: "reports.postmark.password_file")
        return PostmarkReports(user: part.user, password: password, secrets: secrets)
    }

    static func standard(
        _ reports: SendersDocument.Reports, _ files: inout NamedSecrets
    ) throws(SendersError) -> StandardReports? {
        guard let file = reports.standardSecretFile else { return nil }
        let path = "reports.standard.secret_file"
        let text = String(decoding: try files.bytes(file, for: path), as: UTF8.self)
        do throws(WebhookSecretError) { return StandardReports(secrets: try WebhookSecrets(text)) } catch {
            throw SendersError(path, "names \(file): \(error)")
        }
    }
}

/// Whose reports can be taken, as the path of a report names them.
enum ReportSource: String {
    case twilio, sendgrid, postmark, standard, ses
}

extension ReportReaders {
    func take(_ source: ReportSource) -> Bool {
        switch source {
        case .twilio: twilio != nil
        case .sendgrid: sendGrid != nil
        case .postmark: postmark != nil
        case .standard: standard != nil
        case .ses: ses != nil
        }
    }
}
