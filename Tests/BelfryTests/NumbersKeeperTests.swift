@testable import belfry
import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Testing
import Worker

@Suite("The figures of a running worker (V6)")
struct NumbersKeeperTests {
    private let disk = SimulatedDisk()

    /// A keeper of a log with some commits, and where the log ends.
    private func keeper(breaking: Bool) throws -> (keeper: NumbersKeeper, head: LogHead) {
        let journal = try Journal("/log", on: disk, holder: "the test")
        for user in ["anna", "ben", "cora"] {
            var held = NoticeHeld()
            (held.notice, held.kind, held.reason) = (
                NoticeName("\(user)/alert/#1"), Identifier("alert"), .quietHours
            )
            _ = try journal.append([Entry(user: user, payload: .noticeHeld(held))], at: .exampleStart)
            try journal.commit()
        }
        let head = journal.durableHead
        try journal.close()
        if breaking {
            let segment = try #require(disk.log.compactMap { $0.firstMatch(of: #/\/log\/[0-9a-f]+\.[a-z]+/#) }.first)
            disk.flipBit(path: String(segment.0), bit: 8 * 150)
        }
        let zones = try ZoneDatabase(searching: ZoneDatabase.usualDirectories)
        let log = RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1)
        return (NumbersKeeper("/log", on: disk, .standard(zones), log, durable: { head }), head)
    }

    @Test func `what waits is known once the log has been counted`() throws {
        let (keeper, head) = try keeper(breaking: false)
        #expect(keeper.waitingNotices == nil)
        keeper.start()
        defer { keeper.stop() }
        let report = try keeper.figures(within: 60).report(NumbersQuery())
        #expect(report.throughSeq == head.lastSeq && keeper.waitingNotices == WaitingNotices(held: 3, gathered: 0))
    }

    @Test func `a log that cannot be counted is not tried again for everyone who asks, and each is told why`() throws {
        let (keeper, _) = try keeper(breaking: true)
        keeper.start()
        defer { keeper.stop() }
        #expect(problem(keeper) != nil)
        disk.countReads = true
        let looks = disk.operations
        for _ in 0..<10_000 {
            guard disk.operations == looks else { break }
            #expect(problem(keeper)?.hasPrefix("the figures cannot be counted: ") == true)
        }
        #expect(disk.operations == looks)
    }

    /// Why there are no figures; `nil` where there are some, or another reason.
    private func problem(_ keeper: NumbersKeeper) -> String? {
        do throws(NumbersKeeper.Shortfall) { _ = try keeper.figures(within: 60) } catch {
            if case .failed(let problem) = error { return problem }
        }
        return nil
    }
}
