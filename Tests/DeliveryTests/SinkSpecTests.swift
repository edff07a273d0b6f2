import Delivery
import Testing

@Suite("--jobs, what it takes")
struct SinkSpecTests {
    @Test func `the three sinks, and a list of them`() throws {
        let address = try #require(HTTPAddress("https://example.com/hooks?a=1%2C2"))
        #expect(
            try SinkSpec.parseList("stdout, spool:/var/spool/belfry,webhook:https://example.com/hooks?a=1%2C2")
                == [.stdout, .spool(directory: "/var/spool/belfry"), .webhook(address)])
        #expect(try SinkSpec.parse("spool:a:b") == .spool(directory: "a:b"))
    }

    @Test(arguments: [
        ("", SinkSpecError.nothing), ("stdin", .unknown("stdin")), ("Stdout", .unknown("Stdout")),
        ("stdout:", .unexpected("stdout:")), ("spool", .noDirectory("spool")), ("spool:", .noDirectory("spool:")),
        ("webhook", .noURL("webhook")), ("webhook:", .noURL("webhook:")),
        ("webhook:example.com", .notAURL("example.com")),
        ("webhook:ftp://example.com/", .notAURL("ftp://example.com/")),
        ("webhook:file:///etc/passwd", .notAURL("file:///etc/passwd")), ("webhook:https://", .notAURL("https://")),
        ("webhook:https://a b/", .notAURL("https://a b/")), ("webhook:http://x\ny/", .notAURL("http://x\ny/")),
    ])
    func `a wrong word is refused with what to write instead`(word: String, error: SinkSpecError) {
        #expect(throws: error) { try SinkSpec.parse(word) }
        #expect("\(error)".contains("write"))
    }

    @Test func `an empty or repeated word of a list is refused`() {
        #expect(throws: SinkSpecError.nothing) { try SinkSpec.parseList("stdout,") }
        #expect(throws: SinkSpecError.twice("spool:a")) { try SinkSpec.parseList("spool:a,stdout,spool:a") }
    }

    @Test func `a webhook is shown without its path, its query and its password`() {
        #expect(HTTPAddress("https://me:secret@example.com:8443/T0/token?key=1")?.origin == "https://example.com:8443")
    }

    @Test func `a webhook is not opened without a secret`() throws {
        let address = try #require(HTTPAddress("https://example.com/"))
        #expect(throws: SinkOpenError.noSecret(address)) {
            try SinkSpec.webhook(address).open(secrets: nil) { newYear }
        }
    }
}
