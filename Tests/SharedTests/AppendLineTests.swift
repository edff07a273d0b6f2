import Foundation
import Shared
import SimulatedShared
import Synchronization
import Testing

@Suite("Rows are appended without keeping a worker waiting")
struct AppendLineTests {
    /// The answers of a line, in the order in which they came.
    private final class Answers: Sendable {
        private let heard = Mutex<[(Int, FlushOutcome)]>([])
        private let arrived = DispatchSemaphore(value: 0)

        func hear(_ partition: Int) -> AppendLine.Answer {
            { outcome in
                self.heard.withLock { $0.append((partition, outcome)) }
                self.arrived.signal()
            }
        }

        func first(_ count: Int) -> [(Int, FlushOutcome)] {
            for _ in 0..<count { arrived.wait() }
            return heard.withLock { $0 }
        }
    }

    @Test(arguments: LogKind.available) func `rows of many partitions are taken, each partition's in order`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker(for: .seconds(600))
        var holdings = try (0..<4).map { try worker.take($0) }
        let (line, answers) = (AppendLine(worker.connection, bytesMax: 200), Answers())
        for number in 0..<20 {
            for place in holdings.indices {
                let flush = holdings[place].flush("\(number)")
                line.append(flush, answers.hear(place))
                holdings[place] = holdings[place].after(flush)
            }
        }
        #expect(answers.first(80).allSatisfy { $0.1 == .taken })
        #expect(line.failure == nil)
        for holding in holdings {
            #expect(try worker.connection.tail(of: holding.partition) == holding.tail)
            #expect(try worker.connection.rows(of: holding.partition, from: 0, bytes: 1 << 20).count == 20)
        }
    }

    @Test func `what waits while a statement is under way shares the next one`() throws {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 8))
        let worker = try SharedBench(log: database, lapse: { _ in }, cut: { _ in }).worker()
        let holdings = try (0..<8).map { try worker.take($0) }
        let (line, answers) = (AppendLine(worker.connection), Answers())
        let before = database.messages
        // The first row's answer keeps the line busy until all others have been handed in.
        let handedIn = DispatchSemaphore(value: 0)
        let first = holdings[0].flush("first")
        line.append(first) { outcome in
            handedIn.wait()
            answers.hear(0)(outcome)
        }
        var second = holdings[0]
        for number in 0..<3 {
            second = second.after(number == 0 ? first : second.flush("\(number - 1)"))
            line.append(second.flush("\(number)"), answers.hear(0))
        }
        for holding in holdings.dropFirst() { line.append(holding.flush("one"), answers.hear(holding.partition)) }
        handedIn.signal()
        #expect(answers.first(11).allSatisfy { $0.1 == .taken })
        // The first row, then one of each partition, then two more of the first partition.
        #expect(database.messages == before + 4)
    }

    @Test(arguments: SimulatedSharedLog.Fault.allCases) func `after an unknown outcome nothing more is sent`(
        fault: SimulatedSharedLog.Fault
    ) throws {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 8))
        let worker = try SharedBench(log: database, lapse: { _ in }, cut: { _ in }).worker()
        let holding = try worker.take(0)
        let (line, answers) = (AppendLine(worker.connection), Answers())
        let first = holding.flush("first")
        database.plan(fault, atMessage: database.messages + 1)
        line.append(first, answers.hear(0))
        #expect(answers.first(1)[0].1 == .unknown)
        let before = database.messages
        line.append(holding.after(first).flush("second"), answers.hear(0))
        #expect(answers.first(1)[1].1 == .lost)
        #expect(database.messages == before)
        #expect(line.failure != nil)
    }

    @Test func `a refusal stops the line, and says why`() throws {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: 8))
        let worker = try SharedBench(log: database, lapse: { _ in }, cut: { _ in }).worker()
        let holding = try worker.take(0)
        let (line, answers) = (AppendLine(worker.connection), Answers())
        database.refuse(with: .full("no room"))
        line.append(holding.flush("first"), answers.hear(0))
        #expect(answers.first(1)[0].1 == .lost)
        #expect(line.failure == .full("no room"))
        database.refuse(with: nil)
        #expect(try worker.connection.tail(of: 0) == .start)
    }
}
