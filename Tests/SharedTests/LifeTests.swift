import Shared
import SimulatedShared
import Simulation
import Testing

@Suite("G3, G10: whatever is cut and hangs, what was acknowledged is there once")
struct LifeTests {
    /// How many messages a life takes that nothing disturbs.
    private static let messages = {
        let database = SimulatedSharedLog()
        _ = try? database.create(ClusterPlan(id: .random(), partitions: 3))
        try? SharedLife(database).live()
        return database.messages
    }()

    @Test(arguments: LogKind.available) func `an undisturbed life`(kind: LogKind) throws {
        let bench = try kind.bench()
        let life = SharedLife(bench.log)
        try life.live()
        #expect(life.acknowledged.count == 11)
        try life.check(try bench.log.connect(ConnectionTerms()), "undisturbed")
    }

    @Test(arguments: SimulatedSharedLog.Fault.allCases)
    func `every message is lost, hangs or is answered with a doubt once`(
        fault: SimulatedSharedLog.Fault
    ) throws {
        #expect(Self.messages > 40)
        for number in 1...Self.messages {
            for ending in [SimulatedSharedLog.Ending.keepsWaiting, .commits, .rollsBack] {
                let database = SimulatedSharedLog()
                _ = try database.create(ClusterPlan(id: .random(), partitions: 3))
                database.plan(fault, atMessage: number)
                database.whenWaitedFor(ending)
                let life = SharedLife(database)
                do {
                    try life.live()
                    database.calm()
                    try life.check(
                        try database.connect(ConnectionTerms()), "\(fault) at message \(number), then \(ending)")
                } catch {
                    Issue.record("\(fault) at message \(number), then \(ending): \(error)")
                }
            }
        }
    }

    @Test(arguments: 0..<200) func `many faults in one life`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 3))
        for number in 1...(Self.messages * 3) where random.next() % 12 == 0 {
            database.plan(
                try #require(SimulatedSharedLog.Fault.allCases.randomElement(using: &random)), atMessage: number)
        }
        let life = SharedLife(database, triesMax: 40)
        try life.live()
        database.calm()
        try life.check(try database.connect(ConnectionTerms()), "seed \(seed)")
    }
}
