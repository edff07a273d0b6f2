import CivilTime
import Foundation
import Simulation
import Testing

/// A worker that is told much, killed at any moment and started again at once, with a sink that fails.
final class Chaos {
    let shell = Shell()
    let senders: [ChaosSender]
    let receiver: ChaosReceiver
    /// What was wrong while it lived.
    private(set) var problems: [String] = []
    private(set) var kills = 0
    private(set) var fullDisks = 0
    /// Kills before anything was answered.
    private(set) var earlyKills = 0
    private let door: WorkerDoor
    private var random: SeededRandom
    /// How long the last one took until it answered.
    private var startMs = 100.0
    private var spooled: [String: [UInt8]] = [:]

    init(policy: String, seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        senders = (0..<2).map { number in
            ChaosSender(ChaosFacts(policy: policy, name: "s\(number)", seed: seed &+ UInt64(number) &+ 1))
        }
        door = WorkerDoor(shell)
        receiver = try ChaosReceiver(shell)
        try shell.write(try ChaosPolicy.text(of: policy), to: "policy.json")
        try shell.write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "secret")
        precondition(chmod(shell.path("secret"), 0o600) == 0, "the secret is everybody's")
    }

    private var command: [String] {
        [
            "run", "--policy", "policy.json", "--jobs", "spool:spool,webhook:\(receiver.url)",
            "--webhook-secret-file", "secret",
        ]
    }

    // MARK: Lives that end badly

    /// Killed while it starts, or while it is told facts: some time after it first answered, however long that took.
    func killedLife() {
        let isEarly = Int.random(in: 0..<4, using: &random) == 0
        let delay = isEarly ? Double.random(in: 0...startMs, using: &random) : .random(in: 20...300, using: &random)
        let known = senders.reduce(0) { $0 + $1.told.count }
        let worker = shell.start(command)
        let process = worker.process
        let (answered, killed) = (DispatchSemaphore(value: isEarly ? 1 : 0), DispatchSemaphore(value: 0))
        // A thread of its own: the senders keep Dispatch's busy. Nothing but the clock can say when a process dies.
        Thread.detachNewThread {
            answered.wait()
            poll(nil, 0, Int32(delay))
            kill(process, SIGKILL)
            killed.signal()
        }
        tell(worker, batches: 8) { answered.signal() }
        // Before it is waited for, since its number is its own until then.
        killed.wait()
        let end = worker.waitForEnd()
        if end.code != -SIGKILL { problems.append("exit \(end.code) before it was killed: \(end.errors)") }
        problems += complaints(end)
        kills += 1
        if senders.reduce(0, { $0 + $1.told.count }) == known { earlyKills += 1 }
        keepSpool()
    }

    /// Its files may not grow as long as it has something to say: it stops by itself (`G4`).
    func fullDisk() {
        let last = shell.segments(of: "events/log").last ?? ""
        let bytes = (try? shell.read(last).count) ?? 0
        let room = bytes / 1024 + Int.random(in: 1...30, using: &random)
        let script = #"ulimit -f \#(room); exec "$BELFRY" "$@""#
        let worker = Running(
            ["/bin/bash", "-c", script, "belfry"] + command, in: shell.directory.path,
            environment: ["BELFRY": Program.belfry.path])
        tell(worker, batches: 10_000)
        let end = worker.waitForEnd()
        if end.code != 5 || !end.errors.contains("File too large") {
            problems.append("exit \(end.code) of a full disk: \(end.errors)")
        }
        fullDisks += 1
        keepSpool()
    }

    private func tell(_ worker: Running, batches: Int, whenAnswered: () -> Void = {}) {
        let (senders, door, process, start) = (senders, door, worker.process, ContinuousClock.now)
        let known = senders.map(\.told.count)
        DispatchQueue.concurrentPerform(iterations: senders.count) { number in
            senders[number].tell(door, batches: 1, while: { Running.isAlive(process) })
        }
        if senders.map(\.told.count) != known {
            startMs = min(2000, Double((ContinuousClock.now - start) / .milliseconds(1)))
        }
        whenAnswered()
        DispatchQueue.concurrentPerform(iterations: senders.count) { number in
            senders[number].tell(door, batches: batches - 1, while: { Running.isAlive(process) })
        }
    }

    // MARK: The last one

    /// Everything that is due is decided, and every job handed out.
    func finish() throws -> Instant {
        let start = ChaosSender.now
        let ran = shell.belfry("run-now", "--json")
        if ran.code != 0 { problems.append("run-now: exit \(ran.code): \(ran.errors)") }
        try receiver.heal()
        let worker = shell.start(command)
        let deadline = ContinuousClock.now + .seconds(250)
        // What was sent and not acknowledged is sent once more.
        tell(worker, batches: 2)
        while door.health()?["waiting_jobs"] != "0", ContinuousClock.now < deadline, worker.isAlive { poll(nil, 0, 20) }
        problems += door.health()?["waiting_jobs"] == "0" ? [] : ["jobs still wait: \(door.health()?.text ?? "")"]
        worker.send(signal: SIGTERM)
        let end = worker.waitForEnd()
        if end.code != 0 { problems.append("exit \(end.code) of the last: \(end.errors)") }
        keepSpool()
        return start
    }

    private func complaints(_ end: Outcome) -> [String] {
        end.errorLines.filter { $0.contains("\"level\":\"error\"") || $0.contains("Fatal") }
    }

    /// A file in the spool stays what it was, whoever writes it anew.
    private func keepSpool() {
        for name in shell.names(in: "spool") where name.hasSuffix(".json") {
            guard let bytes = try? shell.read("spool/\(name)") else { continue }
            if let known = spooled.updateValue(bytes, forKey: name), known != bytes {
                problems.append("\(name) in the spool has changed")
            }
        }
    }
}

extension Running {
    /// Whether a process of this test's has not ended. One that has is not waited for by this.
    static func isAlive(_ process: pid_t) -> Bool {
        var state = siginfo_t()
        return waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 && state.si_signo == 0
    }

    var isAlive: Bool { Self.isAlive(process) }
}
