import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Synchronization
import Testing

@testable import Worker

/// A log that grows under the hands of a test, and a hub that others follow it by.
///
/// Safe to share: the journal is touched under the lock alone.
final class GrowingLog: @unchecked Sendable {
    static let directory = "/data/log"
    static let start = Instant(seconds: 1_772_460_000)

    private let lock = NSLock()
    private let journal: Journal
    let disk: SimulatedDisk
    private var now = GrowingLog.start
    private(set) var seqs: [(seq: UInt64, user: String, type: Int)] = []
    let hub: EventHub

    init(segmentBytesMax: Int = 2048, limits: EventLimits) throws {
        disk = SimulatedDisk()
        let options = JournalOptions(segmentBytesMax: segmentBytesMax, snapshotEveryBytes: 0)
        let journal = try Journal(Self.directory, on: disk, holder: "test", options: options)
        self.journal = journal
        let (lock, held) = (lock, Held(journal: journal))
        hub = EventHub(
            EventSources(
                directory: Self.directory, disk: disk, durable: { lock.withLock { held.journal.durableHead } },
                numbers: { users in lock.withLock { users.map { held.journal.people.number(of: $0) } } },
                place: { user, number in
                    lock.withLock { .some(PersonPlace(of: user, numbered: number, in: held.journal)) }
                }), limits: limits)
    }

    deinit { hub.stop() }

    /// Safe to share: touched under the log's lock alone.
    private struct Held: @unchecked Sendable {
        let journal: Journal
    }

    /// Facts of one commit, durable at once.
    func append(_ users: [(user: String, isPoints: Bool)]) throws {
        try lock.withLock {
            now = now.advanced(byMilliseconds: 10)
            var points = PointsEarned()
            points.points = 5
            let entries = users.map {
                Entry(user: $0.user, payload: $0.isPoints ? .pointsEarned(points) : .appOpened(AppOpened()))
            }
            for (outcome, (user, isPoints)) in zip(try journal.append(entries, at: now), users) {
                seqs.append((outcome.seq, user, isPoints ? PointsEarned.type.number : AppOpened.type.number))
            }
            try journal.commit()
        }
        hub.logGrew()
    }

    /// The last event of somebody; whoever comes under their id next is somebody else.
    func erase(_ user: String) throws -> UInt64 {
        let seq = try lock.withLock {
            now = now.advanced(byMilliseconds: 10)
            let outcomes = try journal.append([Entry(user: user, payload: .personErased(PersonErased()))], at: now)
            try journal.commit()
            return try #require(outcomes.first?.seq)
        }
        hub.logGrew()
        return seq
    }

    func number(of user: String) throws -> UInt32 {
        try #require(lock.withLock { journal.people.number(of: user) })
    }

    func expected(_ filter: EventFilter, after seq: UInt64) -> [UInt64] {
        seqs.filter { $0.seq > seq && (filter.user ?? $0.user) == $0.user && filter.wants(type: $0.type) }.map(\.seq)
    }
}
