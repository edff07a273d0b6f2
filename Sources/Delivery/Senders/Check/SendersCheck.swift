public import CivilTime
internal import Hashing
internal import Synchronization

/// `senders check`: every secret read, every provider connected to where that is possible without sending (`N1`).
public struct SendersCheck: Sendable {
    private let document: SendersDocument
    private let clock: @Sendable () -> Instant

    public init(_ document: SendersDocument, clock: @escaping @Sendable () -> Instant) {
        self.document = document
        self.clock = clock
    }

    private typealias Question = (@escaping @Sendable (SenderFinding) -> Void) -> Void

    /// One who is asked, and what was already seen of the files it names.
    private struct Part {
        var name: String
        /// What to do where a file it names is of no use.
        var cure: String
        /// Reads what it needs; what is given back asks, and answers exactly once.
        var open: (inout NamedSecrets) throws(SendersError) -> Question
    }

    /// Asks all of them at the same time. `done` is called once, on any thread, with what was found in the document's order.
    public func run(_ done: @escaping @Sendable ([SenderFinding]) -> Void) {
        let parts = parts
        let found = Found(parts.count, done)
        for (place, part) in parts.enumerated() {
            var files = NamedSecrets()
            do throws(SendersError) {
                let ask = try part.open(&files)
                let warning = files.warnings.first.map {
                    SenderFinding.ailing(part.name, "\($0)", cure: SendersError.lock)
                }
                ask { found.take($0.isWell ? warning ?? $0 : $0, at: place) }
            } catch {
                found.take(.ailing(part.name, "\(error)", cure: error.cure ?? part.cure), at: place)
            }
        }
    }

    private var parts: [Part] {
        [signing, apns, fcm, webPush, email, sms].compactMap(\.self) + sinks + reports
            + [analyser].compactMap(\.self)
    }

    private var signing: Part? {
        guard document.secretFile != nil else { return nil }
        return Part(name: "secret_file", cure: "`belfry senders keys secret FILE` makes one") {
            (files) throws(SendersError) in
            let count = try OpenSenders.secrets(document, &files).count
            return { $0(.well("secret_file", count == 1 ? "1 secret" : "\(count) secrets, of which the first signs")) }
        }
    }

    private var apns: Part? {
        guard document.apns != nil else { return nil }
        let cure = "download the key (.p8) anew or make another: Apple's developer account, Certificates & Keys, Keys"
        return Part(name: "push.apns", cure: cure) { (files) throws(SendersError) in
            let sender = try OpenSenders.apns(document, clock, &files)?.open()
            return { answer in sender?.check { finding in sender?.close { answer(finding) } } }
        }
    }

    private var fcm: Part? {
        guard document.fcm != nil else { return nil }
        let cure = "make a key anew: Firebase's console, Project settings, Service accounts, Generate new private key"
        return Part(name: "push.fcm", cure: cure) { (files) throws(SendersError) in
            let sender = try OpenSenders.fcm(document, clock, &files)?.open()
            return { answer in sender?.check { finding in sender?.close { answer(finding) } } }
        }
    }

    /// Browsers name their push services: there is nobody to be asked before one has.
    private var webPush: Part? {
        guard let part = document.webPush else { return nil }
        let cure = "`belfry senders keys vapid FILE` makes one; a browser's subscription lives as long as its key"
        return Part(name: "push.webpush", cure: cure) { (files) throws(SendersError) in
            let key = try files.key(part.keyFile, for: "push.webpush.key_file", .es256)
            try OpenSenders.check(part.server, "push.webpush", &files)
            let words = "key and subject are good; browsers subscribe with \(SenderKeys.publicText(key))"
            return { $0(.well("push.webpush", words)) }
        }
    }

    private var email: Part? {
        guard document.smtp != nil else { return nil }
        return Part(name: "email.smtp", cure: "write the relay's password into the file, on one line") {
            (files) throws(SendersError) in
            // Without the links' secret, of which a finding of its own tells, the relay can still be asked.
            let sender = try OpenSenders.email(document, [0], clock, &files)?.open()
            return { answer in sender?.check { finding in sender?.close { answer(finding) } } }
        }
    }

    private var sms: Part? {
        guard document.twilio != nil else { return nil }
        return Part(name: "sms.twilio", cure: "write the Auth Token of Twilio's console into the file, on one line") {
            (files) throws(SendersError) in
            let sender = try OpenSenders.sms(document, [0], clock, &files)?.open()
            return { answer in sender?.check { finding in sender?.close { answer(finding) } } }
        }
    }

    private var sinks: [Part] {
        document.sinks.map { part in
            switch part.kind {
            case .stdout:
                Part(name: part.path, cure: "") { _ in { $0(.well(part.path, "jobs are printed, a line each")) } }
            case .spool(let directory):
                Part(name: part.path, cure: "make the directory, or let the worker's user write into it") {
                    (_) throws(SendersError) in
                    let words = try SpoolCheck.words(directory, at: "\(part.path).directory")
                    return { $0(.well(part.path, words)) }
                }
            case .webhook(let webhook):
                Part(name: part.path, cure: WebhookSecretError.howTo) { (files) throws(SendersError) in
                    let address = try OpenSinks.address(of: webhook, at: part.path, &files)
                    try OpenSinks.read(part, of: document, &files)
                    let words = "\(address.origin) answers; what it makes of a job shows `belfry test`"
                    return { AnswerCheck.finding(part.path, address, webhook.server.caFile, words, $0) }
                }
            }
        }
    }

    /// Providers come to us: only what their reports are checked with can be looked at.
    private var reports: [Part] {
        let said = document.reports
        var parts: [Part] = []
        func add(
            _ provider: String, _ cure: String, _ read: @escaping (inout NamedSecrets) throws(SendersError) -> Void
        ) {
            let name = "reports.\(provider)"
            parts.append(
                Part(name: name, cure: cure) { (files) throws(SendersError) in
                    try read(&files)
                    return { $0(.well(name, "reports are told at public_url/v1/providers/\(provider)")) }
                })
        }
        if said.sendGridKeyFile != nil {
            add("sendgrid", "take the verification key from SendGrid's console: Settings, Mail Settings, Event Webhook")
            {
                (files) throws(SendersError) in _ = try ReportReaders.sendGrid(said, [], &files)
            }
        }
        if said.sesTopic != nil { add("ses", "") { _ in } }
        if said.postmark != nil {
            add("postmark", "write the password of the webhook in Postmark's console into the file, on one line") {
                (files) throws(SendersError) in _ = try ReportReaders.postmark(said, [], &files)
            }
        }
        if said.standardSecretFile != nil {
            add("standard", "\(WebhookSecretError.howTo); whoever reports signs with it") {
                (files) throws(SendersError) in _ = try ReportReaders.standard(said, &files)
            }
        }
        return parts
    }

    private var analyser: Part? {
        guard let part = document.analyser else { return nil }
        return Part(name: "analyser", cure: "write the key that its provider gave into the file, on one line") {
            (files) throws(SendersError) in
            if let file = part.keyFile { _ = try files.word(file, for: "analyser.key_file") }
            try OpenSenders.check(part.server, "analyser", &files)
            guard let address = HTTPAddress(part.url) else { throw SendersError("analyser.url", "is not a URL") }
            let words = "\(address.origin) answers; what the model says shows the first analysis"
            return { AnswerCheck.finding("analyser", address, part.server.caFile, words, $0) }
        }
    }

    /// What was found, in the order of the document. Safe to share: under a lock.
    private final class Found: Sendable {
        private let findings: Mutex<[SenderFinding?]>
        private let done: @Sendable ([SenderFinding]) -> Void

        init(_ count: Int, _ done: @escaping @Sendable ([SenderFinding]) -> Void) {
            findings = Mutex(Array(repeating: nil, count: count))
            self.done = done
            if count == 0 { done([]) }
        }

        func take(_ finding: SenderFinding, at place: Int) {
            let all = findings.withLock { findings -> [SenderFinding]? in
                findings[place] = finding
                let known = findings.compactMap { $0 }
                return known.count == findings.count ? known : nil
            }
            if let all { done(all) }
        }
    }
}
