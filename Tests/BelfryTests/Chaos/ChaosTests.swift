import CivilTime
import Foundation
import Journal
import Notices
import Sealing
import Simulation
import Testing

/// Killing a worker anywhere loses no notice and repeats none (`G5`), nor anything acknowledged (`G3`), whatever its sinks
/// and its disk do.
@Suite("A worker under load, killed at random", .serialized)
struct ChaosTests {
    private static let isLong = LongRun.isAskedFor
    private static let kills = isLong ? 1000 : 100

    @Test(arguments: [("standard", 20_261_121 as UInt64), ("microcommit", 7)])
    func `nothing is lost, nothing comes twice, and the log is clean`(policy: String, seed: UInt64) throws {
        let chaos = try Chaos(policy: policy, seed: seed)
        while chaos.kills < Self.kills {
            chaos.killedLife()
            if chaos.kills % 20 == 10 { chaos.fullDisk() }
        }
        let end = try chaos.finish()
        let judgement = try ChaosJudgement(chaos)
        let problems = chaos.problems + chaos.senders.flatMap(\.problems) + (try judgement.problems(at: end))
        #expect(problems == [], "policy \(policy), seed \(seed)")

        // It was a life worth judging.
        #expect(chaos.fullDisks == Self.kills / 20)
        #expect(chaos.earlyKills > 0 && chaos.earlyKills < chaos.kills / 2)
        #expect(judgement.jobs.count > 100 && judgement.acknowledged > 1000)
        #expect(chaos.senders.reduce(0) { $0 + $1.refused } * 5 < judgement.acknowledged)
        #expect(judgement.types.isSuperset(of: ["job_emitted", "notice_held", "notice_dropped"]))
        #expect(judgement.tries > judgement.jobs.count)
    }
}

/// What must hold of a log, a spool and what a receiver got, after everything.
private struct ChaosJudgement {
    private let chaos: Chaos
    private let commits: [[Event]]
    /// The line of each job in the log, by its number.
    private(set) var jobs: [UInt64: (id: String, line: String)] = [:]
    private(set) var types: Set<String> = []
    private let bodies: [String: [String]]
    let tries: Int

    init(_ chaos: Chaos) throws {
        self.chaos = chaos
        let reader = EventReader(
            try LogReader(chaos.shell.path("events/log"), on: RealDisk(keys: LogKeys(.own))), checksHashes: true)
        var commits: [[Event]] = []
        while let commit = try reader.nextCommit() { commits.append(commit) }
        self.commits = commits
        for event in commits.joined() {
            types.insert("\(event.payload.type.name)")
            guard case .jobEmitted(let job) = event.payload else { continue }
            var line = ByteBuffer()
            event.writeJSON(into: &line)
            jobs[event.seq] = (job.job.text, line.text)
        }
        let seen = try chaos.receiver.seen()
        (bodies, tries) = (seen.bodies, seen.tries)
    }

    var acknowledged: Int { chaos.senders.reduce(0) { $0 + $1.told.count } }

    func problems(at end: Instant) throws -> [String] {
        let ledger = Ledger(commits)
        return try judged() + lostFacts() + jobsGoneWrong() + ledger.problems
            + ledger.overslept(at: end).map { "\($0) still waits though its time has come" }
    }

    /// What the program itself says of its log.
    private func judged() throws -> [String] {
        let shell = chaos.shell
        return [["verify"], ["replay", "--verify"], ["audit"]].compactMap { command in
            let said = shell.belfry(command, input: [])
            if command == ["replay", "--verify"], !said.output.contains(" 0 differ") { return "\(said)" }
            return said.code == 0 ? nil : "\(command): exit \(said.code): \(said.output)\(said.errors)"
        }
    }

    private func lostFacts() -> [String] {
        var problems: [String] = []
        var logged: [String: UInt64] = [:]
        for event in commits.joined() {
            guard let id = event.id else { continue }
            if logged.updateValue(event.seq, forKey: id) != nil { problems.append("\(id) is in the log twice") }
        }
        // What a fact had raised already is told as a duplicate of that fact, and has no event of its own (C7).
        let raising = Set(
            commits.joined().filter {
                ["goal_started", "goal_changed", "goal_ended", "checked_in", "points_earned"].contains(
                    "\($0.payload.type.name)")
            }.map(\.seq))
        for (id, seq) in chaos.senders.flatMap(\.told)
        where logged[id] != seq && !(logged[id] == nil && raising.contains(seq)) {
            problems.append("\(id) was acknowledged as \(seq) and is \(logged[id].map(String.init) ?? "not there")")
        }
        return problems
    }

    private func jobsGoneWrong() -> [String] {
        var problems: [String] = []
        for (seq, job) in jobs {
            let digits = String(seq)
            let name = "spool/" + String(repeating: "0", count: 20 - digits.count) + digits + ".json"
            let text = (try? chaos.shell.read(name)).map { String(decoding: $0, as: UTF8.self) }
            if text != job.line + "\n" { problems.append("\(name): \(text ?? "missing"), and not \(job.line)") }
            if bodies[job.id] != [job.line] { problems.append("\(job.id) was received as \(bodies[job.id] ?? [])") }
        }
        if Set(jobs.values.map(\.id)).count != jobs.count { problems.append("two jobs have one id") }
        let files = chaos.shell.names(in: "spool").count { $0.hasSuffix(".json") }
        if files != jobs.count { problems.append("\(files) files in the spool for \(jobs.count) jobs") }
        if bodies.count != jobs.count { problems.append("\(bodies.count) jobs received of \(jobs.count)") }
        return problems
    }
}
