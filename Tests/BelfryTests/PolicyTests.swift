import Foundation
import Notices
import Testing

@Suite("belfry policy")
struct PolicyTests {
    let shell = Shell()

    @Test func `the shipped policies are listed`() {
        let listed = shell.belfry("policy", "list")
        #expect(listed.code == 0)
        let names = listed.lines.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names == ["standard", "coachme", "screentime", "messageai", "microcommit"])
        let json = shell.belfry("policy", "list", "--json")
        #expect(
            json.lines.map { $0.hasPrefix("{\"policy\":\"") && $0.hasSuffix("}") } == Array(repeating: true, count: 5))
        #expect(json.lines.first?.contains(#""policy":"standard","about":"Three notices a day at most"#) == true)
    }

    @Test func `each can be shown, changed and checked`() throws {
        for name in ["standard", "coachme", "screentime", "messageai", "microcommit"] {
            let shown = shell.belfry("policy", "show", name)
            #expect((shown.code, shown.errors) == (0, ""))
            try shell.write(shown.output, to: "own.json")
            #expect(shell.belfry("policy", "show", "own.json") == shown)
            let checked = shell.belfry("policy", "check", "own.json")
            #expect(checked.code == 0)
            #expect(checked.lines.first?.hasPrefix("\(name): good: ") == true)
            let line = shell.belfry("policy", "show", name, "--json")
            #expect(line.lines.count == 1)
            #expect(shell.belfry("policy", "check", "-", input: line.output) == checked)
        }
        #expect(
            shell.belfry("policy", "check", "standard")
                == .done(
                    "standard: good: 6 kinds, 0 presets; 3 notices a day at most, 30 minutes of cooldown, quiet 22:00–08:00"
                ))
        #expect(
            shell.belfry("policy", "check", "microcommit", "--json")
                == .done(#"{"policy":"microcommit","good":true,"kinds":12,"presets":3,"warnings":[]}"#))
    }

    @Test func `what a policy says in vain is warned of`() throws {
        try shell.write(#"{"name":"own","kinds":[{"name":"a","on_request":true,"channels":["sms"]}]}"#, to: "own.json")
        let why =
            "sms: off for whoever has not switched it on (preferences.channels), so nobody has the kind at first"
        let checked = shell.belfry("policy", "check", "own.json")
        #expect(checked.code == 0)
        #expect(checked.lines.dropFirst() == ["warning: kinds[0].channels: \(why)"])
        #expect(
            shell.belfry("policy", "check", "own.json", "--json")
                == .done(
                    #"{"policy":"own","good":true,"kinds":1,"presets":0,"warnings":[{"path":"kinds[0].channels","problem":"\#(why)"}]}"#
                ))
    }

    @Test func `what is wrong is said with its path and what is allowed`() throws {
        try shell.write(#"{"name":"own","kinds":[{"name":"a","on_request":true,"priority":"urgent"}]}"#, to: "own.json")
        let refusal = #"kinds[0].priority: "urgent" is not one of low, medium, high, critical"#
        #expect(shell.belfry("policy", "check", "own.json") == .failed(3, "own.json: " + refusal))
        #expect(shell.belfry("policy", "show", "own.json") == .failed(3, "own.json: " + refusal))
        let json = shell.belfry("policy", "check", "own.json", "--json")
        #expect(json.code == 3)
        #expect(
            json.lines == [
                #"{"good":false,"problems":[{"path":"kinds[0].priority","problem":"\"urgent\" is not one of low, medium, high, critical"}]}"#
            ])
    }

    @Test func `all that contradicts itself is said at once`() throws {
        try shell.write(
            #"{"name":"own","default_timezone":"Europe/Pariss","kinds":[{"name":"a"},{"name":"a","on_request":true,"digestible":true}]}"#,
            to: "own.json")
        let outcome = shell.belfry("policy", "check", "own.json")
        #expect((outcome.code, outcome.output) == (3, ""))
        let paths = outcome.errorLines.filter { !$0.isEmpty }.map {
            $0.split(separator: ": ").prefix(3).joined(separator: ": ")
        }
        #expect(
            paths == [
                "belfry: own.json: default_timezone", "belfry: own.json: kinds[1].name",
                "belfry: own.json: kinds[0].schedule",
                "belfry: own.json: kinds[1].digestible",
            ])
        #expect(outcome.errors.contains("did you mean Europe/Paris?"))
    }

    @Test func `all that cannot be read is said at once, with where it stands in the file`() throws {
        try shell.write(
            #"{"name":"x","daily_cap":"x","z":1,"kinds":[{"nome":3},{"name":"y","priority":7},{"name":"v"},{"q":1,"name":"w"}]}"#,
            to: "own.json")
        let outcome = shell.belfry("policy", "check", "own.json", "--json")
        let problems = JSONValue(parsing: outcome.output)?["problems"]?.elements ?? []
        #expect(outcome.code == 3)
        let paths = problems.compactMap { $0["path"]?.string }
        for path in ["daily_cap", "z", "kinds[0].name", "kinds[1].priority", "kinds[3].q"] {
            #expect(paths.count { $0 == path } == 1, "\(path): \(outcome.output)")
        }
        #expect(Set(paths).count == paths.count)
        let (status, wrong) = (
            shell.belfry("policy", "check", "own.json"), problems.compactMap { $0["problem"]?.string }
        )
        #expect(status.code == 3 && wrong.allSatisfy { status.errors.contains($0) })
    }

    @Test(arguments: [("", "is missing; "), (#""name":7,"#, "7 is not ")])
    func `a document without a name, and without kinds, is told all else that is wrong with it`(
        name: String, problem: String
    ) throws {
        try shell.write(#"{\#(name)"daily_cap":"x","z":1}"#, to: "own.json")
        let outcome = shell.belfry("policy", "check", "own.json", "--json")
        let problems = JSONValue(parsing: outcome.output)?["problems"]?.elements ?? []
        let paths = problems.compactMap { $0["path"]?.string }
        #expect(outcome.code == 3 && paths.sorted() == ["daily_cap", "kinds", "name", "z"], "\(outcome)")
        #expect(problems.first { $0["path"]?.string == "name" }?["problem"]?.string?.hasPrefix(problem) == true)
    }

    @Test func `where a file stops being JSON is told by line and column`() throws {
        try shell.write("{\n  \"name\": \"own\",\n  \"kinds\": [,]\n}\n", to: "own.json")
        #expect(
            shell.belfry("policy", "check", "own.json")
                == .failed(3, "own.json: not JSON: line 3, column 13: expected a JSON value"))
        try shell.write([0xFF, 0xFE], to: "own.json")
        #expect(shell.belfry("policy", "check", "own.json").code == 3)
        try shell.write([], to: "own.json")
        #expect(shell.belfry("policy", "check", "own.json").errors.contains("line 1, column 1: the text ends here"))
    }

    @Test func `a file that cannot be read is named`() throws {
        #expect(
            shell.belfry("policy", "check", "microcomit")
                == .failed(
                    3,
                    "there is no policy and no file \"microcomit\"; did you mean microcommit? Name a file, or one of standard, coachme, screentime, messageai, microcommit"
                ))
        #expect(
            shell.belfry("policy", "check", "own.json") == .failed(3, "cannot open own.json: No such file or directory")
        )
        try shell.makeDirectory("folder")
        #expect(shell.belfry("policy", "show", "folder") == .failed(3, "cannot read folder: it is a directory"))
        try shell.write(String(repeating: " ", count: 1 << 20) + "{}", to: "long.json")
        #expect(
            shell.belfry("policy", "check", "long.json")
                == .failed(3, "long.json is longer than 1048576 bytes; no policy is"))
    }

    @Test func `wrong usage`() {
        for (words, complaint) in [
            (["policy"], "policy needs list|show|check"),
            (["policy", "frob"], "policy cannot \"frob\"; it can list, show, check"),
            (["policy", "show"], "policy show needs P, a shipped policy's name or a file"),
            (["policy", "check", ""], "P is empty"),
            (["policy", "list", "standard"], "\"standard\" is more than policy list takes"),
            (["policy", "show", "standard", "coachme"], "policy takes one P, and \"coachme\" is a second"),
        ] {
            let outcome = shell.belfry(words, input: [])
            #expect((outcome.code, outcome.output) == (2, ""))
            #expect(outcome.errorLines.first == "belfry: " + complaint)
        }
    }
}
