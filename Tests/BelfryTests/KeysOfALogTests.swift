import Delivery
import Foundation
import Testing

@Suite("The keys of a log, and the master key that opens them")
struct KeysOfALogTests {
    let shell = Shell()

    @Test func `without its keys nothing starts, and verify needs none`() throws {
        shell.importing(EraseTests.life)
        for name in ["keys", "keys.table", "master.key"] {
            let bytes = try shell.read("events/log/\(name)")
            try shell.remove("events/log/\(name)")
            for words in [["run"], ["append"], ["state", "--user", "anna@home"], ["replay"]] {
                let outcome = shell.belfry(words, input: [])
                #expect(outcome.code == 5, "\(words) without \(name)")
                #expect(
                    outcome.errors.contains("events/log/\(name)") && outcome.errors.contains("backup"),
                    "\(outcome.errors)")
            }
            #expect(shell.belfry("verify").code == 0)
            try shell.write(bytes, to: "events/log/\(name)")
            #expect(chmod(shell.path("events/log/\(name)"), 0o600) == 0)
        }
        #expect(shell.belfry("state", "--user", "anna@home").code == 0)
    }

    /// A master key of its own in a file that only its owner reads, in front of the keys of other files.
    private func masterKey(_ name: String, before others: String = "") throws {
        try shell.write(shell.bash("openssl rand -hex 64").output + others, to: name)
        #expect(chmod(shell.path(name), 0o600) == 0)
    }

    @Test func `a running worker takes the newest master key, and the one before opens nothing any more`() throws {
        try masterKey("master")
        let old = String(decoding: try shell.read("master"), as: UTF8.self)
        try shell.write(old, to: "old")
        #expect(chmod(shell.path("old"), 0o600) == 0)
        let worker = shell.start(["run", "--master-key-file", "master"])
        try worker.expectReady()
        let door = WorkerDoor(shell)
        let facts = EraseTests.life.replacing(/,"at":"[^"]*"/, with: "")
        #expect(door.append(facts)?.status == 200)
        // What is no key changes nothing, and is told.
        try shell.write("no key\n", to: "master")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the master key stays as it was") != nil)
        #expect(door.append(facts.replacing("fact-of-hers", with: "another"))?.status == 200)
        try masterKey("master", before: old)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the newest master key is used") != nil)
        let cora = fact("user_enrolled", user: "cora", data: #"{"timezone":"UTC","name":"Cora"}"#)
        #expect(door.append(cora)?.status == 200)
        #expect(door.get("v1/people/anna@home/state")?.status == 200)
        worker.expectStopped()
        #expect(shell.belfry("state", "--user", "anna@home", "--master-key-file", "master").code == 0)
        let before = shell.belfry("state", "--user", "anna@home", "--master-key-file", "old")
        #expect(before.code == 5 && before.errors.contains("another master key than old"), "\(before.errors)")
    }

    @Test func `a master key that is given is used, and another opens nothing`() throws {
        for name in ["one", "two"] { try masterKey(name) }
        let given = shell.belfry(
            ["import", "-", "--policy", "standard", "--master-key-file", "one"], input: Array(EraseTests.life.utf8))
        #expect(given.code == 0, "\(given.errors)")
        #expect(!shell.names(in: "events/log").contains("master.key"))
        #expect(shell.belfry("state", "--user", "anna@home", "--master-key-command", "cat one").code == 0)
        let wrong = shell.belfry("state", "--user", "anna@home", "--master-key-file", "two")
        #expect(wrong.code == 5 && wrong.errors.contains("another master key than two"), "\(wrong.errors)")
        let both = shell.belfry(
            "state", "--user", "anna@home", "--master-key-file", "one", "--master-key-command", "cat one")
        #expect(both.code == 2)
    }
}
