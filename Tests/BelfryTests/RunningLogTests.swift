@testable import belfry
import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Testing
import Worker

/// A log that this process writes, with all that looks after it.
@Suite("A log in this process")
struct RunningLogTests {
    /// Partitions come and go while a cluster's worker runs, each with everybody's state and threads of its own.
    @Test(.timeLimit(.minutes(2))) func `nothing of it stays in memory once it has ended`() async throws {
        let (held, letGo) = AsyncStream<Void>.makeStream()
        try await live { letGo.finish() }
        for await _ in held {}
    }

    /// Whoever does anything with the log holds its disk, which so goes with the last of them.
    private func live(_ gone: @escaping @Sendable () -> Void) async throws {
        let log = try open(on: GatedDisk(gone: gone))
        log.start()
        // The hub's threads have something to do.
        let stream = log.hub.follow(EventFilter(), as: .lines, after: 0)
        _ = stream.next()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            _ = log.worker.catchUp { _ in done.resume() }
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            // It waits for the worker, on a thread of its own, so that tasks go on.
            Thread.detachNewThread {
                log.end()
                done.resume()
            }
        }
    }

    private func open(on disk: GatedDisk) throws -> RunningLog {
        let clock: @Sendable () -> Instant = { .exampleStart }
        let directories = ZoneDatabase.usualDirectories
        let zones = try ZoneDatabase(searching: directories)
        let world = World(disk: disk, output: Output(), clock: clock, zoneDirectories: directories)
        let log = RunLog(least: .error, isTerminal: false, clock: clock, to: STDERR_FILENO)
        return RunningLog(
            .whole, "/log", try WorkerOpening("/log", on: disk, holder: "a test", .standard(zones)), world, zones, log,
            RunningLog.Neighbours(
                handOver: { _ in }, analyse: { _ in }, sendCodes: { _ in }, clockWasSet: {}, failed: { _ in }))
    }
}
