import CivilTime
import Foundation
import Simulation
import Testing

@testable import Delivery

@Suite("Standard Webhooks 1.0, signatures")
struct SignatureTests {
    @Test func `the example of the specification's own libraries`() throws {
        let secrets = try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let signature = secrets.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Instant(seconds: 1_614_265_330),
            body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(.enabled(if: Python.path != nil))
    func `an independent implementation signs alike`() throws {
        var random = SeededRandom(seed: 11)
        var questions: [String] = []
        var answers: [String] = []
        for number in 0..<200 {
            let key = (0..<Int.random(in: 24...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let body = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let id = "anna/reminder/#\(number)~1"
            let at = Instant(milliseconds: Int64.random(in: 0...4_000_000_000_000, using: &random))
            let encoded = Data(key).base64EncodedString()
            questions.append(
                """
                {"key":"\(encoded)","id":"\(id)","timestamp":\(at.wholeSeconds),"body":"\(Data(body).base64EncodedString())"}
                """)
            answers.append(try WebhookSecrets("whsec_\(encoded)").signature(id: id, at: at, body: body))
        }
        #expect(try Python.answers("signature_oracle.py", questions) == answers)
    }

    @Test func `while secrets change, each signs, the first one first`() throws {
        let (old, new) = ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a-plain-secret-of-30-characters")
        func signature(_ text: String) throws -> String {
            try WebhookSecrets(text).signature(id: "j", at: newYear, body: [1, 2])
        }
        #expect(try signature("\n  \(new) \r\n\(old)\n\n") == "\(signature(new)) \(signature(old))")
        #expect(try signature(new) == signature("whsec_" + Data(new.utf8).base64EncodedString()))
    }

    @Test func `a file without a proper secret is refused with the line, never with the secret`() throws {
        #expect(throws: WebhookSecretError.none) { try WebhookSecrets(" \n\n") }
        let plain = "a-plain-secret-of-30-characters"
        let refusals = [
            #expect(throws: WebhookSecretError.notBase64(line: 2)) {
                try WebhookSecrets("\(plain)\nwhsec_not base64!")
            },
            #expect(throws: WebhookSecretError.tooMany(17)) {
                try WebhookSecrets((1...17).map { "\(plain)-\($0)" }.joined(separator: "\n"))
            },
            #expect(throws: WebhookSecretError.blanks(line: 1)) { try WebhookSecrets("whsecret_not base64!") },
        ]
        for refusal in refusals {
            let said = "\(try #require(refusal))"
            #expect(!said.contains(plain) && !said.contains("not base64!"), "\(said)")
        }
        let scratch = try Scratch()
        #expect(
            "\(WebhookSecretError.file(.unreadable(SystemFailure("open x", 2))))"
                == "cannot open x: No such file or directory"
        )
        #expect(throws: WebhookSecretError.self) { try WebhookSecrets.read(scratch.path + "/none") }
        let path = try scratch.write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", to: "secret")
        #expect(
            try WebhookSecrets.read(path).signature(id: "j", at: newYear, body: [])
                == WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").signature(id: "j", at: newYear, body: []))
    }

    @Test func `a secret that can be guessed is refused, and one is said how to make`() throws {
        func bytes(_ count: Int) -> String { "whsec_" + Data(repeating: 7, count: count).base64EncodedString() }
        for (text, problem) in [
            ("abc", WebhookSecretError.weak(line: 1, bytes: 3)), ("whsec_YQ==", .weak(line: 1, bytes: 1)),
            ("whsec_", .weak(line: 1, bytes: 0)), (bytes(23), .weak(line: 1, bytes: 23)),
            (bytes(65), .tooLong(line: 1, bytes: 65)), (String(repeating: "x", count: 23), .weak(line: 1, bytes: 23)),
            ("a b", .blanks(line: 1)), ("\(bytes(32))\none two three four five six", .blanks(line: 2)),
        ] {
            #expect(throws: problem) { try WebhookSecrets(text) }
            #expect("\(problem)".hasSuffix("`echo \"whsec_$(openssl rand -base64 32)\"` makes one"))
        }
        for text in [bytes(24), bytes(64), String(repeating: "x", count: 24), String(repeating: "x", count: 200)] {
            #expect(throws: Never.self) { try WebhookSecrets(text) }
        }
    }

    @Test func `Base64 is Foundation's`() {
        var random = SeededRandom(seed: 5)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text) == bytes)
            #expect(Base64.decode(text.filter { $0 != "=" }) == bytes)
        }
        for wrong in ["A", "AAAAA", "AA=A", "A===", "AA-_", "AAA =", "é"] { #expect(Base64.decode(wrong) == nil) }
    }
}
