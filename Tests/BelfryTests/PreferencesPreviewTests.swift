import Foundation
import Testing

@Suite("belfry preferences preview")
struct PreferencesPreviewTests {
    let shell = Shell()

    private func preview(_ patch: String, _ words: String...) -> Outcome {
        shell.belfry(["preferences", "preview", "--patch", "-"] + words, input: Array(patch.utf8))
    }

    private static let mia = fact(
        "user_enrolled", user: "mia", at: monday("08:00:00"), data: #"{"timezone":"Europe/Paris"}"#)

    @Test func `every change is a sentence, every warning stands below, and nothing is recorded`() {
        shell.importing(Self.mia, policy: "microcommit")
        let before = shell.belfry("verify")
        let outcome = preview(#"{"channels":{"sms":true},"choices":{"celebration_level":"epic"}}"#, "--user", "mia")
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(outcome.line(0) == "the patch would change:")
        #expect(
            outcome.line(1).wholeMatch(of: #/  Turns on notices by SMS +channels\.sms: false → true/#) != nil)
        #expect(
            outcome.line(2).hasPrefix("  Sets celebration level to \"Epic (full celebration with confetti)\" instead"))
        #expect(outcome.lines.dropFirst(3) == ["warning: SMS has no effect for now: no phone number is verified"])
        #expect(preview("{}", "--user", "mia") == .done("the patch would change nothing"))
        #expect(shell.belfry("verify") == before)
    }

    @Test func `what waits is named with what would become of it`() throws {
        let night = fact(
            "notice_requested", user: "mia", at: monday("23:00:00"), data: #"{"kind":"referee","subject":"goal:g1"}"#)
        shell.importing(Self.mia + night, policy: "microcommit")
        let patch = #"{"subjects":{"goal:g1":{"kinds":{"referee":{"enabled":false}}}}}"#
        let lines = preview(patch, "--user", "mia").lines
        #expect(
            lines.last
                == "waiting: Referee interactions (mia/referee/goal:g1/#3) would be dropped: this kind is switched off for them"
        )
        let document = try preview(patch, "--user", "mia", "--json").json()
        #expect(document["waiting.0.fate"] == "dropped")
        #expect(document["waiting.0.reason"] == "kind_off")
        #expect(document["changes.0.path"] == "subjects.goal:g1")
        #expect(document["preferences.timezone"] == "Europe/Paris")
    }

    @Test func `a patch that could not be told is refused as the fact would be`() {
        shell.importing(Self.mia, policy: "microcommit")
        for (patch, problem) in [
            ("{", "the patch: not JSON:"), ("[]", "the patch: a list is not an object"),
            (#"{"enabled":"yes"}"#, "the patch: enabled: "),
            (#"{"kinds":{"referee":{"digest":"weekly"}}}"#, "data.patch.kinds"),
        ] {
            let outcome = preview(patch, "--user", "mia")
            #expect((outcome.code, outcome.output) == (3, ""))
            #expect(outcome.errors.hasPrefix("belfry: " + problem), "\(outcome.errors)")
        }
        let outcome = shell.belfry("preferences", "preview", "--user", "mia")
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("--patch"))
    }
}
