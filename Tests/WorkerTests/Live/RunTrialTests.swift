import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// `run-now --dry-run` records nothing, and says what the run itself would come to (SPEC §13).
@Suite("run-now, tried out")
struct RunTrialTests {
    @Test(arguments: ShippedPolicies.names, 0..<4 as Range<UInt64>)
    func `it says what the run then does, and leaves the log as it is`(policy: String, seed: UInt64) throws {
        let history = RandomHistory(RandomHistory.Recipe(seed: seed, policy: policy))
        let beginning = Beginning(
            history.plan, policy: ShippedPolicies.text(of: policy) ?? "", tzdb: ShippedPlans.zones.version)
        let kinds = history.plan.rules.policy.kinds.map(\.name.text)
        var jobs = 0
        for order in [RunOrder()] + kinds.flatMap({ [RunOrder(kind: $0), RunOrder(kind: $0, isForced: true)] }) {
            let machine = SimulatedMachine(toldHalfOf: history, seed: seed)
            machine.clock = history.end.advanced(byMinutes: 60 * 24)
            let before = try bytes(on: machine.disk)
            var trial = RunTrial(
                try FoldedLog.load(try LogReader(SimulatedMachine.directory, on: machine.disk), beginning))
            var said: [Event]?
            var refusal: FieldError?
            do throws(FieldError) { said = try trial.run(order, at: machine.clock) } catch { refusal = error }
            #expect(try bytes(on: machine.disk) == before)

            let done = machine.core?.runAlone(order) { machine.clock }
            switch done {
            case .success(let receipt)?:
                let events = try machine.commits().joined().filter { $0.seq >= receipt.firstSeq }
                let wanted = events.filter { if case .jobEmitted = $0.payload { true } else { false } }
                #expect(said.map(jobsIn) == jobsIn(wanted), "\(policy), seed \(seed), \(order)")
                #expect(said.map(keptBack) == keptBack(events), "\(policy), seed \(seed), \(order)")
                #expect(receipt.jobs == wanted.count)
                jobs += wanted.count
            case .failure(.problem(let problem))?: #expect(refusal == problem, "\(order)")
            default: Issue.record("\(order) came to \(done as Any)")
            }
            try machine.stop()
        }
        // In the other policies a person may have nothing to be rung for; and in the first life all that was left gives way.
        #expect(jobs > 0 || policy != "standard" || seed == 0)
    }

    @Test func `it tells the jobs of those who were named, and refuses who is nobody`() throws {
        var told = 0
        // Somebody's check-ins may be off, and then there is nothing to tell.
        for seed in 1..<5 as Range<UInt64> {
            let history = RandomHistory(RandomHistory.Recipe(seed: seed, policy: "standard"))
            let machine = SimulatedMachine(toldHalfOf: history, seed: seed)
            let folded = try FoldedLog.load(
                try LogReader(SimulatedMachine.directory, on: machine.disk), .standard(ShippedPlans.zones))
            let user = try #require(try machine.commits().joined().compactMap(\.user).first)
            let at = history.end.advanced(byMinutes: 60 * 24)
            var trial = RunTrial(folded)
            let own = try trial.run(RunOrder(users: [user], kind: "check_in", isForced: true), at: at)
            #expect(own.allSatisfy { $0.user == user }, "seed \(seed)")
            told += own.count
            #expect(throws: FieldError.self) { try trial.run(RunOrder(users: ["nobody.known"]), at: at) }
        }
        #expect(told > 0)
    }

    private func jobsIn(_ events: [Event]) -> [JobEmitted] {
        events.compactMap { if case .jobEmitted(let job) = $0.payload { job } else { nil } }
    }

    /// Of the decisions those that send nothing.
    private func keptBack(_ events: [Event]) -> [Payload] {
        events.filter { !$0.isFact && $0.user != nil }.map(\.payload).filter { payload in
            if case .jobEmitted = payload { false } else { true }
        }
    }

    private func bytes(on disk: SimulatedDisk) throws -> [String: [UInt8]] {
        var bytes: [String: [UInt8]] = [:]
        for name in try disk.list(SimulatedMachine.directory) {
            bytes[name] = try disk.contents(of: DiskPath.join(SimulatedMachine.directory, name), limit: 1 << 30)
        }
        return bytes
    }
}
