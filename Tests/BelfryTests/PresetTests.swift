import Foundation
import Testing

@Suite("belfry preset preview")
struct PresetTests {
    let shell = Shell()

    private func preview(_ words: String...) -> Outcome {
        shell.belfry(["preset", "preview"] + words, input: [])
    }

    private static let mia = fact(
        "user_enrolled", user: "mia", at: monday("08:00:00"), data: #"{"timezone":"Europe/Paris"}"#)

    @Test func `every change is a sentence, a path, from and to`() {
        shell.importing(Self.mia, policy: "microcommit")
        let outcome = preview("minimal", "--user", "mia")
        #expect((outcome.code, outcome.errors) == (0, ""))
        #expect(outcome.line(0) == "minimal (Only critical alerts) would change:")
        #expect(
            outcome.line(1).wholeMatch(
                of: #/  Turns off goal reminders +kinds\.goal_reminder\.enabled: true → false/#) != nil)
        // The paths stand below each other.
        let places = outcome.lines.dropFirst().compactMap {
            $0.firstRange(of: "  kinds.")?.lowerBound.utf16Offset(in: $0)
        }
        #expect(places.count == outcome.lines.count - 1)
        #expect(Set(places).count == 1)
    }

    @Test func `for machines it is one document, as that of any patch is`() throws {
        shell.importing(Self.mia, policy: "microcommit")
        let text = preview("minimal", "--user", "mia")
        let outcome = preview("minimal", "--user", "mia", "--json")
        #expect((outcome.code, outcome.errors) == (0, ""))
        let document = try outcome.json()
        #expect(document.count("changes") == text.lines.count - 1)
        for (place, told) in text.lines.dropFirst().enumerated() {
            let change = "changes.\(place)"
            #expect(document.keys(change) == ["path", "from", "to", "sentence"])
            let (path, from) = (document["\(change).path"] ?? "", document["\(change).from"] ?? "")
            #expect(told.hasSuffix("  \(path): \(from) → \(document["\(change).to"] ?? "")"))
            #expect(told.hasPrefix("  \(document["\(change).sentence"] ?? "")  "))
        }
        #expect(
            document["changes.0"]
                == #"{"path":"kinds.goal_reminder.enabled","from":true,"to":false,"sentence":"Turns off goal reminders"}"#
        )
        let words = ["preferences", "preview", "--user", "mia", "--patch", "-", "--json"]
        let patch = try shell.belfry(words, input: Array(#"{"enabled":false}"#.utf8)).json()
        #expect(document.keys() == patch.keys())
    }

    @Test func `it is about what this person has, and changes nothing`() throws {
        shell.importing(Histories.mia, policy: shell.goals)
        let before = shell.belfry("verify")
        // The preset was applied, and achievements switched on by hand since.
        #expect(
            preview("minimal", "--user", "mia")
                == .done(
                    "minimal (Only critical alerts) would change:",
                    "  Turns off streak & achievements  kinds.achievement.enabled: true → false"))
        #expect(preview("all", "--user", "mia").lines.count > 10)
        #expect(shell.belfry("verify") == before)
        let applied = fact("preset_applied", user: "mia", data: #"{"preset":"minimal"}"#)
        #expect(shell.belfry("append", input: applied).code == 0)
        #expect(preview("minimal", "--user", "mia") == .done("minimal would change nothing"))
        let whole = try preview("minimal", "--user", "mia", "--json").json()
        #expect(whole["changes"] == "[]" && whole["preferences.kinds.achievement.enabled"] == "false")
    }

    @Test func `what it tells is what applying does`() throws {
        let applied = fact("preset_applied", user: "mia", at: monday("12:00:00"), data: #"{"preset":"all"}"#)
        shell.importing(Histories.mia + applied, policy: shell.goals)
        let after = try shell.belfry("state", "--user", "mia", "--json").json()
        #expect(after["preset"] == "all")
        shell.forget("events")
        shell.importing(Histories.mia, policy: shell.goals)
        let told = try preview("all", "--user", "mia", "--json").json()
        #expect(told.count("changes") > 0)
        #expect(told.count("warnings") > 0, "mia has no email address for what comes by email")
        for place in 0..<told.count("changes") {
            let path = try #require(told["changes.\(place).path"])
            #expect(after["preferences.\(path)"] == told["changes.\(place).to"], "\(path)")
        }
    }

    /// It is there again with the policy that has it.
    @Test func `one that was applied under another policy is nobody's preset`() throws {
        let applied = fact("preset_applied", user: "mia", at: monday("12:00:00"), data: #"{"preset":"all"}"#)
        let plain = #"{"name":"plain","kinds":[{"name":"note","on_request":true}]}"#
        let adopted =
            #"{"type":"policy_adopted","at":"\#(monday("12:01:00"))","data":{"policy":\#(plain)}}"# + "\n"
        shell.importing(Histories.mia + applied + adopted, policy: shell.goals)
        #expect(try shell.belfry("state", "--user", "mia", "--json").json()["preset"] == "null")
        #expect(!shell.belfry("state", "--user", "mia").output.contains("(preset "))
        #expect(shell.belfry(["stats"], input: []).output.contains("presets      none taken"))
    }

    @Test func `a preset that the policy does not have is guessed at`() {
        shell.importing(Self.mia, policy: "microcommit")
        let known = "is not a preset of the policy microcommit, which has minimal, balanced, all"
        #expect(preview("minimall", "--user", "mia") == .failed(3, "\"minimall\" \(known); did you mean minimal?"))
        #expect(preview("everything", "--user", "mia", "--json") == .failed(3, "\"everything\" \(known)"))
        shell.forget("events")
        shell.importing(Histories.anna)
        #expect(
            preview("all", "--user", "anna")
                == .failed(3, "\"all\" is not a preset of the policy standard, which has none"))
    }

    @Test func `somebody the log does not know, no log, and a damaged one`() throws {
        #expect(
            preview("all", "--user", "mia", "--data", "nowhere")
                == .failed(5, "there is no log in nowhere. `belfry append --data nowhere FILE` begins one"))
        shell.importing(Self.mia, policy: "microcommit")
        #expect(
            preview("all", "--user", "bert")
                == .failed(3, "the log holds nothing about \"bert\"; `belfry people` lists whom it knows"))
        try shell.edit(try #require(shell.segments(of: "events/log").first)) { $0[150] ^= 0x10 }
        let outcome = preview("all", "--user", "mia")
        #expect((outcome.code, outcome.output) == (4, ""))
        #expect(outcome.errors.hasPrefix("belfry: the log is damaged: events/log/"))
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            ([], "preset needs preview"),
            (["preview"], "preset preview needs a PRESET"),
            (["preview", "all"], "preset needs --user"),
            (["apply", "all", "--user", "mia"], "preset has one verb, preview, and not \"apply\""),
            (["preview", "all", "minimal"], "preset takes one PRESET, and \"minimal\" is a second"),
            (["preview", ""], "PRESET is empty"),
        ] {
            let outcome = shell.belfry(["preset"] + words, input: [])
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(
                outcome.errorLines == [
                    "belfry: " + complaint, "usage: belfry preset preview PRESET --user U [options]",
                    "`belfry preset --help` tells more",
                ])
        }
        #expect(shell.belfry("preset", "--help").output.contains("Nothing is changed"))
    }
}
