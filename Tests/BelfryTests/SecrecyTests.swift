import Foundation
import Testing

/// What people write to each other and the codes they are sent are nobody's to read (A1, SPEC §11): not in what is
/// printed, not in what is refused, not in a byte of the log.
@Suite("what nobody may read")
struct SecrecyTests {
    let shell = Shell()

    private static let secrets = ["xylophone", "918273", "345678"]

    /// Good facts and refused ones, each with a secret in it.
    private static let history = [
        fact("user_enrolled", at: monday("08:00:00"), data: #"{"timezone":"Europe/Paris"}"#),
        fact("consent_given", at: monday("08:01:00"), data: #"{"by":"user"}"#),
        message("m1", text: #""an urgent xylophone""#),
        message("m2", text: #"{"x":"xylophone"}"#),
        message("m 3", text: #""xylophone""#),
        message("m4", text: #""xylophone","sender":7"#),
        message("m5", text: "\"xylophone \(String(repeating: "x", count: 1 << 16))\""),
        fact("phone_verification_requested", at: monday("09:05:00"), data: #"{"phone":"+33612000678"}"#),
        code(#""918273""#), code("918273"), code(#""918273x""#), code(#""918273","right":true"#), code(#""345678""#),
        "xylophone\n", "{\"type\":\"message_received\",\"data\":{\"text\":\"xylophone\n",
    ].joined()

    private static func message(_ id: String, text: String) -> String {
        fact(
            "message_received", at: monday("08:10:00"),
            data: #"{"conversation":"c1","message":"\#(id)","text":\#(text)}"#)
    }

    private static func code(_ code: String) -> String {
        fact("phone_code_entered", at: monday("09:06:00"), data: #"{"code":\#(code)}"#)
    }

    private func keepsQuiet(_ outcome: Outcome) -> Bool {
        !Self.secrets.contains { outcome.output.contains($0) || outcome.errors.contains($0) }
    }

    @Test(arguments: ["messageai", "standard", "microcommit"])
    func `message texts and phone codes are in nothing that is printed, refused or kept`(policy: String) throws {
        let simulated = shell.belfry(
            "simulate", "-", "--policy", policy, "--facts", "--until", tuesday("12:00:00"), input: Self.history)
        #expect(simulated.code == 3)
        #expect(keepsQuiet(simulated))
        #expect(simulated.output.contains(#""message":"m1","keywords":["urgent"],"length":19}"#))
        #expect(simulated.output.contains(#""type":"phone_code_entered","user":"anna","data":{"correct":false}"#))

        let imported = shell.belfry(
            "import", "-", "--policy", policy, "--until", tuesday("12:00:00"), input: Self.history)
        #expect(imported.errors == simulated.errors)
        for name in shell.names(in: "events/log") {
            let bytes = try shell.read("events/log/\(name)")
            for secret in Self.secrets {
                #expect(Data(bytes).range(of: Data(secret.utf8)) == nil, "\(secret) in \(name)")
            }
        }
        let log = shell.belfry("log")
        #expect(log.lines.count == simulated.lines.count + 1)
        #expect(keepsQuiet(log))
        for words in [["state"], ["explain"]] {
            for format in [[], ["--json"]] {
                let outcome = shell.belfry(words + format + ["--user", "anna"], input: [])
                #expect((outcome.code, keepsQuiet(outcome)) == (0, true))
            }
        }
    }

    @Test func `the story of a message tells of the message and not what is in it`() throws {
        let outcome = shell.belfry("import", "-", "--policy", "messageai", input: Self.history)
        #expect(outcome.code == 3)
        let names = shell.belfry("log", "--user", "anna").output.matches(of: #/"notice":"([^"]+)"|"job":"([^"]+)"/#)
            .compactMap { ($0.1 ?? $0.2).map(String.init) }
        #expect(!names.isEmpty)
        for name in Set(names) {
            for format in [[], ["--json"]] {
                let story = shell.belfry(["explain", "--user", "anna", "--notice", name] + format, input: [])
                #expect((story.code, keepsQuiet(story)) == (0, true))
            }
        }
    }

    @Test func `a phone number is told by its last digits where Belfry speaks of it`() throws {
        shell.importing(Histories.mia, policy: shell.goals)
        let state = shell.belfry("state", "--user", "mia")
        #expect(state.output.contains("reachable    email, sms, in_app"))
        for outcome in [
            state, shell.belfry("state", "--user", "mia", "--json"), shell.belfry("explain", "--user", "mia"),
        ] {
            #expect(!outcome.output.contains("612345678"))
            #expect(!outcome.output.contains("mia@example.com"))
        }
        #expect(shell.belfry("log", "--type", "phone_verified").line(0).hasSuffix(#""data":{"phone":"5678"}}"#))
    }
}
