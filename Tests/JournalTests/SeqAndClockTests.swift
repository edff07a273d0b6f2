import CivilTime
@testable import Journal
import Notices
import Simulation
import Testing

@Suite("T7, recorded time never goes backwards")
struct RecordedTimeTests {
    @Test func `an earlier instant is recorded as the last`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        let moves: [Int64] = [0, 5, 3, 5, -86_400_000, 6]
        for (number, move) in moves.enumerated() {
            _ = try journal.append([Sample.entry(number)], at: Sample.start.advanced(byMilliseconds: move))
        }
        try journal.close()
        let recorded = try WholeLog(Scribe.directory, on: disk).commits.map { $0[0].event.at.milliseconds }
        #expect(recorded.map { $0 - Sample.start.milliseconds } == [0, 5, 5, 5, 5, 6])
    }

    @Test(arguments: [0, 1 << 20]) func `not over a restart either`(snapshotEveryBytes: Int) throws {
        let disk = SimulatedDisk()
        for round in 0..<3 {
            let journal = try Journal(
                Scribe.directory, on: disk, holder: "scribe",
                options: JournalOptions(snapshotEveryBytes: snapshotEveryBytes))
            if round > 0 { #expect(journal.head.at == Sample.start) }
            _ = try journal.append([Sample.entry(round)], at: Sample.start.advanced(byDays: Int64(-round)))
            try journal.close()
        }
        #expect(try WholeLog(Scribe.directory, on: disk).commits.allSatisfy { $0[0].event.at == Sample.start })
    }

    @Test func `all of a commit is at one instant`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        _ = try journal.append(Sample.entries(0..<5), at: Sample.start)
        try journal.close()
        let instants = try WholeLog(Scribe.directory, on: disk).commits.first?.map(\.event.at)
        #expect(instants == [Instant](repeating: Sample.start, count: 5))
    }

    /// Duplicates make no commit, so they do not move the clock.
    @Test func `what is not recorded does not move the clock`() throws {
        let journal = try Journal(Scribe.directory, on: SimulatedDisk(), holder: "scribe")
        _ = try journal.append([Sample.points("anna", 1, id: "a")], at: Sample.start)
        _ = try journal.append([Sample.points("anna", 1, id: "a")], at: Sample.start.advanced(byDays: 1))
        _ = try journal.append([Entry](), at: Sample.start.advanced(byDays: 1))
        #expect(journal.head.at == Sample.start)
    }

    @Test(arguments: [Instant.distantPast, Instant(milliseconds: -1), Instant(milliseconds: 0), .distantFuture])
    func `any instant can be recorded`(instant: Instant) throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        var entry = Sample.entry(4)
        entry.occurredAt = instant
        _ = try journal.append([entry], at: instant)
        try journal.close()
        let event = try #require(try WholeLog(Scribe.directory, on: disk).commits.first?.first?.event)
        #expect(event.at == instant && event.occurredAt == instant)
        #expect(try Journal(Scribe.directory, on: disk, holder: "scribe").head.at == instant)
    }
}

@Suite("The numbers of events")
struct SeqTests {
    @Test func `are 1, 2, 3 … over commits, segments and restarts`() throws {
        let scribe = Scribe(on: SimulatedDisk(), JournalOptions(segmentBytesMax: 700, snapshotEveryBytes: 0))
        for count in [1, 4, 2, 3, 1] {
            try scribe.open()
            try scribe.append(count, again: [1, 2])
            try scribe.append(count)
            try scribe.close()
        }
        let found = try WholeLog(Scribe.directory, on: scribe.disk).commits.joined().map(\.event.seq)
        #expect(found == Array(1...22))
    }

    @Test func `nothing makes no commit`() throws {
        let journal = try Journal(Scribe.directory, on: SimulatedDisk(), holder: "scribe")
        #expect(try journal.append([], at: Sample.start) == [])
        #expect(journal.head == .start && !journal.hasUnwritten)
    }

    /// Larger than what is read at once, from the front and by its place.
    @Test func `a commit of three million bytes comes back whole`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        let entries = (0..<800).map { number in
            var record = GoalStarted()
            record.goal = Identifier("goal-\(number)")
            record.title = Text(String(repeating: "é", count: 2000))
            return Entry(user: "anna", id: "id-\(number)", payload: .goalStarted(record))
        }
        _ = try journal.append([Sample.entry(1)], at: Sample.start)
        _ = try journal.append(entries, at: Sample.start)
        try journal.commit()
        #expect(try journal.append([entries[799]], at: Sample.start) == [.duplicate(of: 801)])
        try journal.close()
        let found = try WholeLog(Scribe.directory, on: disk).commits
        #expect(found.last == entries.enumerated().map { Line($1, seq: UInt64($0) + 2, at: Sample.start) })
        let reader = try LogReader(Scribe.directory, on: disk)
        let trail = try #require(PersonTrail(reader, try reader.index(), user: "anna"))
        #expect(try trail.commits().flatMap { try trail.events(at: $0) }.count == 800)
    }

    @Test func `a commit of everything there is comes back whole`() throws {
        let disk = SimulatedDisk()
        let journal = try Journal(Scribe.directory, on: disk, holder: "scribe")
        let entries = Payload.all.enumerated().map { number, payload in
            Entry(
                user: number % 2 == 0 ? "anna" : nil, id: "id-\(number)",
                occurredAt: Sample.start.advanced(byDays: Int64(-number)), payload: payload)
        }
        _ = try journal.append(entries, at: Sample.start)
        try journal.close()
        let expected = entries.enumerated().map { Line($1, seq: UInt64($0) + 1, at: Sample.start) }
        #expect(try WholeLog(Scribe.directory, on: disk).commits == [expected])
    }
}
