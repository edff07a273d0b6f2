import CivilTime
import Delivery
import Foundation
import Journal
import Notices
import Sealing
import Testing

/// A run of everybody and erasures in a directory of partitions (`M6`, `E1`): every start goes on, and nobody is run twice.
@Suite("Runs of everybody over partitions, and people who are erased")
struct PartitionedErasedInRunsTests {
    private let shell = Shell()
    private static let partitions = ["0", "1"]

    private func run(_ kind: String) -> String {
        fact("run_requested", user: nil, id: "R1", data: #"{"kind":"\#(kind)"}"#)
    }

    private func events(_ type: String, _ partition: String) throws -> [LoggedEvent] {
        try shell.belfry("log", "--partition", partition, "--type", type).events()
    }

    private func members(_ partition: String) throws -> [String] {
        try events("user_enrolled", partition).compactMap(\.user)
    }

    /// Erases whoever came last into each partition.
    private func eraseNewest() throws {
        for partition in Self.partitions {
            let newest = try #require(try members(partition).last)
            let erased = shell.belfry("erase", "--user", newest, "--yes")
            #expect(erased.code == 0, "\(erased)")
        }
    }

    /// Each partition has run so many people, and holds the copy under its id, once.
    private func expectRun(_ people: [Int]) throws {
        let seq = try #require(try events("run_requested", "everyone").last?.seq)
        for (partition, people) in zip(Self.partitions, people) {
            let runs = try events("run_requested", partition)
            #expect(runs.count { $0.user != nil } == people, "\(runs)")
            #expect(runs.filter { $0.user == nil }.map(\.id) == ["everyone:\(seq)"], "\(runs)")
        }
        let replayed = shell.belfry("replay", "--verify")
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
        #expect(shell.belfry("audit").code == 0)
    }

    @Test(arguments: [false, true])
    func `the newest people may be erased before a run and behind it`(isBefore: Bool) throws {
        let first = try shell.spooling("--partitions", "2")
        #expect(WorkerDoor(shell).append(enrolled(1...12))?.status == 200)
        let people = try Self.partitions.map { try members($0).count - (isBefore ? 1 : 0) }
        if isBefore { try eraseNewest() }
        #expect(WorkerDoor(shell).append(run("check_in"))?.status == 200)
        if !isBefore { try eraseNewest() }
        first.expectStopped()
        // Whoever comes is not run either, as if the partition had never heard of it.
        let second = try shell.spooling()
        #expect(WorkerDoor(shell).append(enrolled(13...24))?.status == 200)
        second.expectStopped()
        try shell.spooling().expectStopped()
        try expectRun(people)
        #expect(shell.belfry("append", input: run("check_in")).code == 0)
        try expectRun(people)
    }

    @Test func `an id that an earlier version lost keeps nothing from its start, and nobody is run twice`() throws {
        let first = try shell.spooling("--partitions", "2")
        #expect(WorkerDoor(shell).append(enrolled(1...12))?.status == 200)
        first.expectStopped()
        // A digest that has nothing to say: a run of which nothing follows can be written by hand.
        let told = shell.belfry(
            ["append", "--data", "events/log/everyone"], input: Array(run("daily_digest").utf8))
        #expect(told.code == 0, "\(told)")
        let seq = try #require(try events("run_requested", "everyone").last?.seq)
        let people = try Self.partitions.map { try members($0) }
        for (partition, users) in zip(Self.partitions, people) { try write(seq, users, in: partition) }
        // The command that erases from the second partition meets the first one so, and the worker the second.
        try eraseNewest()
        try shell.spooling().expectStopped()
        try expectRun(people.map(\.count))
        try shell.spooling().expectStopped()
        try expectRun(people.map(\.count))
    }

    /// The copy as it was: one fact a person, of which the last has its id.
    private func write(_ seq: UInt64, _ users: [String], in partition: String) throws {
        let disk = RealDisk(keys: LogKeys(.own))
        let journal = try Journal(shell.path("events/log/\(partition)"), on: disk, holder: "an earlier version")
        var request = RunRequested()
        request.kind = Identifier("daily_digest")
        let entries = users.map { user in
            Entry(user: user, id: user == users.last ? "everyone:\(seq)" : nil, payload: .runRequested(request))
        }
        _ = try journal.append(entries, at: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        try journal.commit()
        try journal.close()
    }
}
