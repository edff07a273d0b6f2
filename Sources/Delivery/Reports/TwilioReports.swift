internal import Hashing

/// What Twilio says of a text: HMAC-SHA1 with the account's token, over the URL that it was told and the form.
public struct TwilioReports: Sendable {
    /// What Twilio was told: the public URL and the path, without the query.
    let url: String
    let token: [UInt8]
    /// What job tokens were signed with.
    let secrets: [[UInt8]]

    public init(url: String, token: String, secrets: [[UInt8]]) {
        (self.url, self.token, self.secrets) = (url, Array(token.utf8), secrets)
    }

    public func read(_ report: IncomingReport) throws(ReportRefusal) -> [ProviderReport] {
        guard let signature = report.headers["x-twilio-signature"] else { throw .unsigned }
        guard let form = FormFields(String(decoding: report.body, as: UTF8.self)) else { throw .wrongSignature }
        let query = report.target.firstIndex(of: "?").map { String(report.target[$0...]) } ?? ""
        // Each is computed, whichever it is.
        let isSigned = urls.map {
            Authentication.areEqual(Array(signature.utf8), Array(self.signature($0 + query, form).utf8))
        }
        guard isSigned.contains(true) else { throw .wrongSignature }
        guard let sid = form["MessageSid"] ?? form["SmsSid"] else { throw .malformed }
        let told = form["MessageStatus"] ?? form["SmsStatus"]
        // What a person texted has no status in its shortest form.
        if told == "received" || told == nil && form["Body"] != nil && form["From"] != nil {
            return Self.said(form, sid).map { [$0] } ?? []
        }
        guard let status = told else { throw .malformed }
        let known = FormFields(query.dropFirst())?["job"].flatMap { JobToken.place(of: $0, secrets: secrets) }
        return Self.report(sid, status, code: form["ErrorCode"], known).map { [$0] } ?? []
    }

    /// With the port and without it: Twilio signs now the one and now the other, and its own library believes both.
    private var urls: [String] {
        guard let start = url.firstRange(of: "://")?.upperBound else { return [url] }
        let end = url[start...].firstIndex(of: "/") ?? url.endIndex
        let (scheme, host, path) = (url[..<start], url[start..<end], url[end...])
        // What stands in brackets is an address with colons of its own.
        let port = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        guard let port else { return [url, "\(scheme)\(host):\(scheme == "https://" ? 443 : 80)\(path)"] }
        return [url, "\(scheme)\(host[..<port])\(path)"]
    }

    private func signature(_ url: String, _ form: FormFields) -> String {
        // Sorted by their bytes; a field that is there twice with one value counts once.
        let fields = form.all.sorted { left, right in
            left.name.utf8.elementsEqual(right.name.utf8)
                ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
        var message = Array(url.utf8)
        var last: (name: String, value: String)?
        for field in fields where last?.name != field.name || last?.value != field.value {
            message += Array(field.name.utf8) + Array(field.value.utf8)
            last = field
        }
        return Base64.encode(Authentication.hmacSHA1(message, key: token))
    }

    /// What a person texted to the number that texts come from: `nil` unless it asks for no more of them, or for more again. Twilio
    /// says by itself what it made of it, where the account has "Advanced Opt-Out".
    private static func said(_ form: FormFields, _ sid: String) -> ProviderReport? {
        guard let number = form["From"] else { return nil }
        let word = (form["OptOutType"] ?? form["Body"] ?? "").uppercased()
            .filter { !$0.isWhitespace && $0 != "." && $0 != "!" }
        let status: ProviderReport.Status
        if stops.contains(word) {
            status = .unsubscribed
        } else if starts.contains(word) {
            status = .resubscribed
        } else {
            return nil
        }
        return ProviderReport(
            id: "twilio:\(sid):\(status.rawValue)", job: .saidFrom(number: number), providerID: sid, status: status)
    }

    /// The words at which Twilio itself sends nothing more, and those at which it does again: alone, in any case.
    private static let stops: Set = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"]
    private static let starts: Set = ["START", "YES", "UNSTOP"]

    /// `nil` for what is on its way still.
    private static func report(_ sid: String, _ status: String, code: String?, _ place: JobPlace?) -> ProviderReport? {
        let said: ProviderReport.Status
        switch status {
        case "delivered", "read": said = .delivered
        case "undelivered", "failed": said = .failed
        default: return nil
        }
        let told = ProviderReport.code(code)
        let code = told.flatMap { Int($0) }
        var report = ProviderReport(
            id: "twilio:\(sid):\(said.rawValue)", job: place.map { .place($0) }, providerID: sid, status: said)
        report.code = told
        report.isPermanent = code.map { TwilioAnswer.deadNumber.contains($0) } ?? false
        report.isStopped = code == TwilioAnswer.stoppedNumber
        if code == 30036 { report.status = .expired }
        return report
    }
}
