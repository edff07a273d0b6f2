import CivilTime
import Journal
import Notices
import Simulation
import Testing

@testable import Worker

/// N3, N4: what a phone has said of a text is known after a start from a snapshot too.
@Suite("A text that has come, in a snapshot")
struct ArrivedTextTests {
    private static let directory = "/data/log"
    private static let policy = """
        {"name":"mine","cooldown_minutes":0,"daily_cap":50,"kinds":[
         {"name":"check_in","schedule":{"on":"check_in"},"channels":["sms"]},
         {"name":"text","on_request":true,"channels":["sms"]}]}
        """

    /// A worker that sends texts, until it is closed.
    private struct Life {
        let disk: SimulatedDisk
        let beginning = Beginning(
            ShippedPlans.plan(document: ArrivedTextTests.policy), policy: ArrivedTextTests.policy, tzdb: "test")
        let core: WorkerCore
        private let answers = Hearing<[FactReceipt]>()

        init(on disk: SimulatedDisk) throws {
            self.disk = disk
            core = try WorkerOpening(ArrivedTextTests.directory, on: disk, holder: "the test", beginning).core
            core.senders = { SendersInForce(channels: .ringing, fallback: .ringing) }
        }

        /// Decides what is due, and takes a fact. Gives what is to be looked up, since it goes another way.
        @discardableResult
        func tell(_ type: String, _ data: String, at text: String) throws -> [EventPlace] {
            let line = "{\"type\":\"\(type)\",\"user\":\"anna\",\"data\":\(data)}"
            core.ask(facts: [try FactReader(zoneProblem: { _ in nil }).read(line)], answers.hear)
            let turns = [core.turn(at: Instant(local: text), writing: false), core.commit()]
            for answer in turns.flatMap(\.answers) { answer() }
            return turns.flatMap(\.lookups)
        }
    }

    private func report(_ status: String, of job: String) -> String {
        #"{"job":"\#(job)","channel":"sms","status":"\#(status)","permanent":true}"#
    }

    /// A plain check-in has no memo, what the app asks for in its own words has one.
    @Test(arguments: [true, false], [true, false])
    func `gives way to nothing, whatever is told late`(isPlain: Bool, hasCome: Bool) throws {
        let disk = SimulatedDisk()
        let life = try Life(on: disk)
        let eight = "2026-03-02T08:00Z"
        try life.tell("user_enrolled", #"{"timezone":"UTC","email":"anna@example.org"}"#, at: eight)
        try life.tell("contact_changed", #"{"phone":"+14155550111","phone_verified":true}"#, at: eight)
        let channels = #""channels":{"push":true,"email":true,"sms":true}"#
        try life.tell(
            "preferences_changed",
            #"{"patch":{\#(channels),"frequency":"daily","quiet_hours":{"enabled":false}}}"#, at: eight)
        try life.tell("notice_requested", #"{"kind":"text","title":"Hello"}"#, at: eight)
        let job = isPlain ? "anna/check_in/2026-03-02T09:00" : "anna/text/#\(life.core.head.lastSeq - 1)"
        try life.tell("app_closed", "{}", at: "2026-03-02T09:00Z")
        if hasCome { try life.tell("delivery_reported", report("delivered", of: job), at: "2026-03-02T09:01Z") }
        try life.core.close()

        #expect(try #require(try SnapshotTaking(Self.directory, on: disk, life.beginning).run()).isStateKept)
        let folded = try FoldedLog.load(LogReader(Self.directory, on: disk), life.beginning)
        #expect(folded.snapshot == folded.head && folded.eventsFolded == 0)
        let whole = try FoldedLog.load(LogReader(Self.directory, on: disk), life.beginning, usingSnapshot: false)
        #expect(Outcome(folded) == Outcome(whole))

        let next = try Life(on: disk)
        let ways = try next.tell("delivery_reported", report("failed", of: job), at: "2026-03-02T09:02Z")
        #expect(ways.count == (hasCome ? 0 : 1))
        try next.core.close()
    }
}
