import Audit
import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// Whoever was erased has no part in a run of everybody, and that it was made is known for as long as the log lives (`E1`, `G5`).
@Suite("Runs of everybody, and people who are erased")
struct ErasedInRunsTests {
    private let life = ErasedLife()

    private func enrol(_ users: [String]) throws {
        if life.machine.core == nil { life.machine.start() }
        for user in users { try life.tell(user, #""type":"user_enrolled","data":{"timezone":"Europe/Paris"}"#) }
    }

    private func run(_ id: String) throws -> Fact {
        try FactReader(zoneProblem: { _ in nil })
            .read(#"{"type":"run_requested","id":"\#(id)","data":{"kind":"check_in"}}"#)
    }

    private func runs() throws -> [Event] {
        try life.machine.commits().joined().filter { $0.payload.type == RunRequested.type }
    }

    /// Nothing failed, and the log holds what it promises, also for whoever starts with it now.
    private func expectSound() throws {
        #expect(life.machine.core?.failure == nil)
        life.machine.crash(.kept, seed: 1)
        life.machine.start()
        #expect(try life.replay().differing == 0)
        #expect(try life.audit().violations.isEmpty)
    }

    @Test func `a run behind an erasure is of the others alone, and its key is nobody's`() throws {
        try enrol(["p1", "p2", "p3"])
        try life.erase("p3")
        let receipt = try life.tell(run("R1"))
        #expect(try runs().map(\.user) == ["p1", "p2", nil])
        #expect(try runs().map(\.id) == [nil, nil, "R1"])
        let seq = try #require(try runs().last?.seq)
        #expect(receipt == .recorded(seq: seq, warnings: []))
        try expectSound()
        #expect(try life.tell(run("R1")) == .duplicate(of: seq))
    }

    @Test(arguments: [false, true])
    func `a run is known though the last of its people was erased since`(isAfterAStart: Bool) throws {
        try enrol(["p1", "p2", "p3"])
        guard case .recorded(let seq, _)? = try life.tell(run("R1")) else {
            Issue.record("the run was not taken")
            return
        }
        try life.erase("p3")
        try enrol(["p4"])
        if isAfterAStart { try expectSound() }
        #expect(try life.tell(run("R1")) == .duplicate(of: seq))
        #expect(try runs().compactMap(\.user) == ["p1", "p2", "[erased 2]"])
        try expectSound()
    }

    @Test func `a run now says nothing of whoever was erased, and is tried out without them`() throws {
        try enrol(["p1", "p2", "p3"])
        try life.erase("p2")
        let order = RunOrder(kind: "check_in")
        let log = try LogReader(SimulatedMachine.directory, on: life.machine.disk)
        var trial = RunTrial(try FoldedLog.load(log, .standard(ShippedPlans.zones)))
        let tried = try trial.run(order, at: life.machine.clock)
        #expect(Set(tried.compactMap(\.user)) == ["p1", "p3"])
        let piece = Hearing<TrialPiece>()
        life.machine.core?.ask(trial: order, from: 0, at: life.machine.clock, piece.hear)
        life.machine.settle()
        #expect(try piece.all.first?.get().decisions.compactMap(\.user) == tried.compactMap(\.user))
        let heard = Hearing<RunReceipt>()
        life.machine.core?.ask(run: order, heard.hear)
        life.machine.core?.ask(run: RunOrder(users: ["[erased 1]"], kind: "check_in"), heard.hear)
        life.machine.settle()
        guard case .success? = heard.all.first, case .failure(.problem)? = heard.all.last, heard.all.count == 2 else {
            Issue.record("answered \(heard.all)")
            return
        }
        #expect(try runs().map(\.user) == ["p1", "p3"])
        try expectSound()
    }

    @Test func `where all were erased a run is recorded once, and of nobody`() throws {
        try enrol(["p1", "p2"])
        for user in ["p1", "p2"] { try life.erase(user) }
        guard case .recorded(let seq, _)? = try life.tell(run("R1")) else {
            Issue.record("the run was not taken")
            return
        }
        try expectSound()
        #expect(try life.tell(run("R1")) == .duplicate(of: seq))
        #expect(try runs().map(\.user) == [nil])
    }

    // MARK: As earlier versions wrote it

    /// The facts of a run, of which the last has its id.
    private func earlierRun(of users: [String], id: String, kind: String = "check_in") -> [Entry] {
        var request = RunRequested()
        request.kind = Identifier(kind)
        return users.map { user in
            Entry(user: user, id: user == users.last ? id : nil, payload: .runRequested(request))
        }
    }

    /// Writes each of them as a commit, erases people, and opens the log.
    private func opening(of commits: [[Entry]], erasing users: [String]) throws -> WorkerOpening {
        try life.machine.stop()
        let journal = try Journal(SimulatedMachine.directory, on: life.machine.disk, holder: "an earlier version")
        for entries in commits { _ = try journal.append(entries, at: life.machine.clock) }
        try journal.commit()
        try journal.close()
        life.machine.start()
        for user in users { try life.erase(user) }
        try life.machine.stop()
        return try WorkerOpening(
            SimulatedMachine.directory, on: life.machine.disk, holder: "a test", .standard(ShippedPlans.zones))
    }

    @Test func `a run whose id went with its last person is known by its facts`() throws {
        try enrol(["p1", "p2", "p3"])
        let (first, second) = (
            earlierRun(of: ["p1", "p2", "p3"], id: "everyone:7"),
            earlierRun(of: ["p1", "p2", "p3"], id: "everyone:8", kind: "daily_digest")
        )
        let opening = try opening(of: [Array(first.prefix(1)), Array(first.dropFirst()), second], erasing: ["p3"])
        #expect(try !opening.hasFact("everyone:7") && !opening.hasFact("everyone:8"))
        #expect(
            try opening.lostRuns(since: .distantPast) == [RunOrder(kind: "check_in"), RunOrder(kind: "daily_digest")])
        #expect(try opening.lostRuns(since: .distantFuture) == [])
        try opening.core.close()
    }

    @Test func `neither a run whose id can be read nor a fact about one person alone is taken for one`() throws {
        try enrol(["p1", "p2", "p3"])
        let commits = [
            earlierRun(of: ["p3"], id: "own"), earlierRun(of: ["p1", "p3"], id: "other"),
            earlierRun(of: ["p1", "p2"], id: "everyone:7"),
        ]
        let opening = try opening(of: commits, erasing: ["p3"])
        #expect(try opening.hasFact("everyone:7"))
        #expect(try opening.lostRuns(since: .distantPast) == [])
        try opening.core.close()
    }
}
