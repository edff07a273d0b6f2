import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// What a worker finds when it opens a log, and what it notes there.
@Suite("A worker's opening")
struct WorkerOpeningTests {
    private static let now = Instant(milliseconds: 1_772_452_800_000)
    private let disk = SimulatedDisk(seed: 1)

    /// Opens the log and closes it again, as a worker of this version would.
    private func start(version: String = "1", tzdb: String = "2026a", policy: String = "standard") throws {
        let beginning = Beginning(
            ShippedPlans["standard"], policy: ShippedPolicies.text(of: "standard") ?? "", tzdb: tzdb)
        let opening = try WorkerOpening("/log", on: disk, holder: "a test", beginning)
        try opening.noteStart(version: version, policy: policy, at: Self.now)
        for answer in opening.core.commit().answers { answer() }
        try opening.core.close()
    }

    private func started() throws -> [String] {
        let events = EventReader(try LogReader("/log", on: disk), checksHashes: true)
        var notes: [String] = []
        while let event = try events.next() {
            guard case .workerStarted(let note) = event.payload else { continue }
            #expect(event.user == nil && event.at == Self.now)
            notes.append("\(note.version.text) \(note.tzdb.text) \(note.policy.text)")
        }
        return notes
    }

    @Test func `a start is noted where version, tz database or policy are others than the last (T1)`() throws {
        try start()
        try start()
        #expect(try started() == ["1 2026a standard"])
        try start(version: "2")
        try start(version: "2")
        try start(version: "2", tzdb: "2026b")
        try start(version: "2", tzdb: "2026b", policy: "coachme")
        try start(version: "2", tzdb: "2026b", policy: "coachme")
        #expect(
            try started() == ["1 2026a standard", "2 2026a standard", "2 2026b standard", "2 2026b coachme"])
        try start()
        #expect(try started().last == "1 2026a standard", "the last counts, and not one before")
        #expect(try started().count == 5)
    }

    @Test func `it finds the policy that was adopted last, and jobs without an outcome`() throws {
        let beginning = Beginning.standard(ShippedPlans.zones)
        let first = try WorkerOpening("/log", on: disk, holder: "a test", beginning)
        #expect(first.policy == nil && first.outstanding.isEmpty)
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: ShippedPolicies.text(of: "standard") ?? "")
        var request = NoticeRequested()
        request.kind = Identifier("urgent")
        first.core.ask(facts: [
            Fact(payload: .policyAdopted(adoption)), Fact(user: "anna", payload: .noticeRequested(request)),
        ]) { _ in }
        while !first.core.isIdle {
            _ = first.core.turn(at: Self.now, writing: false)
            _ = first.core.commit()
        }
        try first.core.close()
        let second = try WorkerOpening("/log", on: disk, holder: "a test", beginning)
        #expect(second.policy == adoption.policy.text)
        #expect(second.outstanding.map(\.seq) == [3])
        #expect(second.core.knownCount == 1)
        try second.core.close()
    }
}
