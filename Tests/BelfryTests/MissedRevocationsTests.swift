import CivilTime
import Shared
import Synchronization
import Testing

@testable import Console
@testable import belfry

/// What other workers revoked of persons' tokens while a worker was not told.
@Suite("Revocations that were missed")
struct MissedRevocationsTests {
    private typealias Reply = @Sendable (MissedRevocations.Answer) -> Void

    /// The others, who answer when a test has them answer.
    private final class Others: Sendable {
        let asked = Mutex<[(url: String, reply: Reply)]>([])
        let wakes = Mutex<[Bool]>([])
        let now = Mutex(BootInstant(nanoseconds: 0))

        var urls: [String] { asked.withLock { $0.map(\.url).sorted() } }

        func answer(_ url: String, _ answer: MissedRevocations.Answer) throws {
            let reply = asked.withLock { asked -> Reply? in
                guard let place = asked.firstIndex(where: { $0.url == url }) else { return nil }
                return asked.remove(at: place).reply
            }
            let found = try #require(reply)
            found(answer)
        }
    }

    private let others = Others()
    private let lease: Lease
    private let persons = Self.desk()
    private let missed: MissedRevocations
    private static let start = BootInstant(nanoseconds: 0)

    private static func desk() -> PersonTokenDesk {
        PersonTokenDesk(
            PersonTokens(secrets: [Array("a secret of the worker's own, of more than 32 letters".utf8)], log: (1, 2)),
            revoked: RevokedTokens(), number: { _ in nil }, clock: { .exampleStart }, later: { _ in },
            write: { _ in nil })
    }

    init() {
        let others = others
        lease = Lease(of: .random(), .usual, clock: { others.now.withLock { $0 } })
        missed = MissedRevocations(
            persons, RunLog(least: .error, isTerminal: false, clock: { .exampleStart }, to: -1),
            ask: { url, reply in others.asked.withLock { $0.append((url, reply)) } },
            wake: { isAtOnce in others.wakes.withLock { $0.append(isAtOnce) } })
    }

    /// A renewal and a look, so long after the start.
    private func look(_ urls: Set<String>, after time: Duration = .zero) throws {
        others.now.withLock { $0 = Self.start + time }
        try lease.extend { () throws(SharedLogError) in true }
        _ = try lease.look(
            { () throws(SharedLogError) in ClusterView(now: 0, partitions: [], workers: []) }, drop: { _ in })
        missed.see(urls, lease, at: Self.start + time)
    }

    @Test func `whoever is alone has missed nothing, and lets nobody in before it has looked`() throws {
        #expect(!persons.mayLetIn)
        try look([])
        #expect(persons.mayLetIn && others.urls.isEmpty)
    }

    @Test func `whoever comes asks all others, and lets people in when it has heard of them`() throws {
        let there = Self.desk()
        let token = try #require(persons.make(for: "anna", seconds: 60)).token
        #expect(there.revoke(nil, of: "anna") == nil)
        try look(["http://b", "http://c"])
        #expect(others.urls == ["http://b", "http://c"])
        try others.answer("http://b", .notYet)
        #expect(others.wakes.withLock { $0 } == [false])
        try others.answer("http://c", .unknown)
        try look(["http://b", "http://c"], after: .seconds(1))
        #expect(!persons.mayLetIn && others.urls == ["http://b"])
        // Not twice at a time.
        try look(["http://b", "http://c"], after: .seconds(2))
        #expect(others.urls == ["http://b"])
        try others.answer("http://b", .told(there.toldToOthers))
        try look(["http://b", "http://c"], after: .seconds(3))
        #expect(persons.mayLetIn && persons.pass(of: token) == nil && others.urls.isEmpty)
        // Whoever comes later is told by itself of what this one revokes.
        try look(["http://b", "http://c", "http://d"], after: .seconds(4))
        #expect(persons.mayLetIn && others.urls.isEmpty)
    }

    @Test func `after its lease has lapsed a worker lets nobody in until it has asked anew`() throws {
        try look([])
        others.now.withLock { $0 = Self.start + .seconds(5) }
        #expect(!persons.mayLetIn)
        try look(["http://b"], after: .seconds(7))
        #expect(!persons.mayLetIn && others.urls == ["http://b"])
        // An answer of before the next lapse says nothing of what was revoked in it.
        try look(["http://b"], after: .seconds(14))
        #expect(others.urls == ["http://b", "http://b"])
        try others.answer("http://b", .unknown)
        try look(["http://b"], after: .seconds(15))
        #expect(!persons.mayLetIn)
        try others.answer("http://b", .unknown)
        try look(["http://b"], after: .seconds(16))
        #expect(persons.mayLetIn)
    }

    @Test func `one that is not to be reached is waited for as long as a lease lasts, where another has told`() throws {
        try look(["http://b", "http://c"])
        try others.answer("http://b", .silent)
        try others.answer("http://c", .silent)
        for second in stride(from: 2, through: 20, by: 2) {
            try look(["http://b", "http://c"], after: .seconds(second))
        }
        #expect(!persons.mayLetIn)
        try others.answer("http://b", .unknown)
        try look(["http://b", "http://c"], after: .seconds(22))
        #expect(persons.mayLetIn)
    }

    @Test func `one that has died is waited for until it lives no more`() throws {
        try look(["http://b"])
        try look(["http://b"], after: .seconds(2))
        #expect(!persons.mayLetIn)
        try look([], after: .seconds(4))
        #expect(persons.mayLetIn)
    }
}
