import CivilTime
import Delivery
import Journal
import Notices
import Synchronization
import Worker

/// The logs' workers, for those that are made before them and that they know: the courier records through them, and a disk's
/// failure comes out of them.
final class WorkerBox: Sendable {
    private struct Contents: Sendable {
        var town: Town?
        var whenFailed: (@Sendable (Failure) -> Void)?
        var membership: Membership?
    }

    private let contents = Mutex(Contents())

    func begin(_ town: Town, _ membership: Membership?, whenFailed: @escaping @Sendable (Failure) -> Void) {
        contents.withLock { $0 = Contents(town: town, whenFailed: whenFailed, membership: membership) }
    }

    /// Lets go of the workers, who know whoever knows this.
    func end() { contents.withLock { $0 = Contents() } }

    func failed(_ failure: Failure) { contents.withLock { $0.whenFailed }?(failure) }

    /// Where people can be reached.
    var book: Courier.Book {
        { [self] people, answer in
            guard let town = contents.withLock({ $0.town }) else { return answer(nil) }
            town.contacts(of: people, answer)
        }
    }

    /// Records what an analyser said. Where that cannot be done the fallback decides, when its time has come.
    func tell(_ fact: Payload, about user: String) {
        let town = contents.withLock { $0.town }
        _ = town?.submit([Fact(user: user, payload: fact)], bytes: 4096, isOwn: true) { _ in }
    }

    /// What became of jobs, as facts of Belfry's own.
    var record: Courier.Record {
        { [self] facts, done in
            guard let town = contents.withLock({ $0.town }) else { return done(false) }
            town.record(facts, done)
        }
    }

    /// Of the last of a log's commits that are durable. Once the workers are let go of, nobody decides any more.
    func durableInstant(of name: LogName) -> Instant {
        contents.withLock { $0.town }?.log(name.number ?? 0)?.worker.standing.durable.at ?? .distantFuture
    }

    /// Whether jobs of a log may be handed out now: whoever was frozen for longer than its lease does not know yet that others have its
    /// partitions, and have erased people of theirs (`E1`, `M2`).
    func mayHandOut(from place: UInt64) -> Bool {
        contents.withLock { $0.town }?.log(TownPlace.inner(place).log)?.mayDecide() ?? false
    }

    /// The jobs of a commit, and the registration of a device in one, which are durable.
    func jobs(at place: UInt64) throws -> [Event] {
        guard let town = contents.withLock({ $0.town }) else { return [] }
        do throws(JournalError) { return try town.jobs(at: place) } catch { throw Self.meaning(of: error) }
    }

    func registration(_ seq: UInt64, at place: UInt64) throws -> DeviceRegistered? {
        guard let town = contents.withLock({ $0.town }) else { return nil }
        do throws(JournalError) { return try town.registration(seq, at: place) } catch { throw Self.meaning(of: error) }
    }

    /// That a log is another worker's by now is none of its reader's troubles.
    private static func meaning(of error: JournalError) -> any Error {
        if case .lost(let words) = error { return JobElsewhere(words) }
        return error
    }
}
