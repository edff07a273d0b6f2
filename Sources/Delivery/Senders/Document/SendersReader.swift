internal import Notices

/// Reads the senders' document part by part, each with what its provider allows.
struct SendersReader {
    private var root: DocumentReader
    private let folder: String

    init(_ root: DocumentReader, folder: String) {
        self.root = root
        self.folder = folder
    }

    mutating func read(into document: inout SendersDocument) throws(SendersError) {
        document.publicURL = try root.parsed("public_url", "an https: URL without a path, query or password") {
            HTTPAddress.publicURL($0)
        }
        document.secretFile = try path("secret_file", &root)
        try readPush(&document)
        if var email = try root.part("email") {
            if try email.flag("fallback") ?? false { document.fallback.insert(.email) }
            if var part = try email.part("smtp") { document.smtp = try smtp(&part) }
            try readSink(for: .email, &email, besides: document.smtp == nil ? [] : ["smtp"], into: &document)
        }
        if var sms = try root.part("sms") {
            if try sms.flag("fallback") ?? false { document.fallback.insert(.sms) }
            if var part = try sms.part("twilio") { document.twilio = try twilio(&part) }
            try readSink(for: .sms, &sms, besides: document.twilio == nil ? [] : ["twilio"], into: &document)
        }
        // The app shows what is in it by itself: nobody but a sink sends it anywhere.
        if var inApp = try root.part("in_app") { try readSink(for: .inApp, &inApp, besides: [], into: &document) }
        if var all = try root.part("all") { try readSink(for: nil, &all, besides: [], into: &document) }
        if var part = try root.part("reports") { document.reports = try reports(&part) }
        if var part = try root.part("analyser") { document.analyser = try analyser(&part) }
        try root.finish()
        guard document.smtp != nil else { return }
        // Every mail has a link that stops it (N6).
        guard document.publicURL != nil else { throw SendersError("public_url", "is missing; mails link to it") }
    }

    private mutating func readPush(_ document: inout SendersDocument) throws(SendersError) {
        guard var push = try root.part("push") else { return }
        if try push.flag("fallback") ?? false { document.fallback.insert(.push) }
        if var part = try push.part("apns") { document.apns = try apns(&part) }
        if var part = try push.part("fcm") { document.fcm = try fcm(&part) }
        if var part = try push.part("webpush") {
            document.webPush = try webPush(&part)
            guard document.webPush?.page != nil || document.publicURL != nil else {
                throw SendersError("push.webpush.page", "is missing; a click leads there, or to public_url")
            }
        }
        let named = [
            document.apns.map { _ in "apns" }, document.fcm.map { _ in "fcm" }, document.webPush.map { _ in "webpush" },
        ]
        try readSink(for: .push, &push, besides: named.compactMap(\.self), into: &document)
    }

    // MARK: Sinks

    /// Reads the sink of a channel, or of all, and ends its part. A job is handed to one or the other: whoever had it from a
    /// provider would have it from the sink's reader once more.
    ///
    /// - Parameter providers: those that are named beside it.
    private func readSink(
        for channel: Channel?, _ part: inout DocumentReader, besides providers: [String],
        into document: inout SendersDocument
    ) throws(SendersError) {
        var found: [(name: String, kind: SendersDocument.SinkPart.Kind)] = []
        if let inner = try part.part("stdout") {
            try inner.finish()
            found.append(("stdout", .stdout))
        }
        if var inner = try part.part("spool") {
            found.append(("spool", .spool(directory: try neededPath("directory", &inner))))
            try inner.finish()
        }
        if var inner = try part.part("webhook") { found.append(("webhook", .webhook(try webhook(&inner)))) }
        try part.finish()
        guard let (name, kind) = found.first else {
            // What has only `fallback` in it names nobody, as before.
            if channel == nil || channel == .inApp { throw SendersError(part.path, "names no sink: \(Self.sinks)") }
            return
        }
        guard let other = (providers + found.dropFirst().map(\.name)).first else {
            return document.sinks.append(.init(path: part.place(of: name), channel: channel, kind: kind))
        }
        throw SendersError(
            part.path,
            "names both \(other) and \(name): a channel has its providers, or one sink that takes their place")
    }

    private static let sinks = "write stdout, spool or webhook"

    private func webhook(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.Webhook {
        let url = try part.parsed("url", "a URL of http or https without a password or a query (url_file is for those)")
        {
            HTTPAddress($0)?.holdsCredentials == false ? $0 : nil
        }
        let file = try path("url_file", &part)
        let place: SendersDocument.Webhook.Place
        switch (url, file) {
        case (let url?, nil): place = .url(url)
        case (nil, let file?): place = .file(file)
        case (nil, nil):
            throw SendersError(part.place(of: "url"), "is missing; name it, or the file with it as url_file")
        case (_?, _?): throw SendersError(part.place(of: "url_file"), "stands beside url: name one of them")
        }
        let read = SendersDocument.Webhook(
            place: place, secretFile: try neededPath("secret_file", &part), server: try server(&part, hasURL: false))
        try part.finish()
        return read
    }

    private func apns(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.APNs {
        let read = SendersDocument.APNs(
            keyFile: try neededPath("key_file", &part), keyID: try part.needed("key_id"),
            teamID: try part.needed("team_id"), topic: try part.needed("topic"),
            mayBeCritical: try part.flag("critical_alerts") ?? false, server: try server(&part))
        for (name, value) in [("key_id", read.keyID), ("team_id", read.teamID)] where !Self.isAppleID(value) {
            throw SendersError(part.place(of: name), "is not 10 letters and digits")
        }
        guard APNsAddress(token: String(repeating: "0", count: 64), topic: read.topic) != nil else {
            throw SendersError(part.place(of: "topic"), "is not the bundle id of an app")
        }
        try part.finish()
        return read
    }

    private static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    private func fcm(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.FCM {
        let read = SendersDocument.FCM(keyFile: try neededPath("key_file", &part), server: try server(&part))
        try part.finish()
        return read
    }

    private func webPush(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.WebPush {
        let subject = try part.needed("subject")
        if let objection = VAPIDTokens.objection(to: subject) {
            throw SendersError(part.place(of: "subject"), objection)
        }
        let trusted = try part.texts("trusted", most: 64) ?? []
        for (place, origin) in trusted.enumerated() {
            guard origin.hasPrefix("https://"), let address = HTTPAddress(origin), address.origin == origin else {
                throw SendersError(
                    "\(part.place(of: "trusted"))[\(place)]", "is not an origin such as https://localhost:8443")
            }
        }
        let read = SendersDocument.WebPush(
            keyFile: try neededPath("key_file", &part), subject: subject,
            page: try part.parsed("page", "an https: URL") {
                $0.hasPrefix("https://") && HTTPAddress($0) != nil ? $0 : nil
            },
            trusted: trusted, server: try server(&part, hasURL: false))
        try part.finish()
        return read
    }

    private func smtp(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.SMTP {
        let url = try part.parsed("url", "smtp://host:587 or smtps://host, without a path or password") {
            MailRelayAddress($0) == nil ? nil : $0
        }
        let from = try part.parsed("from", "an address such as Name <name@example.org>") {
            Mailbox(written: $0) == nil ? nil : $0
        }
        let bounceDomain = try part.parsed("bounce_domain", "a domain") { Mailbox("bounce@\($0)") == nil ? nil : $0 }
        let read = SendersDocument.SMTP(
            url: try there(url, "url", part), user: try part.text("user"),
            passwordFile: try path("password_file", &part),
            from: try there(from, "from", part), bounceDomain: bounceDomain,
            server: try server(&part, hasURL: false, callsMax: MailPool.callsMax))
        guard (read.user == nil) == (read.passwordFile == nil) else {
            throw SendersError(
                part.place(of: read.user == nil ? "user" : "password_file"), "is missing beside the other")
        }
        try part.finish()
        return read
    }

    private func twilio(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.Twilio {
        let account = try part.parsed("account", "an account SID (AC and 32 digits of hexadecimal)") {
            $0.hasPrefix("AC") && TwilioMessage.isSID($0) ? $0 : nil
        }
        let from = try part.parsed(
            "from", "a number (+14155550100), a short code, a name, or a messaging service (MG…)"
        ) {
            TwilioMessage.Sender($0) == nil ? nil : $0
        }
        let read = SendersDocument.Twilio(
            account: try there(account, "account", part), tokenFile: try neededPath("token_file", &part),
            from: try there(from, "from", part), server: try server(&part))
        try part.finish()
        return read
    }

    private func reports(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.Reports {
        var read = SendersDocument.Reports()
        if var inner = try part.part("sendgrid") {
            read.sendGridKeyFile = try neededPath("key_file", &inner)
            try inner.finish()
        }
        if var inner = try part.part("ses") {
            let topic = try inner.parsed("topic", "the ARN of a topic (arn:aws:sns:…)") {
                $0.hasPrefix("arn:aws") && $0.contains(":sns:") ? $0 : nil
            }
            read.sesTopic = try there(topic, "topic", inner)
            try inner.finish()
        }
        if var inner = try part.part("postmark") {
            read.postmark = .init(
                user: try inner.needed("user"), passwordFile: try neededPath("password_file", &inner))
            try inner.finish()
        }
        if var inner = try part.part("standard") {
            read.standardSecretFile = try neededPath("secret_file", &inner)
            try inner.finish()
        }
        try part.finish()
        return read
    }

    private func analyser(_ part: inout DocumentReader) throws(SendersError) -> SendersDocument.Analyser {
        let url = try part.parsed("url", "a URL of https, or of http on this machine") { Self.provider($0)?.url }
        let read = SendersDocument.Analyser(
            url: try there(url, "url", part), model: try part.needed("model"), keyFile: try path("key_file", &part),
            server: try server(&part, hasURL: false))
        try part.finish()
        return read
    }

    /// - Parameter hasURL: whether `url` may name a server in place of the provider's own.
    private func server(
        _ part: inout DocumentReader, hasURL: Bool = true, callsMax: Int = 1000
    ) throws(SendersError) -> SendersDocument.Server {
        var url: String?
        if hasURL {
            url = try part.parsed("url", "an origin of https, or of http on this machine, without a path") {
                guard let address = Self.provider($0),
                    address.url == address.origin || address.url == address.origin + "/"
                else { return nil }
                return address.origin
            }
        }
        return SendersDocument.Server(
            url: url, caFile: try path("ca_file", &part),
            limits: .init(
                calls: try part.whole("calls", 1...callsMax), perSecond: try part.whole("per_second", 1...100_000)))
    }

    /// What is sent to a provider is nobody else's.
    private static func provider(_ text: String) -> HTTPAddress? {
        guard let address = HTTPAddress(text), !address.hasPassword, address.isPrivate else { return nil }
        return address
    }

    private func there<Value>(_ value: Value?, _ name: String, _ part: DocumentReader) throws(SendersError) -> Value {
        guard let value else { throw SendersError(part.place(of: name), "is missing") }
        return value
    }

    private func path(_ name: String, _ part: inout DocumentReader) throws(SendersError) -> String? {
        guard let path = try part.text(name) else { return nil }
        return path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }

    private func neededPath(_ name: String, _ part: inout DocumentReader) throws(SendersError) -> String {
        try there(try path(name, &part), name, part)
    }
}

extension HTTPAddress {
    /// An origin that people can reach, as links begin with it.
    fileprivate static func publicURL(_ text: String) -> String? {
        guard let address = HTTPAddress(text), !address.hasPassword, address.isPrivate,
            text == address.origin || text == address.origin + "/"
        else { return nil }
        return address.origin
    }
}
