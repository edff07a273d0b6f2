import CivilTime
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// A real log of people who enrolled, and the register folded from it: where a live worker begins.
///
/// The register is folded beside the appends, from the same events, since a start is measured elsewhere.
struct LiveLog {
    let journal: Journal
    var register: Register

    /// - Parameter zone: by a person's number.
    init(in directory: String, _ plan: Plan, people: Int, at: Instant, zone: (Int) -> String) throws {
        journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        register = Register(plan)
        for first in stride(from: 0, to: people, by: 512) {
            let entries = (first..<min(first + 512, people)).map { number in
                var enrolled = UserEnrolled()
                enrolled.timezone = ZoneName(zone(number))
                return Entry(user: Self.user(number), payload: .userEnrolled(enrolled))
            }
            try append(entries, at: at)
        }
        try journal.commit()
        for person in register.people { person.nextWake = person.earliestWake(plan) }
    }

    static func user(_ number: Int) -> String { "user-\(number)" }

    private mutating func append(_ entries: [Entry], at: Instant) throws {
        let outcomes = try journal.append(entries, at: at)
        for (entry, outcome) in zip(entries, outcomes) {
            register.fold(Event(seq: outcome.seq, at: at, user: entry.user, payload: entry.payload))
        }
        if journal.unwrittenBytes > 8 << 20 { try journal.commit() }
    }

    /// Lives through facts of the past, and appends them with what was decided.
    mutating func live(through facts: [Fact]) throws {
        let journal = journal
        var failure: (any Error)?
        var chronicle = Chronicle(
            resuming: register, at: journal.head.at, nextSequence: journal.head.lastSeq + 1
        ) { commit in
            guard let at = commit.first?.at, failure == nil else { return }
            do {
                _ = try journal.append(commit.map { Entry(user: $0.user, id: $0.id, payload: $0.payload) }, at: at)
                if journal.unwrittenBytes > 8 << 20 { try journal.commit() }
            } catch {
                failure = error
            }
        }
        for fact in facts { _ = chronicle.take(fact) }
        if let failure { throw failure }
        try journal.commit()
        register = chronicle.register
    }

    static func standardPlan() throws -> Plan {
        let zones = try ZoneDatabase()
        guard let text = ShippedPolicies.text(of: "standard") else { preconditionFailure("no standard policy") }
        return Plan(Rulebook(try Policy(document: text)), zone: { try? zones.zone(named: $0) })
    }
}

/// A clock that stands where it is put.
final class SetClock: Sendable {
    private let milliseconds: Atomic<Int64>

    init(_ at: Instant) { milliseconds = Atomic(at.milliseconds) }

    var now: Instant { Instant(milliseconds: milliseconds.load(ordering: .acquiring)) }

    func set(_ at: Instant) { milliseconds.store(at.milliseconds, ordering: .releasing) }
}

/// Waits on this thread for what an actor does on its own.
func waitFor(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await work()
        done.signal()
    }
    done.wait()
}

/// The wall clock, finer than an `Instant` tells it.
func wallMilliseconds() -> Double { Date().timeIntervalSince1970 * 1000 }

/// Seconds of a processor, of this thread or of the whole process: what a busy machine does not lengthen much.
func processorSeconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
