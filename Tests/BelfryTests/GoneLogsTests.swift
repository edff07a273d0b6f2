import Delivery
import Foundation
import Testing

/// A log of several that is gone is not begun anew: in it nobody would ever have opted out (`G3`, `G6`, `M6`).
@Suite("Logs of partitions that are gone")
struct GoneLogsTests {
    private let shell = Shell()

    /// People in both of two partitions, under a policy that no log adopts by itself.
    private func makeTown() throws {
        let worker = try shell.spooling("--partitions", "2", "--policy", "microcommit")
        #expect(WorkerDoor(shell).append(enrolled(1...12))?.status == 200)
        worker.expectStopped()
        for partition in ["0", "1"] {
            let met = shell.belfry("log", "--partition", partition, "--type", "user_enrolled")
            try #require(!met.lines.isEmpty, "\(met)")
        }
    }

    @Test(arguments: ["1", "everyone"], [false, true])
    func `whoever writes stops, and begins nothing`(name: String, isMountPoint: Bool) throws {
        try makeTown()
        let log = "events/log/\(name)"
        _ = shell.bash("mv \(log) kept")
        if isMountPoint { try shell.makeDirectory(log) }
        let orders = [
            ["append"], ["erase", "--user", "u1", "--yes"], ["test", "--user", "u2", "--kind", "check_in"], ["run-now"],
            ["verify"], ["run"],
        ]
        for words in orders {
            let outcome = shell.belfry(words, input: Array(enrolled(13...13).utf8))
            try #require(outcome.code == 4, "\(words): \(outcome)")
            #expect(outcome.errors.contains("there is no log in \(log) any more"), "\(words): \(outcome)")
        }
        #expect(name == "everyone" || shell.belfry("people").code == 4)
        let doctor = shell.belfry("doctor")
        #expect(
            doctor.code == 1 && doctor.lines.contains { $0.hasPrefix("FAIL  log") && $0.contains(log) }, "\(doctor)")
        #expect(shell.names(in: log) == [] && shell.names(in: "events/log").contains(name) == isMountPoint)
        _ = shell.bash("rm -rf \(log) && mv kept \(log)")
        #expect(shell.belfry("append", input: enrolled(13...13)).code == 0)
        try shell.spooling().expectStopped()
    }

    /// Whoever is another's would be in two of them, and reached twice.
    @Test func `a partition that is begun by hand takes its own people alone`() throws {
        try makeTown()
        _ = shell.bash("rm -rf events/log/1")
        let history = Array((shell.adoption(of: "standard", at: monday("00:00:00")) + enrolled(1...12)).utf8)
        let begun = shell.belfry(["import", "-", "--data", "events/log/1"], input: history)
        try #require(begun.code == 3, "\(begun)")
        let others = shell.belfry("log", "--data", "events/log/0", "--type", "user_enrolled").lines.count
        #expect(others > 0 && begun.errorLines.count { $0.contains("and this is partition 1") } >= others, "\(begun)")
        #expect(shell.belfry("verify").code == 0)
    }

    /// So it is where the first start was cut off, and the first to write was no worker.
    @Test func `a log that was opened and never written to is there`() throws {
        try shell.makeDirectory("events/log")
        try shell.write("belfry-partitions 1\ncount 3\n", to: "events/log/partitions")
        #expect(shell.belfry("append", input: enrolled(1...1)).code == 0)
        #expect((0..<3).count { !shell.segments(of: "events/log/\($0)").isEmpty } == 1)
        let second = shell.belfry("append", input: enrolled(2...9))
        try #require(second.code == 0, "\(second)")
        try shell.spooling().expectStopped()
        #expect(shell.belfry("verify").code == 0)
    }

    private func beginEveryone(_ policies: [String]) {
        _ = shell.bash("rm -rf events/log/everyone")
        let adoptions = policies.enumerated().map { place, policy in
            shell.adoption(of: policy, at: monday("00:00:0\(place)"))
        }
        let begun = shell.belfry(
            ["import", "-", "--data", "events/log/everyone"], input: Array(adoptions.joined().utf8))
        #expect(begun.code == 0, "\(begun)")
    }

    /// As earlier versions did by themselves.
    @Test(arguments: [
        (["standard"], "the copy of fact 2 about everyone, which their log does not hold"),
        (["microcommit", "standard"], "the copy of another fact 2 about everyone"),
    ])
    func `a log of everyone that was begun anew keeps all from going on`(policies: [String], complaint: String) throws {
        try makeTown()
        beginEveryone(policies)
        for words in [["append"], ["run"]] {
            let outcome = shell.belfry(words, input: Array(enrolled(13...13).utf8))
            try #require(outcome.code == 4 && outcome.errors.contains(complaint), "\(words): \(outcome)")
        }
        // As the runbook says.
        beginEveryone(["microcommit", "microcommit"])
        #expect(shell.belfry("append", input: enrolled(13...13)).code == 0)
        let worker = try shell.spooling()
        #expect(WorkerDoor(shell).get("v1/policy")?.text.contains("microcommit") == true)
        worker.expectStopped()
        #expect(shell.belfry("verify").code == 0)
    }
}
