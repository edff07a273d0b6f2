import CivilTime
import Journal
import Notices
import Simulation
import Testing

@testable import Sealing

/// However many are erased at once, a worker is held up for a moment only, and nobody is told before their keys are gone (G11, E1).
@Suite("Keys that are destroyed in pieces")
struct PiecesTests {
    private let disk = SimulatedDisk(keeper: { LogKeys(.own) })
    private let now = Instant(milliseconds: 1_772_000_000_000)
    private let users = (0..<60).map { "user\($0)" }

    @Test func `all of them are, and it is answered behind the last`() throws {
        try disk.makeDirectory("/log")
        _ = try KeyRing.begin("/log", of: Sample.identity, on: disk, master: .own, peopleAPage: 4)
        let journal = try Journal("/log", on: disk, holder: "a test")
        _ = try journal.append(users.map { Entry(user: $0, payload: .userEnrolled(UserEnrolled())) }, at: now)
        try journal.commit()
        let before = journal.durableHead.position
        _ = try journal.append(users.map { Entry(user: $0, payload: .personErased(PersonErased())) }, at: now)
        let batch = try #require(journal.takeBatch())
        try journal.writer.write(batch)
        journal.finished(batch, .success(()))
        #expect(journal.hasKeysDue && journal.keysToDestroy == 28)
        #expect(journal.answerable >= before && journal.answerable < journal.durableHead.position)
        journal.destroyKeys()
        #expect(!journal.hasKeysDue && journal.keysToDestroy == 0)
        #expect(journal.answerable == journal.durableHead.position)
        let ring = try KeyRing("/log", of: Sample.identity, on: disk, master: .own, isWriter: false)
        let destroyed = try (0..<60).filter { try ring.isDestroyed($0) }
        #expect(destroyed.count == users.count)
        try journal.close()
    }
}
