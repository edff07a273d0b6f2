import CivilTime
import Notices
import Sealing
import Simulation
import Synchronization
import Testing
import Worker

@testable import Journal

/// Of whom nothing was heard for as long as the policy says, that person is erased by a decision (E1).
@Suite("Retention")
struct RetentionTests {
    private static func policy(keeping days: Int?) -> String {
        let retention = days.map { "\"retention\":{\"people_after_days\":\($0)}," } ?? ""
        return
            "{\"name\":\"short\",\(retention)\"kinds\":[{\"name\":\"alert\",\"priority\":\"critical\",\"on_request\":true}]}"
    }

    private static let adopted = Told("policy_adopted", "{\"policy\":\(policy(keeping: 30))}").of(nil)

    @Test func `comes at the instant, and not before`() {
        given(.enrolled(), policy: Self.policy(keeping: 30), at: "2026-03-01T12:00Z")
            .later(at: justBefore("2026-03-31T12:00Z")).thenNothing()
            .later(at: "2026-03-31T12:00Z").then("person_erased")
            .later(at: "2027-03-31T12:00Z").thenNothing()
    }

    @Test func `is recorded as a decision, with the days`() throws {
        let scenario = given(.enrolled(), policy: Self.policy(keeping: 31)).unwatched(until: "2026-05-01T00:00Z")
        let last = try #require(scenario.log.last)
        var text = ByteBuffer()
        last.payload.writeJSON(into: &text)
        #expect(String(decoding: text.bytes, as: UTF8.self) == #"{"derived":true,"after_days":31}"#)
        #expect(!last.payload.isFact)
    }

    @Test(arguments: [
        Told.opensApp, .checkedIn(), .session, .wants(#"{"digest_mode":true}"#), .device("d"), .sends(in: "c"),
        Told("points_earned", #"{"points":1}"#), Told("feed_seen"),
    ])
    func `whatever comes from the person begins it anew`(sign: Told) {
        given(.enrolled(), policy: Self.policy(keeping: 30), at: "2026-03-01T12:00Z")
            .when(sign, at: justBefore("2026-03-31T12:00Z")).unwatched(until: "2026-04-30T11:59:59.998Z")
            .person { #expect(!$0.isErased) }
            .later(at: "2026-04-30T11:59:59.999Z").then("person_erased")
    }

    @Test func `what others tell of them does not`() {
        given(.enrolled(), policy: Self.policy(keeping: 30), at: "2026-03-01T12:00Z")
            .when(.requested("alert"), .message(in: "c"), at: "2026-03-30T12:00Z").then("emitted alert/#2 [push]")
            .when(
                Told("job_delivered", #"{"job":"anna/alert/#2","channel":"push"}"#), .lostDevice("d"),
                Told("run_requested"), Told("subject_named", #"{"subject":"child:1","title":"Lea"}"#),
                at: "2026-03-30T12:01Z"
            )
            .unwatched(until: justBefore("2026-03-31T12:00Z"))
            .later(at: "2026-03-31T12:00Z").then("person_erased")
    }

    @Test func `who comes back is somebody new`() {
        let back = given(
            .enrolled("Europe/Paris"), Told("goal_started", #"{"goal":"g","title":"Run"}"#),
            policy: Self.policy(keeping: 30), at: "2026-03-01T12:00Z")
        back.later(at: "2026-03-31T12:00Z").then("person_erased")
            .refuses(
                Told("goal_ended", #"{"goal":"g","outcome":"completed"}"#), at: "2026-04-02T12:00Z",
                "data.goal: \"g\" is not a goal of this person; goal_started makes one"
            )
            .when(.opensApp, at: "2026-04-02T12:01Z")
            .person {
                #expect($0.zone.name == "UTC")
                #expect($0.enrolledAt == Instant(local: "2026-04-02T12:01Z"))
            }
            .later(at: "2026-05-02T12:01Z").then("person_erased")
    }

    /// T10: what was due comes before the fact.
    @Test func `who comes back late, to a worker that slept, was erased first`() {
        given(.enrolled("Europe/Paris"), policy: Self.policy(keeping: 30), at: "2026-03-01T12:00Z")
            .asleep(until: justBefore("2026-03-31T12:00Z")).thenNothing()
            .asleep(until: "2026-04-05T12:00Z").then("person_erased")
            .when(.opensApp, at: "2026-04-05T12:00Z")
            .person { #expect($0.zone.name == "UTC") }
    }

    @Test func `nothing else is decided about them at that instant`() {
        given(
            .enrolled(), .wants(#"{"check_in_time":"12:00","frequency":"daily"}"#),
            at: "2026-03-01T12:00Z"
        )
        .when(
            Told(
                "policy_adopted",
                #"{"policy":{"name":"p","retention":{"people_after_days":30},"kinds":[{"name":"check_in","schedule":{"on":"check_in"}}]}}"#
            ).of(nil), at: "2026-03-02T13:00Z"
        )
        .unwatched(until: justBefore("2026-03-31T12:00Z"))
        .later(at: "2026-03-31T12:00Z").then("person_erased")
    }

    /// The hold of the night ends a moment before.
    @Test func `whatever else comes a moment before does not bring it along`() {
        let policy = #"{"name":"p","retention":{"people_after_days":30},"kinds":[{"name":"note","on_request":true}]}"#
        given(.enrolled(), policy: policy, at: justAfter("2026-03-01T08:00Z"))
            .when(.requested("note"), at: "2026-03-30T23:00Z")
            .then("held note/#2 until 2026-03-31T08:00Z quiet_hours")
            .later(at: "2026-03-31T08:00Z").then("emitted note/#2 [push]")
            .later(at: justAfter("2026-03-31T08:00Z")).then("person_erased")
    }

    @Test(arguments: [("12:00:00.000", true), ("12:00:00.001", false)])
    func `whose time ends as the policy comes is erased at once, and whose ended before in its first week`(
        adoption: String, isAtOnce: Bool
    ) {
        let scenario = given(.enrolled(), policy: Self.policy(keeping: nil), at: "2026-03-01T12:00Z")
            .when(Self.adopted, at: "2026-03-31T\(adoption)Z").later(at: "2026-03-31T\(adoption)Z")
        if isAtOnce {
            scenario.then("person_erased")
        } else {
            scenario.thenNothing().unwatched(until: "2026-04-07T12:00Z")
            #expect(scenario.log.last?.payload.isErasure == true)
        }
    }

    @Test func `a policy that keeps everybody erases nobody`() {
        given(.enrolled(), policy: Self.policy(keeping: nil)).later(at: "2046-03-01T12:00Z").thenNothing()
    }

    /// Else a policy would begin with a herd of erasures, and every wake would stand behind it.
    @Test func `who left long before the policy came is erased in its first week, each at a moment of their own`() {
        let names = (0..<40).map { "left-\($0)" }
        let scenario = given(policy: Self.policy(keeping: nil))
        for (place, name) in names.enumerated() {
            scenario.when(.enrolled().of(name), at: "2025-01-01T12:00:\(place < 10 ? "0" : "")\(place)Z")
        }
        scenario.when(.enrolled().of("stays"), at: "2026-03-01T12:00Z").when(Self.adopted, at: "2026-03-02T12:00Z")
            .thenNothing()
            .unwatched(until: "2026-03-09T12:00Z")
        let erased = scenario.log.filter { $0.payload.isErasure }
        #expect(Set(erased.compactMap(\.user)) == Set(names))
        #expect(Set(erased.map(\.at)).count == names.count)
        // Over all of the week, not at one end of it.
        for day in 0..<7 {
            let from = Instant(local: "2026-03-02T12:00Z").advanced(byDays: Int64(day))
            #expect(erased.contains { $0.at >= from && $0.at < from.advanced(byDays: 1) }, "day \(day)")
        }
    }

    private static func ask(_ fact: Told, of machine: SimulatedMachine) throws -> FactReceipt? {
        let heard = Heard<FactReceipt>()
        let fact = try FactReader(zoneProblem: { _ in nil }).read(fact.line(at: "2026-03-02T12:00:00Z"))
        machine.core?.ask(facts: [fact]) { result in heard.keep(try? result.get().first) }
        machine.settle()
        return heard.kept
    }

    @Test func `a log that nobody can be erased from refuses such a policy`() throws {
        for hasSeals in [false, true] {
            let keeper: @Sendable () -> any KeyKeeper = { LogKeys(.own) }
            let machine = SimulatedMachine(
                ShippedPlans["standard"], at: Instant(local: "2026-03-02T12:00Z"), seed: 1,
                keeper: hasSeals ? keeper : nil)
            machine.start()
            let receipt = try Self.ask(Self.adopted, of: machine)
            switch receipt {
            case .recorded: #expect(hasSeals)
            case .refused(let problem): #expect(!hasSeals && problem.path == "data.policy.retention")
            default: Issue.record("\(receipt.map { "\($0)" } ?? "no answer")")
            }
        }
    }

    /// What must have ended before they are nobody has ended when the commit is written (E4).
    @Test func `it is said who is about to be erased, before it is in the log`() throws {
        let machine = SimulatedMachine(
            ShippedPlans["standard"], at: Instant(local: "2026-03-02T12:00Z"), seed: 1, keeper: { LogKeys(.own) })
        machine.start()
        _ = try Self.ask(Self.adopted, of: machine)
        _ = try Self.ask(.opensApp, of: machine)
        let told = Heard<[String]>()
        let core = try #require(machine.core)
        // Safe to use there: the machine works on this thread, and what writes a commit beside it is waited for.
        nonisolated(unsafe) let log = core
        core.willErase = { users in
            #expect(log.head.lastSeq == 2)
            told.keep((told.kept ?? []) + users)
        }
        machine.clock = Instant(local: "2026-04-01T12:00Z").advanced(byMilliseconds: -1)
        machine.settle()
        #expect(told.kept == nil)
        machine.clock = Instant(local: "2026-04-01T12:00Z")
        machine.settle()
        #expect(told.kept == ["anna"] && core.head.lastSeq == 3)
        let isKnown = core.person("anna") != nil
        #expect(!isKnown)
    }

    /// The keys of those who leave are destroyed by the worker's queue, which answers nobody meanwhile (G11).
    @Test func `of many whose time ends at once few leave in a turn`() throws {
        let machine = SimulatedMachine(
            ShippedPlans["standard"], at: Instant(local: "2026-03-02T12:00Z"), seed: 1, keeper: { LogKeys(.own) })
        machine.start()
        _ = try Self.ask(Self.adopted, of: machine)
        let users = (1...150).map { "user\($0)" }
        for user in users { _ = try Self.ask(.opensApp.of(user), of: machine) }
        let told = Heard<[[String]]>()
        let core = try #require(machine.core)
        core.willErase = { told.keep((told.kept ?? []) + [$0]) }
        machine.clock = Instant(local: "2026-04-01T12:00Z")
        machine.settle()
        let leaving = told.kept ?? []
        #expect(leaving.allSatisfy { $0.count <= 64 } && leaving.joined().sorted() == users.sorted())
        let remaining = users.count { core.person($0) != nil }
        #expect(remaining == 0 && core.failure == nil)
    }

    @Test func `where that fails nobody is erased, and the worker stops`() throws {
        let machine = SimulatedMachine(
            ShippedPlans["standard"], at: Instant(local: "2026-03-02T12:00Z"), seed: 1, keeper: { LogKeys(.own) })
        machine.start()
        _ = try Self.ask(Self.adopted, of: machine)
        _ = try Self.ask(.opensApp, of: machine)
        let core = try #require(machine.core)
        core.willErase = { _ throws(JournalError) in throw .lost("no room for revoked tokens") }
        machine.clock = Instant(local: "2026-04-01T12:00Z")
        machine.settle()
        #expect(core.head.lastSeq == 2)
        if case .lost? = core.failure {} else { Issue.record("it goes on") }
    }

    @Test(arguments: [
        (#"{"people_after_days":29}"#, "retention.people_after_days: 29 is not a whole number from 30 to 36500"),
        (#"{"people_after_days":36501}"#, "retention.people_after_days: 36501 is not a whole number from 30 to 36500"),
        ("{}", "retention.people_after_days: is missing"),
        (#"{"people_after_days":30,"texts":1}"#, "retention.texts: "),
        ("7", "retention: 7 is not an object"),
    ])
    func `a policy says it rightly or is refused`(retention: String, words: String) {
        let text = "{\"name\":\"p\",\"retention\":\(retention),\"kinds\":[{\"name\":\"a\",\"on_request\":true}]}"
        #expect { _ = try Policy(document: text) } throws: { "\($0)".hasPrefix(words) }
    }
}

private final class Heard<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    var kept: Value? { value.withLock { $0 } }
    func keep(_ new: Value?) { value.withLock { $0 = new } }
}
