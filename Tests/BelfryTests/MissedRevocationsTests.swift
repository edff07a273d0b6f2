import CivilTime
import Foundation
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
        let asked = Mutex<[(url: String, told: String?, reply: Reply)]>([])
        let wakes = Mutex<[Bool]>([])
        let now = Mutex(BootInstant(nanoseconds: 0))

        /// What each was told with the question.
        var told: [String?] { asked.withLock { $0.map(\.told) } }
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
            ask: { url, told, reply in others.asked.withLock { $0.append((url, told, reply)) } },
            wake: { isAtOnce in others.wakes.withLock { $0.append(isAtOnce) } }, work: { $0() })
    }

    /// A renewal and a look, so long after the start.
    private func look(
        _ urls: Set<String>, after time: Duration = .zero, by other: MissedRevocations? = nil
    ) throws {
        others.now.withLock { $0 = Self.start + time }
        try lease.extend { () throws(SharedLogError) in true }
        _ = try lease.look(
            { () throws(SharedLogError) in ClusterView(now: 0, partitions: [], workers: []) }, drop: { _ in })
        (other ?? missed).see(urls, lease, at: Self.start + time)
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
        try others.answer("http://b", .told(there.toldToOthers, isWhole: true))
        // Without another look.
        #expect(persons.mayLetIn && persons.pass(of: token) == nil && others.urls.isEmpty)
        // Whoever comes later asks, and tells what it has revoked itself.
        try look(["http://b", "http://c", "http://d"], after: .seconds(4))
        #expect(persons.mayLetIn && others.urls.isEmpty)
    }

    @Test func `whoever waits for long is seen, and no longer than it lasts`() throws {
        try look(["http://b", "http://c"])
        #expect(missed.silent.isEmpty)
        try others.answer("http://c", .unknown)
        // Its answer is longer in coming than a lease lasts that is renewed meanwhile.
        var seconds: Int64 = 1
        while missed.silent.isEmpty, seconds < 60 {
            try look(["http://b", "http://c"], after: .seconds(seconds))
            seconds += 1
        }
        #expect(missed.silent == ["http://b"] && !persons.mayLetIn)
        try others.answer("http://b", .unknown)
        #expect(missed.silent.isEmpty && persons.mayLetIn)
    }

    @Test func `whoever lacks some of what it has revoked itself is told that`() throws {
        let there = Self.desk()
        let token = try #require(there.make(for: "anna", seconds: 60)).token
        #expect(persons.revoke(nil, of: "anna") == nil)
        try look(["http://b"])
        #expect(others.told == [nil])
        try others.answer("http://b", .told(there.toldToOthers, isWhole: true))
        let told = try #require(others.told.first ?? nil)
        #expect(!persons.mayLetIn)
        #expect(there.exchange(revokedElsewhere: told) == .told(there.toldToOthers, isWhole: true))
        #expect(there.pass(of: token) == nil)
    }

    @Test func `an answer may be as long as all that is revoked`() {
        let long = String(repeating: "x", count: 2 << 20)
        for (word, isWhole) in [("true", true), ("false", false)] {
            guard case .told(long, isWhole) = MissedRevocations.Answer(#"{"revoked":"\#(long)","whole":\#(word)}"#)
            else {
                Issue.record("not read")
                continue
            }
        }
        guard case .silent = MissedRevocations.Answer(#"{"whole":true}"#) else {
            Issue.record("read")
            return
        }
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
        // One that has just come as well knows nothing of what the third has revoked, and one of a version before says nothing.
        try others.answer("http://b", .told(Self.desk().toldToOthers, isWhole: false))
        try look(["http://b", "http://c", "http://d"], after: .seconds(22))
        try others.answer("http://d", .unknown)
        try look(["http://b", "http://c", "http://d", "http://e"], after: .seconds(24))
        #expect(!persons.mayLetIn)
        try others.answer("http://e", .told(Self.desk().toldToOthers, isWhole: true))
        try look(["http://b", "http://c", "http://d", "http://e"], after: .seconds(26))
        #expect(persons.mayLetIn)
    }

    @Test func `it is waited for from when it was asked, however old the lease is by then`() throws {
        others.now.withLock { $0 = Self.start }
        for second in stride(from: 0, through: 20, by: 2) {
            others.now.withLock { $0 = Self.start + .seconds(second) }
            try lease.extend { () throws(SharedLogError) in true }
        }
        try look(["http://b", "http://c"], after: .seconds(21))
        try others.answer("http://b", .told(Self.desk().toldToOthers, isWhole: true))
        try look(["http://b", "http://c"], after: .seconds(23))
        #expect(!persons.mayLetIn)
        try look(["http://b", "http://c"], after: .seconds(25))
        try look(["http://b", "http://c"], after: .seconds(27))
        #expect(persons.mayLetIn)
    }

    @Test func `whom it waits for is said once, after a lease`() throws {
        let pipe = Pipe()
        let log = RunLog(
            least: .warning, isTerminal: true, clock: { .exampleStart },
            to: pipe.fileHandleForWriting.fileDescriptor)
        let waiting = MissedRevocations(persons, log, ask: { _, _, _ in }, wake: { _ in }, work: { $0() })
        for second in stride(from: 0, through: 12, by: 2) {
            try look(["http://c", "http://b"], after: .seconds(second), by: waiting)
            if second == 4 { log.warning("until here nothing") }
        }
        log.warning("the end")
        var said = ""
        while !said.contains("the end") {
            said += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(said.split(separator: "\n").count == 3, "\(said)")
        let (before, rest) = (said.range(of: "until here nothing"), said.range(of: "http://b http://c"))
        #expect(try #require(before).upperBound < #require(rest).lowerBound)
    }

    @Test func `one that has died is waited for until it lives no more`() throws {
        try look(["http://b"])
        try look(["http://b"], after: .seconds(2))
        #expect(!persons.mayLetIn)
        try look([], after: .seconds(4))
        #expect(persons.mayLetIn)
    }
}
