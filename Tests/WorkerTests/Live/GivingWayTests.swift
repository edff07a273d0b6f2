import CivilTime
import Journal
import Notices
import Simulation
import Testing

@testable import Worker

/// A worker that sends mail and push, and what it is told.
final class SendingWorker {
    static let policy = """
        {"name":"mine","cooldown_minutes":0,"daily_cap":50,"kinds":[
         {"name":"mail","on_request":true,"channels":["email"]},
         {"name":"both","on_request":true,"channels":["email","push"]},
         {"name":"note","on_request":true,"channels":["push"]},
         {"name":"text","on_request":true,"channels":["sms"]},
         {"name":"low","on_request":true,"priority":"low","channels":["email"]}]}
        """
    static let noon = Instant(local: "2026-03-02T12:00Z")

    let disk = SimulatedDisk()
    private(set) var core: WorkerCore
    private let answers = Hearing<[FactReceipt]>()
    /// Why facts were refused.
    var refusals: [String] {
        answers.all.compactMap { answer in
            if case .refused(let problem)? = try? answer.get().first { "\(problem)" } else { nil }
        }
    }
    var now = noon

    init(_ senders: SendersInForce? = SendersInForce(channels: .ringing, fallback: .ringing)) throws {
        core = try Self.opened(on: disk).core
        if let senders { core.senders = { senders } }
        try tell(
            "user_enrolled", #"{"timezone":"UTC","email":"anna@example.org"}"#, "contact_changed",
            #"{"phone":"+14155550111","phone_verified":true}"#, "preferences_changed",
            #"{"patch":{"channels":{"push":true,"email":true,"sms":false},"quiet_hours":{"enabled":false}}}"#)
    }

    static func opened(on disk: SimulatedDisk) throws -> WorkerOpening {
        let beginning = Beginning(ShippedPlans.plan(document: policy), policy: policy, tzdb: "test")
        return try WorkerOpening("/data/log", on: disk, holder: "the test", beginning)
    }

    /// Types, each with its data. Gives the jobs that are to be sent once that is durable, as a running worker does.
    @discardableResult
    func tell(_ facts: String...) throws -> [EventPlace] {
        var lookups: [EventPlace] = []
        for place in stride(from: 0, to: facts.count, by: 2) {
            try ask(facts[place], facts[place + 1])
            lookups += work()
        }
        let places = FailedJobPlaces("/data/log", on: disk)
        var jobs: [EventPlace] = []
        for place in lookups {
            switch try places.find(place) {
            case .job(let job): jobs.append(job)
            case .ended(let fact): core.ask(facts: [fact], isOwn: true, answers.hear)
            case .nothing: Issue.record("nothing was found at \(place)")
            }
        }
        _ = work()
        return jobs
    }

    private func ask(_ type: String, _ data: String) throws {
        let line = "{\"type\":\"\(type)\",\"user\":\"anna\",\"data\":\(data)}"
        core.ask(facts: [try FactReader(zoneProblem: { _ in nil }).read(line)], answers.hear)
    }

    /// Takes what was asked, durably. Gives what is to be looked up.
    func work() -> [EventPlace] {
        let turns = [core.turn(at: now, writing: false), core.commit()]
        for answer in turns.flatMap(\.answers) { answer() }
        return turns.flatMap(\.lookups)
    }

    /// Asks for a notice, which is taken on a channel. Gives its job.
    func send(_ kind: String, taken channels: Channel..., rest: String = "") throws -> String {
        try tell("notice_requested", #"{"kind":"\#(kind)","title":"Hello"\#(rest)}"#)
        let job = "anna/\(kind)/#\(core.head.lastSeq - 1)"
        for channel in channels { try tell("job_delivered", #"{"job":"\#(job)","channel":"\#(channel.name)"}"#) }
        return job
    }

    @discardableResult
    func report(
        _ job: String, on channel: Channel = .email, _ status: String = "bounced", permanent: Bool = true,
        rest: String = "", isLookedUp: Bool = true
    ) throws -> [EventPlace] {
        let data =
            #"{"job":"\#(job)","channel":"\#(channel.name)","status":"\#(status)","permanent":\#(permanent)\#(rest)}"#
        guard isLookedUp else {
            try ask("delivery_reported", data)
            _ = work()
            return []
        }
        return try tell("delivery_reported", data)
    }

    /// Everything in the log.
    func logged() throws -> [Payload] {
        let events = EventReader(try LogReader("/data/log", on: disk), checksHashes: true)
        var all: [Payload] = []
        while let commit = try events.nextCommit() { all += commit.map(\.payload) }
        return all
    }

    func restart() throws -> [EventPlace] {
        try core.close()
        let (opening, senders) = (try Self.opened(on: disk), core.senders)
        core = opening.core
        core.senders = senders
        _ = work()
        return opening.outstanding
    }
}

/// N4: what a provider reports as failed, after it took it, goes another way.
@Suite("N4, what a provider reports as failed")
struct GivingWayTests {
    @Test func `a mail that came back goes out as push, once, whoever asks and whenever it starts`() throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        let emitted = worker.core.head.lastSeq - 1
        let ways = try worker.report(job)
        #expect(ways.map(\.seq) == [emitted] && ways[0].channels == .push && ways[0].insteadOf == .email)
        // Said twice, by another provider's word.
        #expect(try worker.report(job, rest: #","code":"5.1.1""#).isEmpty)
        #expect(try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#).isEmpty)
        #expect(worker.refusals.last?.hasSuffix("\"\(job)\" is being sent again already") == true)
        // The worker ended before it was sent.
        #expect(try worker.restart() == ways)
        #expect(try worker.restart() == ways)
        try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"push"}"#)
        #expect(try worker.report(job).isEmpty)
        #expect(try worker.restart().isEmpty)
        try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#)
        #expect(worker.refusals.last?.hasSuffix("\"\(job)\" was delivered since it failed") == true)
        try worker.core.close()
    }

    @Test func `what goes another way goes no third one meanwhile, though that is open now`() throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        #expect(try worker.report(job).map(\.channels) == [.push])
        try worker.tell("preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#)
        #expect(try worker.report(job, rest: #","code":"5.1.1""#).isEmpty)
    }

    @Test func `where the other channel fails too that is the end, and a retry begins with its own`() throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        #expect(try worker.report(job).count == 1)
        let failed = #"{"job":"\#(job)","channel":"push","reason":"no device is registered","permanent":false}"#
        try worker.tell("job_failed", failed)
        #expect(try worker.restart().isEmpty)
        try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#)
        #expect(worker.refusals == [])
        #expect(try worker.restart().map(\.channels) == [.email])
    }

    @Test(
        arguments: [
            ("bounced", false), ("failed", false), ("expired", false), ("complained", true), ("delivered", true),
        ])
    func `nothing gives way to what may come still, or has come`(status: String, permanent: Bool) throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        #expect(try worker.report(job, status, permanent: permanent).isEmpty)
        // The last word comes later.
        let isOpen = status != "complained"
        #expect(try worker.report(job, "failed").count == (isOpen ? 1 : 0))
    }

    @Test(arguments: ["failed", "expired"]) func `of a text it is the end`(status: String) throws {
        let worker = try SendingWorker()
        try worker.tell("preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#)
        let job = try worker.send("text", taken: .sms)
        let ways = try worker.report(job, on: .sms, status, permanent: false)
        #expect(ways.map(\.channels) == [[.push, .email]] && ways.map(\.insteadOf) == [.sms])
    }

    @Test func `a text that has come is rung for by nothing else, whatever is told late`() throws {
        let worker = try SendingWorker()
        try worker.tell("preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#)
        let job = try worker.send("text", taken: .sms)
        try worker.report(job, on: .sms, "delivered")
        #expect(try worker.report(job, on: .sms, "failed").isEmpty)
        #expect(try worker.restart().isEmpty)
    }

    @Test(
        arguments: [
            #"{"channels":{"push":false}}"#, #"{"enabled":false}"#, #"{"kinds":{"mail":{"enabled":false}}}"#,
            // What the person has stopped gives way to nothing.
            #"{"channels":{"email":false}}"#, #"{"kinds":{"mail":{"channels":["sms"]}}}"#,
        ])
    func `nothing comes that the person has not on, or has stopped`(patch: String) throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        try worker.tell("preferences_changed", #"{"patch":\#(patch)}"#)
        #expect(try worker.report(job).isEmpty)
        #expect(try worker.restart().isEmpty)
    }

    @Test(arguments: [("notice_opened", true), ("feed_seen", false)])
    func `nor of what was seen`(fact: String, namesJob: Bool) throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        try worker.tell(fact, namesJob ? #"{"job":"\#(job)"}"# : "{}")
        #expect(try worker.report(job).isEmpty)
    }

    /// An address that came back is used no more: each has a worker of its own.
    @Test func `nor of what only moves a badge, what has used the channel itself, and tests`() throws {
        for (kind, channels) in [("low", [Channel.email]), ("both", [.email, .push])] {
            let worker = try SendingWorker()
            let job = try worker.send(kind, taken: channels[0], channels.count > 1 ? channels[1] : channels[0])
            #expect(try worker.report(job).isEmpty, "\(kind)")
        }
        let worker = try SendingWorker()
        try worker.tell("test_requested", #"{"kind":"mail"}"#)
        let test = "anna/mail/#\(worker.core.head.lastSeq - 1)"
        try worker.tell("job_delivered", #"{"job":"\#(test)","channel":"email"}"#)
        #expect(try worker.report(test).isEmpty)
    }

    @Test func `one device of several says nothing of the channel, and the job was on no other`() throws {
        let worker = try SendingWorker()
        let note = try worker.send("note", taken: .push)
        #expect(try worker.report(note, on: .push, "failed", rest: #","device":"d1""#).isEmpty)
        #expect(try worker.report(note, on: .sms, "failed").isEmpty)
        #expect(try worker.report(note, on: .push, "failed").map(\.channels) == [.email])
    }

    @Test func `what failed as it was sent gave way then, and what is sent once more has to end first`() throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail")
        try worker.tell(
            "job_failed", #"{"job":"\#(job)","channel":"email","reason":"answered 550","permanent":false}"#)
        #expect(try worker.report(job).isEmpty)
        let other = try worker.send("note", taken: .push)
        try worker.report(other, on: .push, "failed", permanent: false)
        try worker.tell("job_retry_requested", #"{"job":"\#(other)"}"#)
        #expect(worker.refusals == [])
        #expect(try worker.report(other, on: .push, "failed").isEmpty)
    }

    private func sentTwice(_ worker: SendingWorker) throws -> String {
        let job = try worker.send("note")
        for id in ["p1", "p2"] {
            try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"push","provider_id":"\#(id)"}"#)
        }
        return job
    }

    @Test func `a report about an earlier try sends nothing (N3), and the last try's gives way all the same`() throws {
        let worker = try SendingWorker()
        let job = try sentTwice(worker)
        #expect(try worker.report(job, on: .push, "failed", rest: #","provider_id":"p1""#).isEmpty)
        // The choice has ended: nothing is looked up any more.
        let head = worker.core.head.lastSeq
        #expect(try worker.restart().isEmpty)
        #expect(worker.core.head.lastSeq == head)
        let ways = try worker.report(job, on: .push, "failed", rest: #","provider_id":"p2""#)
        #expect(ways.map(\.channels) == [.email] && ways.map(\.insteadOf) == [.push])
    }

    @Test func `nor does a retry of what was taken since, which is not under way for ever`() throws {
        let worker = try SendingWorker(nil)
        let job = try sentTwice(worker)
        try worker.report(job, on: .push, "failed", rest: #","provider_id":"p1""#)
        #expect(try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#).isEmpty)
        #expect(try worker.restart().isEmpty)
        try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#)
        #expect(worker.refusals.last?.hasSuffix("\"\(job)\" was delivered since it failed") == true)
    }

    @Test func `what a killed worker had not looked up ends with the next start`() throws {
        let worker = try SendingWorker()
        let job = try sentTwice(worker)
        try worker.report(job, on: .push, "failed", rest: #","provider_id":"p1""#, isLookedUp: false)
        #expect(try worker.restart().isEmpty)
        #expect(try worker.report(job, on: .push, "failed", rest: #","provider_id":"p2""#).count == 1)
    }

    @Test func `what cannot be looked up is once more, in a while`() throws {
        let worker = try SendingWorker()
        let place = EventPlace(position: 64, seq: 1)
        worker.core.lookUpLater([place], at: worker.now)
        let turn = worker.core.turn(at: worker.now)
        let due = worker.now.advanced(byMilliseconds: WorkerCore.lookupPauseMs)
        #expect(turn.lookups == [] && turn.wakeAt == due)
        #expect(worker.core.turn(at: due.advanced(byMilliseconds: -1)).lookups == [])
        #expect(worker.core.turn(at: due).lookups == [place])
        #expect(worker.core.turn(at: due).lookups == [])
    }

    @Test(arguments: [(0, true), (1, false)]) func `a day at most, or until not_after`(past: Int64, isIn: Bool) throws {
        let worker = try SendingWorker()
        let (day, dated) = (
            try worker.send("mail", taken: .email),
            try worker.send("mail", taken: .email, rest: #","expires_at":"2026-03-02T13:00:00Z""#)
        )
        worker.now = Instant(local: "2026-03-02T13:00Z").advanced(byMilliseconds: past)
        #expect(try worker.report(dated).count == (isIn ? 1 : 0))
        worker.now = SendingWorker.noon.advanced(byDays: 1).advanced(byMilliseconds: past)
        #expect(try worker.report(day).count == (isIn ? 1 : 0))
    }

    @Test(arguments: [(0, true), (1, false)])
    func `it is under way for a day, and what was not heard of by then may be retried (N7)`(
        past: Int64, isUnderWay: Bool
    ) throws {
        let worker = try SendingWorker()
        let job = try worker.send("mail", taken: .email)
        #expect(try worker.report(job).count == 1)
        worker.now = SendingWorker.noon.advanced(byDays: 1).advanced(byMilliseconds: past)
        try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#)
        #expect((worker.refusals.last?.hasSuffix("\"\(job)\" is being sent again already") == true) == isUnderWay)
        #expect(worker.refusals.count == (isUnderWay ? 1 : 0))
    }

    @Test func `who sends nothing tries nothing, and so where neither document nor policy says so`() throws {
        for senders in [
            nil, SendersInForce(channels: .ringing, fallback: []), SendersInForce(channels: .ringing, fallback: .push),
            SendersInForce(channels: .email, fallback: .email), SendersInForce(channels: .push, fallback: .ringing),
        ] {
            let worker = try SendingWorker(senders)
            #expect(try worker.report(worker.send("mail", taken: .email)).isEmpty)
        }
    }

    @Test func `not to a sink that the job went to on another channel (N1)`() throws {
        func ways(_ kind: String, _ channel: Channel, _ together: Set<ChannelSet>) throws -> [ChannelSet] {
            let senders = SendersInForce(channels: .ringing, fallback: .ringing, together: together)
            let worker = try SendingWorker(senders)
            try worker.tell("preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#)
            let job = try worker.send(kind, taken: channel)
            return try worker.report(job, on: channel, "failed").map(\.channels)
        }
        #expect(try ways("note", .push, [.ringing]) == [])
        #expect(try ways("note", .push, [[.push, .sms], .email]) == [.email])
        #expect(try ways("note", .push, [.push, [.email, .sms]]) == [[.email, .sms]])
        #expect(try ways("both", .email, [[.push, .sms], .email]) == [])
    }

    @Test func `a report from outside cannot say what gives way`() throws {
        let worker = try SendingWorker()
        let refusal = #expect(throws: Refusal.self) {
            try worker.tell(
                "delivery_reported",
                #"{"job":"anna/mail/#1","channel":"email","status":"bounced","gives_way_to":["push"]}"#)
        }
        #expect(refusal?.description.contains("gives_way_to") == true, "\(String(describing: refusal))")
    }
}
