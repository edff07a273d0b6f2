import CivilTime
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// "Run now" decides the same beside a worker and without one (`G2`).
@Suite("run-now, alone and beside a worker")
struct RunAloneTests {
    @Test(
        arguments: ShippedPolicies.names.flatMap { policy in
            (0..<(LongRun.isAskedFor ? 40 : 2) as Range<UInt64>).map { (policy, $0) }
        })
    func `the same log at the same instant gets the same bytes`(policy: String, seed: UInt64) throws {
        let history = RandomHistory(RandomHistory.Recipe(seed: seed, policy: policy))
        let kinds = history.plan.rules.policy.kinds.map(\.name.text)
        var added = 0
        for order in [RunOrder()] + kinds.flatMap({ [RunOrder(kind: $0), RunOrder(kind: $0, isForced: true)] }) {
            let machines = (0..<2).map { _ in SimulatedMachine(toldHalfOf: history, seed: seed) }
            let before = try machines[0].commits().joined().count
            // Much has become due since.
            for machine in machines { machine.clock = history.end.advanced(byMinutes: 60 * 24) }
            let beside = try Self.beside(machines[0], order)
            let alone = machines[1].core?.runAlone(order) { machines[1].clock }
            #expect(alone == beside, "\(order)")
            let logs = try machines.map { machine in
                try machine.stop()
                return printed(try machine.commits())
            }
            #expect(firstDifference(logs[0], logs[1]) == nil, "\(policy), seed \(seed), \(order)")
            added += logs[0].count - before
        }
        // Where messages are all there is, a day without any has nothing due.
        #expect(added > 0 || policy == "messageai")
    }

    private static func beside(
        _ machine: SimulatedMachine, _ order: RunOrder
    ) throws -> Result<RunReceipt, WorkerRefusal>? {
        let answer = Mutex<Result<RunReceipt, WorkerRefusal>?>(nil)
        try #require(machine.core).ask(run: order) { result in answer.withLock { $0 = result } }
        machine.settle()
        return answer.withLock { $0 }
    }
}
