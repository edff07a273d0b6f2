import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// What one wake costs the worker, everything but the disk, as people grow: agenda, deciding, encoding, hashing.
/// In time of the processor, since all of it is one thread's work.
struct WakeRows {
    let workspace: Workspace
    let options: Options

    private var wakes: Int { options.isQuick ? 20_000 : 500_000 }

    func run(into table: inout Table) throws {
        say("cost of a wake")
        var few: Double?
        for people in options.isQuick ? [10_000, 100_000] : [10_000, 1_000_000, 10_000_000] {
            let each = try cost(people)
            let growth = few.map { each / $0 }
            few = few ?? each
            let isLast = people == 10_000_000
            table.add(
                "a wake of \(grouped(Double(people))) people: decided, encoded, the next one armed",
                nanoseconds(each) + (growth.map { "; \(ratio($0)) × that of 10,000" } ?? ""),
                goal: isLast ? "≤ 2 ×" : "", isMet: isLast ? growth.map { $0 <= 2 } : nil,
                ("seconds", each), ("growth", growth ?? 1))
        }
    }

    /// Check-ins of people in zones all over the world, until so many have come.
    private func cost(_ people: Int) throws -> Double {
        let directory = try workspace.fresh("wakes")
        let zones = Self.zones
        var random = SplitMix(state: 5)
        let log = try LiveLog(
            in: directory, LiveLog.standardPlan(), people: people, at: Instant(milliseconds: 1_772_323_200_000),
            zone: { _ in zones[Int(random.next() % UInt64(zones.count))] })
        let core = WorkerCore(log.journal, log.register)
        let before = core.head.lastSeq
        var spent = 0.0
        while core.head.lastSeq - before < wakes {
            guard let due = core.nextWake else { break }
            let start = processorSeconds(CLOCK_THREAD_CPUTIME_ID)
            var turn = core.turn(at: due)
            while turn.again, turn.writes == nil { turn = core.turn(at: due) }
            spent += processorSeconds(CLOCK_THREAD_CPUTIME_ID) - start
            if let batch = turn.writes {
                try core.writer.write(batch)
                let start = processorSeconds(CLOCK_THREAD_CPUTIME_ID)
                let after = core.finished(batch, .success(()))
                precondition(after.writes == nil, "one batch held all that was decided")
                spent += processorSeconds(CLOCK_THREAD_CPUTIME_ID) - start
            }
        }
        let woken = core.head.lastSeq - before
        _ = core.commit()
        try core.close()
        try FileManager.default.removeItem(atPath: directory)
        return spent / Double(woken)
    }

    private static let zones = [
        "Europe/Paris", "America/New_York", "America/Los_Angeles", "Asia/Tokyo", "Asia/Kathmandu", "UTC",
        "America/Sao_Paulo", "Africa/Cairo", "Australia/Lord_Howe", "Europe/Dublin", "Asia/Kolkata", "Pacific/Apia",
        "Africa/Lagos", "America/Denver", "America/Chicago", "Asia/Dubai", "Asia/Karachi", "Asia/Bangkok",
        "Asia/Singapore", "Pacific/Auckland", "America/Anchorage", "Pacific/Honolulu", "Atlantic/Azores",
        "America/St_Johns",
    ]
}
