import CivilTime
import Journal
import Notices
import Simulation
import Testing
@testable import Worker

@Suite("A snapshot that cannot be believed is passed over")
struct SnapshotBeliefTests {
    private let log: WrittenHistory
    private let whole: Outcome
    private let bytes: [UInt8]

    init() throws {
        log = try WrittenHistory.standard(seed: 6, "microcommit")
        let count = log.history.commits.count
        try log.write(0..<count - 5)
        try log.take()
        try log.write(count - 5..<count)
        whole = Outcome(try log.load(usingSnapshot: false))
        bytes = try #require(log.disk.contents(WrittenHistory.path))
    }

    /// Loads the log with other bytes in the place of its snapshot.
    private func expect(
        isBelieved: Bool = false, _ bytes: [UInt8], _ circumstances: String, _ beginning: Beginning? = nil
    ) throws {
        let disk = log.disk.copy()
        disk.setContents(WrittenHistory.path, bytes)
        let folded = try log.load(on: disk, beginning)
        #expect((folded.snapshot != nil) == isBelieved, "\(circumstances)")
        if beginning == nil { #expect(Outcome(folded) == whole, "\(circumstances)") }
    }

    @Test func `that is whole is believed`() throws {
        try expect(isBelieved: true, bytes, "whole")
    }

    @Test func `with any bit flipped, except in what is never read`() throws {
        var random = SeededRandom(seed: 1)
        var passed = 0
        // Everything of the beginning, then every eleventh byte.
        let tried = Array(0..<min(400, bytes.count)) + stride(from: 400, to: bytes.count, by: 11)
        for byte in tried {
            var broken = bytes
            broken[byte] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let disk = log.disk.copy()
            disk.setContents(WrittenHistory.path, broken)
            let folded = try log.load(on: disk)
            #expect(Outcome(folded) == whole, "byte \(byte)")
            if folded.snapshot == nil { passed += 1 }
        }
        // Of each of the six sections up to 7 bytes of padding, and of the header its last four bytes.
        #expect(passed >= tried.count - 6 * 7 - 4)
    }

    @Test func `cut anywhere`() throws {
        for length in stride(from: 0, to: bytes.count - 7, by: 13) {
            try expect(Array(bytes[..<length]), "cut to \(length)")
        }
        try expect([UInt8](repeating: 0, count: bytes.count), "zeros")
        try expect(bytes + [1], "longer")
    }

    @Test func `of another log`() throws {
        let other = try WrittenHistory.standard(seed: 6, "microcommit")
        try other.write(0..<other.history.commits.count - 5)
        try other.take()
        try expect(try #require(other.disk.contents(WrittenHistory.path)), "another log")
    }

    @Test func `of a longer log that was cut`() throws {
        let disk = log.disk.copy()
        try log.take(on: disk)
        let later = try #require(disk.contents(WrittenHistory.path))
        try expect(isBelieved: true, later, "not cut")
        let shorter = try WrittenHistory.standard(seed: 6, "microcommit")
        // The same log as of an earlier time, as a copy that was put back.
        let early = log.disk.copy()
        let reader = try LogReader(WrittenHistory.directory, on: early)
        let events = EventReader(reader)
        for _ in 0..<10 { _ = try events.nextCommit() }
        let segments = try early.list(WrittenHistory.directory).filter { $0.hasSuffix(".segment") }.sorted()
        let starts = try segments.map { try #require(Int($0.dropLast(".segment".count))) }
        let cut = Int(events.head.position)
        let last = try #require(starts.lastIndex { $0 <= cut })
        let path = "\(WrittenHistory.directory)/\(segments[last])"
        let segment = try #require(early.contents(path))
        early.setContents(path, Array(segment[..<(104 + cut - starts[last])]))
        for later in segments[(last + 1)...] { try early.remove("\(WrittenHistory.directory)/\(later)") }
        try early.remove("\(WrittenHistory.directory)/durable")
        early.setContents(WrittenHistory.path, later)
        // It is not believed, and shows that something is missing.
        do {
            _ = try shorter.load(on: early)
            Issue.record("a log that was longer was taken for whole")
        } catch JournalError.damaged(let damage) {
            #expect(damage.problem.contains("state.snapshot"), "\(damage)")
        }
        try early.remove(WrittenHistory.path)
        try early.remove("\(WrittenHistory.directory)/index.snapshot")
        #expect(try shorter.load(on: early).head.position == events.head.position)
    }

    /// The same identity, the same places, other commits: only the chain tells them apart.
    @Test func `of a history that was abandoned`() throws {
        let base = try WrittenHistory.standard(seed: 8)
        try base.write(0..<10)
        let abandoned = base.disk.copy()
        for (disk, user) in [(abandoned, "one"), (base.disk, "two")] {
            let journal = try Journal(WrittenHistory.directory, on: disk, holder: "the test")
            for round in 0..<3 {
                var points = PointsEarned()
                points.points = round + 1
                _ = try journal.append(
                    [Entry(user: user, payload: .pointsEarned(points))],
                    at: Instant(milliseconds: 4_000_000_000_000))
            }
            try journal.close()
        }
        try base.take(on: abandoned)
        for file in ["state.snapshot", "index.snapshot"] {
            base.disk.setContents(
                "\(WrittenHistory.directory)/\(file)",
                try #require(abandoned.contents("\(WrittenHistory.directory)/\(file)")))
        }
        let folded = try base.load()
        #expect(folded.snapshot == nil)
        #expect(folded.register.number(of: "one") == nil && folded.register.number(of: "two") != nil)
    }

    @Test func `of another version`() throws {
        let disk = log.disk.copy()
        let folded = try log.load(on: disk, usingSnapshot: false)
        #expect(try folded.write(to: WrittenHistory.directory, on: disk) > 0)
        try expect(isBelieved: true, try #require(disk.contents(WrittenHistory.path)), "this version")
        let identity = try #require(folded.identity)
        let writer = try SnapshotWriter(
            .state(version: StateSnapshot.version + 1), at: folded.head, of: identity,
            in: WrittenHistory.directory, on: disk)
        try writer.finish()
        try expect(try #require(disk.contents(WrittenHistory.path)), "another version")
    }

    @Test func `that began with another policy`() throws {
        let other = Beginning(
            ShippedPlans["standard"], policy: ShippedPolicies.text(of: "standard") ?? "",
            tzdb: ShippedPlans.zones.version)
        try expect(bytes, "another policy", other)
    }

    @Test func `that names a zone this machine does not know`() throws {
        let zones = ShippedPlans.zones
        let poor = Beginning(
            Plan(log.history.plan.rules) { $0.hasPrefix("E") ? try? zones.zone(named: $0) : nil },
            policy: log.beginning.policy, tzdb: zones.version)
        try expect(bytes, "an unknown zone", poor)
    }
}
