import Foundation
import Testing

/// A policy that keeps nobody who left (E1): what goes with `belfry erase` goes with it.
@Suite("Retention, as an operator sees it")
struct RetentionTests {
    let shell = Shell()

    private static let policy =
        #"{"name":"short","retention":{"people_after_days":30},"kinds":[{"name":"alert","on_request":true,"priority":"critical"}]}"#

    /// Months before any clock that this runs by.
    private static let life = [
        #"{"type":"policy_adopted","at":"\#(monday("08:00:00"))","data":{"policy":\#(policy)}}"# + "\n",
        fact(
            "user_enrolled", user: "anna@home", id: "fact-of-hers", at: monday("09:00:00"),
            data: #"{"timezone":"UTC","email":"anna@example.com","name":"Zweig"}"#),
        fact(
            "notice_requested", user: "anna@home", at: monday("09:30:00"),
            data: #"{"kind":"alert","title":"Come at once"}"#),
    ].joined()

    private static let secrets = ["anna@home", "Zweig", "anna@example.com", "Come at once", "fact-of-hers"]

    private var found: [String] { Secrets(Self.secrets).found(under: "events/log", of: shell) }

    private func expectErased() throws {
        #expect(found == [])
        let log = shell.belfry("log").output
        for secret in Self.secrets { #expect(!log.contains(secret), "\(secret)") }
        let erased = #""type":"person_erased","user":"[erased 0]","data":{"derived":true,"after_days":30}"#
        #expect(log.contains(erased), "\(log)")
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
        #expect(shell.belfry("audit").output.contains("0 violations"))
        #expect(shell.belfry("state", "--user", "anna@home").code == 3)
    }

    @Test func `a worker erases who left while nobody was at work`() throws {
        shell.importing(Self.life)
        #expect(shell.belfry("snapshot").code == 0)
        var worker = shell.start(["run"])
        try worker.expectReady()
        #expect(worker.complaint(of: "somebody was erased") != nil)
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        #expect(end.code == 0)
        for secret in Self.secrets { #expect(!end.errors.contains(secret), "\(secret)") }
        try expectErased()
        // Their tokens were counted: nobody else's have to end.
        worker = shell.start(["run"])
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(!worker.waitForEnd().errors.contains("the tokens of all persons were"))
    }

    /// More than are erased before their keys have to be gone (`G11`).
    @Test(.timeLimit(.minutes(2))) func `an order without a worker ends, however many have left by then`() throws {
        let crowd = (0..<70).map {
            fact("user_enrolled", user: "u\($0)", at: monday("10:00:00"), data: #"{"timezone":"UTC"}"#)
        }
        shell.importing(Self.life + crowd.joined())
        #expect(shell.belfry("run-now").code == 0)
        try expectErased()
        #expect(shell.belfry("log", "--type", "person_erased").lines.count == 71)
    }

    @Test func `what was left for whoever is erased at the start is handed to nobody (E1)`() throws {
        shell.importing(Self.life)
        let worker = shell.start(["run", "--jobs", "stdout"])
        try worker.expectReady()
        let asked =
            fact("user_enrolled", user: "bob", data: #"{"timezone":"UTC"}"#)
            + fact("notice_requested", user: "bob", data: #"{"kind":"alert","title":"Hello"}"#)
        #expect(shell.belfry("append", input: asked).code == 0)
        let line = try #require(worker.line())
        #expect(line.contains("Hello"), "\(line)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().output == "")
        try expectErased()
    }

    @Test func `a command that finds no worker does as one would`() throws {
        shell.importing(Self.life)
        #expect(shell.belfry("snapshot").code == 0)
        #expect(shell.belfry("append", input: fact("app_opened", user: "bob")).code == 0)
        try expectErased()
        let worker = shell.start(["run"])
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(!worker.waitForEnd().errors.contains("the tokens of all persons were"))
    }

    /// The snapshots of before beside the mark are what a crash leaves between an erasure and its new snapshots.
    @Test func `an erasure that is refused erases nobody else, and ends one that was cut off`() throws {
        shell.importing(Self.life)
        #expect(shell.belfry("snapshot").code == 0)
        let before = try shell.names(in: "events/log").filter { $0.hasSuffix(".snapshot") }
            .map { name in (path: "events/log/\(name)", bytes: try shell.read("events/log/\(name)")) }
        let log = shell.belfry("log")
        func refuse() {
            let refused = shell.belfry("erase", "--user", "nobdy", "--yes")
            #expect(refused.code == 3 && refused.output == "", "\(refused)")
        }
        refuse()
        #expect(shell.belfry("log") == log && found != [], "the snapshots tell of her")
        #expect(shell.belfry("append", input: fact("app_opened", user: "bob")).code == 0)
        #expect(found == [])
        for file in before { try shell.write(file.bytes, to: file.path) }
        try shell.write("", to: "events/log/erasing")
        #expect(found != [], "the old snapshots tell of her")
        refuse()
        #expect(!shell.names(in: "events/log").contains("erasing"))
        try expectErased()
    }

    @Test func `an import erases on the way, and simulate shows when`() throws {
        shell.importing(Self.life + fact("app_opened", user: "bob", at: "2026-06-01T12:00:00Z"))
        try expectErased()
        try shell.write(Self.policy, to: "short.json")
        let facts = Self.life.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
        let told = shell.belfry(
            "simulate", "-", "--policy", "short.json", "--until", "2026-06-01T12:00:00Z", input: facts)
        let erased = #""at":"2026-04-01T09:00:00.000Z","type":"person_erased","user":"anna@home""#
        #expect(told.output.contains(erased), "\(told.output)")
    }

    @Test func `a worker erases what people were told, and they stay`() throws {
        shell.importing(Self.life.replacing("people_after_days", with: "texts_after_days"))
        #expect(shell.belfry("log").output.contains("Come at once"), "an import erases no texts")
        #expect(shell.belfry("snapshot").code == 0)
        let worker = shell.start(["run"])
        try worker.expectReady()
        #expect(worker.complaint(of: "texts of notices were erased") != nil)
        #expect(worker.complaint(of: "a snapshot was taken") != nil)
        let export = shell.belfry("export", "--user", "anna@home").output
        #expect(
            export.contains("Zweig") && export.contains("[erased]") && !export.contains("Come at once"), "\(export)")
        let history = shell.belfry("history", "--user", "anna@home", "--days", "3650").output
        #expect(history.contains("alert") && history.contains("(what it said is erased)"), "\(history)")
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        #expect(!found.contains { $0.hasPrefix("Come at once") }, "\(found)")
        let log = shell.belfry("log").output
        #expect(log.contains(#""type":"texts_erased","data":{"before":"#) && log.contains("anna@example.com"), "\(log)")
        #expect(!log.contains("Come at once"))
        #expect(shell.belfry("verify").code == 0)
        #expect(shell.belfry("replay", "--verify").output.contains("0 differ"))
        #expect(shell.belfry("audit").output.contains("0 violations"))
    }

    /// What was erased without it only a start finds out.
    @Test func `a spool loses such texts at the start of the next worker that has it`() throws {
        shell.importing(Self.life.replacing("people_after_days", with: "texts_after_days"))
        #expect(shell.belfry("append", input: fact("app_opened", user: "bob")).code == 0)
        #expect(shell.belfry("log").output.contains(#""type":"texts_erased""#))
        func job(at: String) -> String {
            #"{"type":"job","user":"anna@home","at":"\#(at)","title":"Come at once"}"# + "\n"
        }
        try shell.makeDirectory("spool")
        let (old, new) = ("00000000000000000003.json", "00000000000000000099.json")
        try shell.write(job(at: monday("09:30:00")), to: "spool/\(old)")
        try shell.write(job(at: "2199-01-01T00:00:00Z"), to: "spool/\(new)")
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        worker.expectStopped()
        let left = shell.names(in: "spool")
        #expect(!left.contains(old) && left.contains(new), "\(left)")
    }

    @Test func `keys from before a week in which people were told something are told at the start`() throws {
        shell.importing(Self.life.replacing("people_after_days", with: "texts_after_days"))
        let names = ["keys", "keys.table", "master.key"].map { "events/log/\($0)" }
        let backup = try names.map { try shell.read($0) }
        // It records something in a week that the keys of before know nothing of.
        let worker = shell.start(["run"])
        try worker.expectReady()
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        for (name, bytes) in zip(names, backup) { try Data(bytes).write(to: URL(filePath: shell.path(name))) }
        for command in [["run"], ["append"], ["run-now"]] {
            let refused = shell.belfry(command, input: Array(fact("app_opened", user: "bob").utf8))
            #expect(refused.code == 5, "\(command): \(refused.code) \(refused.errors)")
            #expect(
                refused.errors.contains("keys.table is older than the log: what people were told from"),
                "\(refused.errors)")
        }
        #expect(shell.belfry("verify").code == 0)
    }

    @Test func `a log from before with the keys of after goes on, and its texts stay erased`() throws {
        shell.importing(Self.life.replacing("people_after_days", with: "texts_after_days"))
        let keys = ["keys", "keys.table", "master.key"]
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
        let log = try names.filter { !keys.contains($0) }.map { ($0, try shell.read("events/log/\($0)")) }
        let worker = shell.start(["run"])
        try worker.expectReady()
        #expect(worker.complaint(of: "texts of notices were erased") != nil)
        worker.send(signal: SIGTERM)
        #expect(worker.waitForEnd().code == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: shell.path("events/log"))
        where !keys.contains(name) {
            try FileManager.default.removeItem(atPath: shell.path("events/log/\(name)"))
        }
        for (name, bytes) in log { try Data(bytes).write(to: URL(filePath: shell.path("events/log/\(name)"))) }
        let told = shell.belfry("append", input: fact("app_opened", user: "bob"))
        #expect(told.code == 0, "\(told)")
        let said = shell.belfry("log").output
        #expect(said.contains("anna@example.com") && !said.contains("Come at once"), "\(said)")
    }

    @Test func `state tells when it ends`() throws {
        shell.importing(Self.life)
        let state = shell.belfry("state", "--user", "anna@home", "--at", monday("10:00:00"), "--json")
        #expect(
            state.output.contains(#""retention_ends":"2026-04-01T09:00:00.000Z""#), "\(state.output)\(state.errors)")
        let table = shell.belfry("state", "--user", "anna@home", "--at", monday("10:00:00"))
        #expect(table.output.contains("unless something is heard of them"))
    }
}
