@testable import belfry
import CivilTime
import Console
import Delivery
import Dispatch
import Foundation
import Journal
import Notices
import Simulation
import Synchronization
import Testing
import Worker

/// `G11`: facts, questions and health each have a way of their own through the worker.
@Suite("Facts beside questions that hang")
struct WorkerLanesTests {
    private static let patience = DispatchTimeInterval.seconds(60)
    private static let owner = Asker.Party.operator("socket")
    private let gate = GatedDisk()

    /// Answers, as they come.
    private final class Answers: Sendable {
        private let responses = Mutex<[HTTPResponse]>([])
        private let arrived = DispatchSemaphore(value: 0)

        func take(_ response: HTTPResponse) {
            responses.withLock { $0.append(response) }
            arrived.signal()
        }

        /// The statuses of so many answers, once they are there.
        func statuses(_ count: Int) -> [Int] {
            for _ in 0..<count where arrived.wait(timeout: .now() + WorkerLanesTests.patience) == .timedOut { break }
            return responses.withLock { $0.map(\.status).sorted() }
        }

        /// When each of them is welcome again.
        var comeAgain: [String?] { responses.withLock { $0.map { $0.headers["Retry-After"] } } }
    }

    /// Nothing is sent here.
    private struct IdleSink: Sink {
        let name = "idle"
        let window = 1

        func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) { answer(.taken(providerID: nil)) }
        func close(_ done: @escaping @Sendable () -> Void) { done() }
    }

    private func serving() throws -> (handler: HTTPHandler, worker: LiveWorker) {
        let clock: @Sendable () -> Instant = { .exampleStart }
        let directories = ZoneDatabase.usualDirectories
        let zones = try ZoneDatabase(searching: directories)
        let world = World(disk: gate, output: Output(), clock: clock, zoneDirectories: directories)
        let log = RunLog(least: .error, isTerminal: false, clock: clock, to: STDERR_FILENO)
        let opening = try WorkerOpening("/log", on: gate, holder: "a test", .standard(zones))
        let running = RunningLog(
            .whole, "/log", opening, world, zones, log,
            RunningLog.Neighbours(
                handOver: { _ in }, analyse: { _ in }, sendCodes: { _ in }, clockWasSet: {}, failed: { _ in }))
        let worker = running.worker
        let courier = Courier(
            sinks: [IdleSink()], clock: clock, read: { _ in [] }, record: { _, done in done(true) }, log: { _, _, _ in }
        )
        let town = Town(running, try DataDirectory("/log", on: gate))
        let keeper = Doorkeeper(own: nil, clock: clock)
        let service = WorkerService(
            town: town, courier: courier, policy: try PolicyKeeper(nil, world, zones, log), analyst: nil,
            sendsTexts: { false }, world: world, zones: zones, keeper: keeper, startedAt: .now,
            runs: WhatIfRuns("/log"),
            machine: MachineWatch("/log", logs: { ["/log"] }, SnapshotTally(), clock: clock),
            requests: RequestFigures(), streams: { (0, 16) },
            eraser: Eraser(
                town: town,
                memories: Eraser.Memories(courier: courier, analyst: nil, codes: nil, whatIfs: WhatIfRuns("/log")),
                keeper: keeper, log: log, cluster: nil, elsewhere: { [] }),
            reported: ReportTeller(clock: clock, log: log), files: [], isStopping: { false })
        return (Router(service.doors).handler(through: .socket), worker)
    }

    private func tell(_ handler: HTTPHandler, _ user: String, _ answers: Answers) {
        var request = HTTPRequest(method: "POST", target: "/v1/facts", body: Array(fact(user: user).utf8))
        #expect(handler.atOnce(&request) == nil)
        handler.answer(request, Asker(for: Self.owner)) { answers.take($0) }
    }

    private func ask(_ handler: HTTPHandler, _ asker: Asker, _ answers: Answers) {
        var question = HTTPRequest(method: "GET", target: "/v1/people/anna/state")
        #expect(handler.atOnce(&question) == nil)
        handler.answer(question, asker) { answers.take($0) }
    }

    @Test func `questions that hang on the disk keep no fact waiting, and are bounded in number`() async throws {
        let (handler, worker) = try serving()
        await worker.start()
        let (told, asked) = (Answers(), Answers())
        tell(handler, "anna", told)
        #expect(told.statuses(1) == [200])
        gate.shutForReaders()
        for _ in 0..<40 {
            ask(handler, Asker(for: Self.owner), asked)
        }
        #expect(gate.waitForArrival())
        for number in 0..<5 { tell(handler, "bert\(number)", told) }
        #expect(told.statuses(5) == [200, 200, 200, 200, 200, 200])
        var health = HTTPRequest(method: "GET", target: "/health")
        #expect(handler.atOnce(&health)?.status == 200)
        gate.openForReaders()
        let statuses = asked.statuses(40)
        #expect(statuses.count == 40)
        #expect(statuses.count { $0 == 200 } >= 32, "\(statuses)")
        #expect(statuses.contains(503), "as many as there are seats wait, and no more: \(statuses)")
        #expect(Set(statuses).isSubset(of: [200, 503]))
        _ = await worker.close()
    }

    @Test func `a question whose asker has gone is not read to its end`() async throws {
        let (handler, worker) = try serving()
        await worker.start()
        let (told, asked) = (Answers(), Answers())
        tell(handler, "anna", told)
        #expect(told.statuses(1) == [200])
        gate.shutForReaders()
        let asker = Asker(for: Self.owner)
        ask(handler, asker, asked)
        #expect(gate.waitForArrival())
        asker.leave()
        gate.openForReaders()
        #expect(asked.statuses(1) == [503], "nothing was folded for nobody")
        _ = await worker.close()
    }

    /// Its log has gone, to another worker or because this one stops: whoever asks comes again.
    @Test func `a feed that cannot be told now is asked for again, as any question`() async throws {
        let (handler, worker) = try serving()
        await worker.start()
        _ = await worker.close()
        let asked = Answers()
        for accepted in ["application/json", "text/event-stream"] {
            var question = HTTPRequest(method: "GET", target: "/v1/people/anna/feed")
            question.headers.append("Accept", accepted)
            #expect(handler.atOnce(&question) == nil)
            handler.answer(question, Asker(for: Self.owner)) { asked.take($0) }
        }
        #expect(asked.statuses(2) == [503, 503])
        #expect(asked.comeAgain == ["5", "5"])
    }
}
