@testable import belfry
import CivilTime
import Delivery
import Foundation
import Dispatch
import Notices
import Shared
import Testing

/// What is wrong and stays so is to be seen for as long as it lasts, and no longer.
@Suite("Troubles")
struct TroublesTests {
    let shell = Shell()

    private func troubles() -> String? {
        WorkerDoor(shell).health()?.text.firstMatch(of: #/"troubles":(\[.*\])/#).map { String($0.1) }
    }

    private func waitFor(_ told: String) {
        waitForOthers { troubles()?.contains(told) == true }
        #expect(troubles()?.contains(told) == true, "\(troubles() ?? "")")
    }

    @Test func `a worker that is well has none, and says so under every name`() throws {
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        #expect(troubles() == "[]")
        let metrics = try #require(WorkerDoor(shell).get("metrics")).text.split(separator: "\n").map(String.init)
        for what in Trouble.What.allCases { #expect(metrics.contains("belfry_trouble{what=\"\(what.rawValue)\"} 0")) }
        #expect(try Printed(#require(WorkerDoor(shell).get("v1/now")).text)["troubles"] == "[]")
        worker.expectStopped()
    }

    /// Debian took names that browsers still send out of its tzdata, whose version stayed what it was.
    @Test func `people in a zone that the machine has lost are told of, and ring again once it is back (G6)`() throws {
        let enrolled = fact("user_enrolled", data: #"{"timezone":"Asia/Calcutta"}"#)
        #expect(shell.belfry("append", input: enrolled).code == 0)
        #expect(shell.bash("cp -r /usr/share/zoneinfo zones && rm -f zones/Asia/Calcutta").code == 0)
        let lost = ["TZDIR": shell.path("zones")]
        let worker = shell.start(["run", "--jobs", "spool:spool"], environment: lost)
        try worker.expectReady()
        let words =
            "1 person lives in zones that this machine's tz database does not know (Asia/Calcutta): nothing is sent to them"
        #expect(worker.complaint(of: words)?.contains(#""level":"warning""#) == true)
        waitFor(#"{"what":"unknown_zones","words":"\#(words)"#)
        worker.expectStopped()
        // What is kept of them meanwhile does not keep them silent.
        #expect(shell.belfry("snapshot", environment: lost).code == 0)
        let again = shell.start(["run", "--jobs", "spool:spool"])
        try again.expectReady()
        #expect(troubles() == "[]")
        #expect(shell.belfry("state", "--user", "anna", "--json").output.contains(#""next_wake":"20"#))
        again.expectStopped()
    }

    @Test func `a document that is refused stays told of until one is read that is right`() throws {
        func policy(cap: String) throws {
            try shell.write(
                #"{"name":"mine","daily_cap":\#(cap),"kinds":[{"name":"note","on_request":true}]}"#, to: "mine.json")
        }
        try policy(cap: "2")
        let worker = shell.start(["run", "--policy", "mine.json", "--jobs", "spool:spool"])
        try worker.expectReady()
        try policy(cap: #""many""#)
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the policy stays as it was: ") != nil)
        waitFor(#"{"what":"file_refused","words":"the policy stays as it was: mine.json: daily_cap"#)
        let metrics = try #require(WorkerDoor(shell).get("metrics")).text
        #expect(metrics.contains(#"belfry_trouble{what="file_refused"} 1"#))
        try policy(cap: "2")
        worker.send(signal: SIGHUP)
        #expect(worker.complaint(of: "the policy has not changed") != nil)
        waitFor("[]")
        worker.expectStopped()
    }

    @Test func `the cure that a refused file of tokens names is noticed by itself`() throws {
        let made = shell.belfry("token", "make", "--tokens", "tokens", "--name", "rita", "--role", "read")
        #expect(made.code == 0)
        try shell.write(WorkerPort.token + "\n", to: "token")
        #expect(chmod(shell.path("token"), 0o600) == 0)
        let worker = shell.start([
            "run", "--jobs", "spool:spool", "--listen", "0", "--token-file", "token", "--tokens", "tokens",
        ])
        try worker.expectReady()
        #expect(shell.bash("cp tokens next && chmod 666 next && mv next tokens").code == 0)
        #expect(worker.complaint(of: "the operators' tokens stay as they were") != nil)
        waitFor(#""what":"file_refused""#)
        #expect(shell.bash("chmod 600 tokens").code == 0)
        #expect(worker.complaint(of: "the operators' tokens were read again") != nil)
        waitFor("[]")
        worker.expectStopped()
    }

    @Test func `recorded time that is ahead of the clock is told of (T7)`() throws {
        try shell.writeLog(events: 1...1, start: .farFuture)
        let worker = shell.start(["run", "--jobs", "spool:spool"])
        try worker.expectReady()
        waitFor(#"{"what":"clock_behind","words":"recorded time of the log is "#)
        worker.expectStopped()
    }

    // MARK: By themselves

    @Test(
        arguments: [(0, nil, nil), (9, nil, nil), (10, 10, nil), (29, 29, nil), (30, 30, 30)] as [(Int, Int64?, Int64?)]
    )
    func `what does not come to the disk is told after 10 s, and after 30 s nobody is sent here`(
        seconds: Int, told: Int64?, unready: Int64?
    ) {
        let now = ContinuousClock.now
        #expect(WritePatience.usual.seconds(since: nil, by: now) == nil)
        #expect(WritePatience.usual.seconds(since: now - .seconds(seconds), by: now) == told)
        #expect(WritePatience.ready.seconds(since: now - .seconds(seconds), by: now) == unready)
    }

    @Test func `zones are named by how many live there, and not more than a few`() {
        #expect(UnknownZones([:]).words == nil)
        let few = UnknownZones(["Asia/Calcutta": 2, "Asia/Saigon": 7])
        #expect(few.people == 9 && few.words?.contains("(Asia/Saigon, Asia/Calcutta)") == true)
        let many = UnknownZones(Dictionary(uniqueKeysWithValues: (1...7).map { ("Old/Z\($0)", 1) }))
        #expect(many.words?.contains("(Old/Z1, Old/Z2, Old/Z3, Old/Z4, Old/Z5 and 2 more)") == true)
    }

    @Test func `another worker's are read as they are told, but for those of a newer one`() {
        let trouble = Trouble(.unchecked, "the log could not be checked: too few descriptors")
        #expect(Trouble(trouble.document) == trouble)
        #expect(Trouble(.object([.init("what", .string("new")), .init("words", .string("x"))])) == nil)
        #expect(NowPart.late(.init(parsing: #"[{"partition":1,"seconds":1e300}]"#)) == nil)
        #expect(NowPart.late(.init(parsing: #"[{"partition":1,"seconds":1.5}]"#)) == [1: 1500])
    }

    @Test func `one worker that stands still takes the time of nobody who asks another (M3)`() {
        let lanes = NeighbourLanes("test")
        let (gate, heard) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // As many as it has threads, and some who wait.
        for _ in 0..<20 { #expect(lanes.take(to: "http://frozen") { gate.wait() }) }
        #expect(lanes.take(to: "http://well") { heard.signal() })
        #expect(heard.wait(timeout: .now() + 300) == .success)
        #expect(lanes.count == 2)
        lanes.keep(["http://well"])
        #expect(lanes.count == 1)
        for _ in 0..<20 { gate.signal() }
    }

    @Test func `a lease that this worker itself keeps from being renewed is said to be that`() throws {
        let figures = ClusterFigures()
        figures.begin(Lease(of: .random(), .usual, clock: { BootInstant(nanoseconds: 0) }))
        #expect(figures.whyNotReady?.contains("the database") == true)
        #expect(figures.note(.renewed) == nil)
        let said = try #require(figures.note(.queueStandsStill))
        #expect(said == figures.whyNotReady && said.contains("own queue stands still"))
        #expect(figures.note(.queueStandsStill) == nil)
        #expect(figures.note(.renewed)?.contains("turns again") == true)
        #expect(figures.whyNotReady?.contains("the database") == true)
    }

    @Test func `a sink that answers nothing of what it was given is told after two minutes`() {
        var standing = CarrierStanding(name: "stdout", waiting: 0, isBroken: false, problem: nil)
        let now = Instant(seconds: 1_772_460_000)
        #expect(standing.silence(at: now) == nil)
        standing.silentSince = now.advanced(bySeconds: -119)
        #expect(standing.silence(at: now) == nil)
        #expect(
            standing.silence(at: now.advanced(bySeconds: 1))
                == Trouble(.sinkSilent, "stdout has answered nothing for 2 min, though jobs were given to it"))
    }

    @Test func `a database that refuses is asked less and less often, until it has taken for a while`() {
        var refusals = Refusals()
        #expect((0..<7).map { _ in refusals.next(after: .seconds(1)) } == [1, 2, 4, 8, 16, 30, 30])
        #expect(refusals.next(after: .seconds(60)) == 1 && refusals.next(after: .zero) == 2)
    }

    @Test func `a disk without an end is no reason to stop`() {
        #expect(MachineWatch.bytes(UInt64.max, of: 4096) == .max && MachineWatch.bytes(.max, of: 1) == .max)
        #expect(MachineWatch.bytes(3, of: 4096) == 12_288)
    }

    @Test func `of what a child says the first is kept, and the rest keeps it from nothing`() throws {
        let (process, pipe, words) = (Process(), Pipe(), ChildWords())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "echo first >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2"]
        process.standardError = pipe
        try process.run()
        words.begin(pipe)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && words.text.hasPrefix("first\nxxx") && words.text.utf8.count == 4096)
    }
}
