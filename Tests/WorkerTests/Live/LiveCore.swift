import CivilTime
import Notices
import Simulation
import Worker

/// A live worker turn by turn, on a simulated disk and under a virtual clock; what those who asked it have heard is in `answers`.
protocol LiveCore {
    var answers: Hearing<[FactReceipt]> { get }
}

extension LiveCore {
    static var noon: Instant { instant("2026-03-02T12:00:00Z") }

    func fact(_ line: String) throws -> Fact {
        try FactReader(zoneProblem: { ShippedPlans.zones.problem(with: $0) }).read(line)
    }

    func enrolled(_ user: String, id: String? = nil) throws -> Fact {
        let key = id.map { "\"id\":\"\($0)\"," } ?? ""
        return try fact(
            "{\"type\":\"user_enrolled\",\"user\":\"\(user)\",\(key)\"data\":{\"timezone\":\"Europe/Paris\"}}")
    }

    func machine(
        _ policy: String = "standard", at clock: Instant = Self.noon, limits: WorkerCore.Limits = WorkerCore.Limits()
    ) -> SimulatedMachine {
        let machine = SimulatedMachine(ShippedPlans[policy], at: clock, limits: limits, seed: 1)
        machine.start()
        return machine
    }

    /// A thousand people whose check-in comes at the same moment.
    func herd(_ limits: WorkerCore.Limits) throws -> SimulatedMachine {
        let machine = machine(at: instant("2026-03-03T12:00:00Z"), limits: limits)
        machine.core?.ask(facts: try (0..<1000).map { try enrolled("u\($0)") }, answers.hear)
        machine.settle()
        machine.clock = instant("2026-03-04T08:00:00Z")
        return machine
    }
}
