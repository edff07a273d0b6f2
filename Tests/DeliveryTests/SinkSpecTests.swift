@testable import Delivery
import Foundation
import Testing

@Suite("--jobs, what it takes")
struct SinkSpecTests {
    @Test func `the sinks, and a list of them`() throws {
        let address = try #require(HTTPAddress("https://example.com/hooks?a=1%2C2"))
        #expect(
            try SinkSpec.parseList(
                "stdout, spool:/var/spool/belfry,webhook:https://example.com/hooks?a=1%2C2,webhook:@f")
                == [.stdout, .spool(directory: "/var/spool/belfry"), .webhook(address), .webhookIn(file: "f")])
        #expect(try SinkSpec.parse("spool:a:b") == .spool(directory: "a:b"))
    }

    @Test(arguments: [
        ("", SinkSpecError.nothing), ("stdin", .unknown("stdin")), ("Stdout", .unknown("Stdout")),
        ("stdout:", .unexpected), ("spool", .noDirectory), ("spool:", .noDirectory),
        ("webhook", .noURL), ("webhook:", .noURL), ("webhook:@", .noURL), ("webhook:example.com", .notAURL),
        ("webhook:ftp://example.com/", .notAURL), ("webhook:file:///etc/passwd", .notAURL),
        ("webhook:https://", .notAURL), ("webhook:https://a b/", .notAURL), ("webhook:http://x\ny/", .notAURL),
        ("https://example.com/", .bareURL),
    ])
    func `a wrong word is refused with what to write instead`(word: String, error: SinkSpecError) {
        #expect(throws: error) { try SinkSpec.parse(word) }
        #expect("\(error)".contains("write"))
    }

    @Test func `an empty or repeated word of a list is refused`() throws {
        #expect(throws: SinkSpecError.nothing) { try SinkSpec.parseList("stdout,") }
        #expect(throws: SinkSpecError.twice("spool:a")) { try NamedSinks("spool:a,stdout,spool:a") }
        let scratch = try Scratch()
        let file = try scratch.write("https://example.com/secret", to: "url")
        #expect(throws: SinkSpecError.twice("webhook:https://example.com")) {
            try NamedSinks("webhook:https://example.com/secret,webhook:@\(file)")
        }
        #expect(try NamedSinks("webhook:https://example.com/a,webhook:https://example.com/b").specs.count == 2)
    }

    // MARK: Secrets

    /// Each has "secret" where a secret may stand.
    private static let wrong = [
        "webhook:https://me:secret@ex ample.com/", "webhook:ftp://example.com/secret", "webhook:@/nowhere,stdin",
        "webhook:https://example.com/secret,webhook:https://example.com/secret", "https://example.com/secret",
        "webhook:https://example.com/a?keys=1,secret", "webhook:https://example.com/a?keys=1,secret:2,3",
        "stdout:secret", "webhook:secret", "spool:,webhook:https://secret@example.com/",
    ]

    @Test(arguments: wrong) func `what is refused is not repeated where it may hold a secret`(words: String) {
        let error = #expect(throws: SinkSpecError.self) { try NamedSinks(words) }
        #expect(error.map { "\($0)" }?.contains("secret") == false)
    }

    @Test func `a webhook is shown without its user, its password, its path and its query`() throws {
        let url = "https://me:secret@example.com:8443/T0/token?key=1"
        #expect(HTTPAddress(url)?.origin == "https://example.com:8443")
        #expect(try SinkSpec.parse("webhook:" + url).shown == "webhook:https://example.com:8443")
        let shown = try NamedSinks("stdout,spool:s,webhook:\(url)").specs.map(\.shown)
        #expect(shown == ["stdout", "spool:s", "webhook:https://example.com:8443"])
    }

    @Test func `a password or a query among the arguments is warned of, without it`() throws {
        for url in ["https://me@example.com/", "https://me:secret@example.com/", "https://example.com/?secret=1"] {
            let warnings = try NamedSinks("webhook:" + url).warnings
            #expect(warnings.count == 1 && warnings[0].contains("webhook:@FILE"), "\(url)")
            #expect(!warnings[0].contains("secret") && !warnings[0].contains("me@"), "\(warnings)")
        }
        #expect(try NamedSinks("stdout,webhook:https://example.com/hooks").warnings == [])
    }

    @Test func `a webhook is not opened without a secret`() throws {
        let address = try #require(HTTPAddress("https://example.com/"))
        #expect(throws: SinkOpenError.noSecret(address)) {
            try SinkSpec.webhook(address).open(secrets: nil) { newYear }
        }
    }
}

/// `webhook:@FILE`: what stands in a file is in nobody's list of processes.
@Suite("--jobs webhook:@FILE")
struct WebhookURLFileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func file(_ text: String, mode: mode_t = 0o600) throws -> String {
        let path = try scratch.write(text, to: "url")
        #expect(chmod(path, mode) == 0)
        return path
    }

    @Test(arguments: ["", "\n", "\r\n", "  \n\n"]) func `blanks and line ends around the URL are no part of it`(
        end: String
    ) throws {
        let url = "https://me:pw@example.com/a,b?c=d"
        let named = try NamedSinks("webhook:@" + file(url + end))
        #expect(named.specs == [.webhook(try #require(HTTPAddress(url)))])
        #expect(named.warnings == [])
    }

    @Test func `what is no URL is refused by the file's name, and nothing of it is told`() throws {
        for (text, error) in [
            ("", WebhookURLFileError.empty(scratch.path + "/url")), (" \n", .empty(scratch.path + "/url")),
            ("https://example.com/secret\nhttps://example.com/b", .severalLines(scratch.path + "/url")),
            ("secret", .notAURL(scratch.path + "/url")), ("ftp://secret@example.com", .notAURL(scratch.path + "/url")),
            ("https://example.com/ secret", .notAURL(scratch.path + "/url")),
        ] {
            let path = try file(text)
            let refusal = #expect(throws: SinkSpecError.file(error)) { try NamedSinks("stdout,webhook:@\(path)") }
            let said = refusal.map { "\($0)" } ?? ""
            #expect(!said.contains("secret") && said.contains("write"), "\(said)")
        }
        try Data([0x68, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: scratch.path + "/url"))
        #expect(throws: SinkSpecError.self) { try NamedSinks("webhook:@\(scratch.path)/url") }
        let missing = #expect(throws: SinkSpecError.self) { try NamedSinks("webhook:@\(scratch.path)/none") }
        #expect(missing.map { "\($0)" } == "webhook:@FILE: cannot open \(scratch.path)/none: No such file or directory")
        #expect(throws: SinkSpecError.self) { try NamedSinks("webhook:@\(scratch.path)") }
    }

    @Test func `a file that others may read or change is warned of; one that all may change is not believed`() throws {
        func warning(_ mode: mode_t) throws -> String? {
            try NamedSinks("webhook:@" + file("https://example.com/x\n", mode: mode)).warnings.first
        }
        for mode in [0o600, 0o400, 0o640, 0o440] as [mode_t] { #expect(try warning(mode) == nil) }
        #expect(try warning(0o644)?.hasPrefix("every user of this machine may read ") == true)
        #expect(try warning(0o444)?.hasSuffix("/url` keeps it to its owner") == true)
        #expect(try warning(0o660)?.contains(" may change ") == true)
        for mode in [0o602, 0o666, 0o646] as [mode_t] {
            #expect(throws: SinkSpecError.file(.file(.anybodyWrites(scratch.path + "/url")))) { try warning(mode) }
        }
    }

    @Test func `the file of a webhook's secrets is held to the same`() throws {
        func warning(_ mode: mode_t) throws -> String? {
            try WebhookSecrets.read(file("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", mode: mode)).warning
        }
        #expect(try warning(0o600) == nil)
        #expect(try warning(0o644)?.contains("chmod 600") == true)
        #expect(throws: WebhookSecretError.file(.anybodyWrites(scratch.path + "/url"))) { try warning(0o666) }
    }
}
