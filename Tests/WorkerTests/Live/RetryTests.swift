import CivilTime
import Journal
import Simulation
import Testing
import Worker

@testable import Notices

/// N7: what failed is sent once more, as the same job.
@Suite("N7, retrying what failed")
struct RetryTests {
    private static func retries(_ job: String) -> Told { Told("job_retry_requested", "{\"job\":\"anna/\(job)\"}") }

    @Test func `only what failed, once at a time, and not what was delivered since`() {
        let job = "urgent/#3"
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted \(job) [push]")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:01Z",
                "data.job: \"anna/\(job)\" has not failed: there is nothing to send again"
            )
            .refuses(
                Self.retries("urgent/#9"), at: "2026-03-02T09:01Z",
                "data.job: \"anna/urgent/#9\" is not a job that was emitted for this person in the last 7 days"
            )
            .when(.failed(job, on: "push", permanent: false), Self.retries(job), at: "2026-03-02T09:02Z").thenNothing()
            .refuses(
                Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" is being sent again already"
            )
            .when(.failed(job, on: "push", permanent: false), Self.retries(job), at: "2026-03-02T09:04Z").thenNothing()
            .when(.delivered(job), at: "2026-03-02T09:05Z")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:06Z", "data.job: \"anna/\(job)\" was delivered since it failed"
            )
    }

    @Test func `of many that failed the latest can be sent once more, and one before them is not said to be well`() {
        let scenario = given(.enrolled(), .noCheckIns)
        let jobs = (0...500).map { "urgent/#\(3 + 3 * $0)" }
        for (place, job) in jobs.enumerated() {
            let minute = String("0\(place / 60)".suffix(2))
            let second = String("0\(place % 60)".suffix(2))
            scenario
                .when(
                    .requested("urgent"), .failed(job, on: "push", permanent: false),
                    at: "2026-03-02T09:\(minute):\(second)Z"
                )
                .then("emitted \(job) [push]")
        }
        scenario
            .refuses(
                Self.retries(jobs[0]), at: "2026-03-02T10:00Z",
                "data.job: \"anna/\(jobs[0])\" is not among the latest 500 that failed, and no more are kept to be sent again"
            )
            .when(Self.retries(jobs[1]), at: "2026-03-02T10:00Z").thenNothing()
    }

    private static func reported(_ job: String, _ status: String, device: String? = nil) -> Told {
        let device = device.map { ",\"device\":\"\($0)\"" } ?? ""
        return Told(
            "delivery_reported", "{\"job\":\"anna/\(job)\",\"channel\":\"push\",\"status\":\"\(status)\"\(device)}")
    }

    @Test(arguments: ["failed", "bounced", "expired"])
    func `what was taken and is reported as failed is sent once more`(status: String) {
        let job = "urgent/#3"
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted \(job) [push]")
            // One device of several says nothing of the others.
            .when(.delivered(job), Self.reported(job, status, device: "d1"), at: "2026-03-02T09:01Z")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:01Z",
                "data.job: \"anna/\(job)\" has not failed: there is nothing to send again"
            )
            .when(Self.reported(job, status), Self.retries(job), at: "2026-03-02T09:02Z").thenNothing()
            // The same report comes twice.
            .when(Self.reported(job, status), at: "2026-03-02T09:03Z")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" is being sent again already"
            )
            .when(.delivered(job), Self.reported(job, status), at: "2026-03-02T09:04Z")
            .when(Self.reported(job, "delivered"), at: "2026-03-02T09:05Z")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:06Z", "data.job: \"anna/\(job)\" was delivered since it failed"
            )
    }

    @Test(
        arguments: [
            (#"{"enabled":false}"#, "the person has switched notifications off"),
            (#"{"kinds":{"alert":{"enabled":false}}}"#, "the person has switched this kind off"),
            (
                #"{"subjects":{"child:lea":{"kinds":{"alert":{"enabled":false}}}}}"#,
                "the person has switched this kind off for what it is about"
            ),
            (#"{"channels":{"push":false}}"#, "the person has switched push off"),
            (#"{"subjects":{"child:mia":{"kinds":{"alert":{"enabled":false}}}}}"#, nil),
            (#"{"kinds":{"reminder":{"enabled":false}}}"#, nil), (#"{"channels":{"email":false}}"#, nil),
        ] as [(String, String?)])
    func `and only what the person has not stopped since`(patch: String, why: String?) {
        let job = "alert/child:lea/#3"
        let told = given(.enrolled(), .noCheckIns)
            .when(Told("notice_requested", #"{"kind":"alert","subject":"child:lea"}"#), at: "2026-03-02T09:00Z")
            .then("emitted \(job) [push]")
            .when(.failed(job, on: "push", permanent: false), .wants(patch), at: "2026-03-02T09:02Z")
        if let why {
            told.refuses(
                Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" is not sent again: \(why) since")
        } else {
            told.when(Self.retries(job), at: "2026-03-02T09:03Z").thenNothing()
        }
    }

    /// Push alone is its own; mail came in its place and failed too, or did not (`N4`).
    @Test(
        arguments: [
            (#"{"channels":{"push":false}}"#, "is not sent again: the person has switched push off since"),
            (#"{"channels":{"email":false}}"#, nil), ("{}", nil),
        ] as [(String, String?)])
    func `what another channel has come to does not bring a stopped one back`(patch: String, why: String?) {
        let job = "urgent/#3"
        let told = given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted \(job) [push]")
            .when(
                .failed(job, on: "push", permanent: false), .failed(job, on: "email", permanent: false), .wants(patch),
                at: "2026-03-02T09:02Z")
        if let why {
            told.refuses(Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" \(why)")
        } else {
            told.when(Self.retries(job), at: "2026-03-02T09:03Z").thenNothing()
        }
    }

    /// Mail that came in push's place is no part of the retry: whether it comes in its place once more is seen when push fails.
    @Test func `a retry waits for no channel that it is not sent on`() {
        let job = "urgent/#3"
        let retried = given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted \(job) [push]")
            .when(
                .failed(job, on: "push", permanent: false), .failed(job, on: "email", permanent: false),
                Self.retries(job), at: "2026-03-02T09:02Z"
            )
            .refuses(
                Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" is being sent again already")
        retried.when(.delivered(job), at: "2026-03-02T09:04Z")
            .refuses(
                Self.retries(job), at: "2026-03-02T09:05Z", "data.job: \"anna/\(job)\" was delivered since it failed")
    }

    @Test func `what another channel took instead has reached the person`() {
        let job = "urgent/#3"
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), at: "2026-03-02T09:00Z").then("emitted \(job) [push]")
            .when(
                .failed(job, on: "push", permanent: false),
                Told("job_delivered", "{\"job\":\"anna/\(job)\",\"channel\":\"email\"}"), at: "2026-03-02T09:02Z"
            )
            .refuses(
                Self.retries(job), at: "2026-03-02T09:03Z", "data.job: \"anna/\(job)\" was delivered since it failed"
            )
    }

    @Test(arguments: [("2026-03-02T10:00:00Z", true), ("2026-03-02T10:00:00.001Z", false)])
    func `while it may still be sent`(at: String, isAllowed: Bool) {
        let told = given(.enrolled(), .noCheckIns)
            .when(.requested("urgent", expires: "2026-03-02T10:00:00Z"), at: "2026-03-02T09:00Z")
            .then("emitted urgent/#3 [push]")
            .when(.failed("urgent/#3", on: "push", permanent: false), at: "2026-03-02T09:02Z")
        if isAllowed {
            told.when(Self.retries("urgent/#3"), at: at)
        } else {
            told.refuses(
                Self.retries("urgent/#3"), at: at,
                "data.job: \"anna/urgent/#3\" could be sent until 2026-03-02T10:00:00.000Z, which has passed")
        }
    }

    /// Also where it failed in the millisecond in which it went out, and another fails in the last in which it is remembered.
    @Test func `for seven days, whatever fails meanwhile`() {
        let (first, other) = ("urgent/#3", "urgent/#6")
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), .failed(first, on: "push", permanent: false), at: "2026-03-02T09:00Z")
            .then("emitted \(first) [push]")
            .when(.requested("urgent"), .failed(other, on: "push", permanent: false), at: "2026-03-09T09:00Z")
            .then("emitted \(other) [push]")
            .when(Self.retries(first), at: "2026-03-09T09:00Z").thenNothing()
    }

    /// Five hundred can be sent once more. Of that many the first failed an hour ago, and the others a moment more than a week.
    @Test func `and what failed longer ago takes no other's place (G11)`() {
        let (first, other) = ("urgent/#3", "urgent/#6")
        given(.enrolled(), .noCheckIns)
            .when(.requested("urgent"), .failed(first, on: "push", permanent: false), at: "2026-03-09T08:00Z")
            .then("emitted \(first) [push]")
            .person { anna in
                for number in 1..<500 {
                    anna.note(
                        .push, of: NoticeName("anna/before/#\(number)"), hasFailed: true,
                        Instant(local: justBefore("2026-03-02T09:00Z")))
                }
            }
            .when(.requested("urgent"), .failed(other, on: "push", permanent: false), at: "2026-03-09T09:00Z")
            .then("emitted \(other) [push]")
            .when(Self.retries(first), at: "2026-03-09T09:00Z").thenNothing()
    }

    @Test func `a slot's own job is known by its slot, and good for as long as the slot would be`() {
        let slot = "check_in/2026-03-02T09:00"
        given(.enrolled()).later(at: "2026-03-02T09:00Z").then("emitted \(slot) [push]")
            .when(.failed(slot, on: "push", permanent: false), Self.retries(slot), at: "2026-03-02T13:00Z")
            .when(.failed(slot, on: "push", permanent: false), at: "2026-03-02T13:01Z")
            .refuses(
                Self.retries(slot), at: "2026-03-02T13:01Z",
                "data.job: \"anna/\(slot)\" could be sent until 2026-03-02T13:00:00.000Z, which has passed")
    }

    // MARK: Which channels remain

    /// How a job stands, of which something is told every minute.
    private struct Outcomes {
        private var standing: JobStanding
        private let channels: [Channel]
        private var minutes: Int64 = 0

        init(_ channels: [Channel]) { (self.channels, standing) = (channels, JobStanding(on: channels)) }

        mutating func take(_ word: Payload) {
            minutes += 1
            let at = RetryTests.noon.advanced(byMinutes: minutes)
            standing.take(Event(seq: UInt64(minutes), at: at, user: "anna", payload: word))
        }

        private func those(_ status: HistoryQuery.Status) -> ChannelSet {
            ChannelSet(channels.filter { $0 != .inApp && standing.status(on: $0) == status })
        }

        var remaining: ChannelSet { those(.queued) }
        var failed: ChannelSet { those(.failed) }
        var toSendAgain: ChannelSet { standing.toSendAgain }
    }

    private static func taken(_ channel: Channel, as name: String? = nil) -> Payload {
        var taken = JobDelivered()
        taken.providerID = name.map { Token($0) }
        taken.job = NoticeName("anna/a/#1")
        taken.channel = channel
        return .jobDelivered(taken)
    }

    private static func lost(_ channel: Channel) -> Payload {
        var failed = JobFailed()
        failed.job = NoticeName("anna/a/#1")
        failed.channel = channel
        return .jobFailed(failed)
    }

    private static var again: Payload {
        var request = JobRetryRequested()
        request.job = NoticeName("anna/a/#1")
        return .jobRetryRequested(request)
    }

    @Test func `what failed is to be sent again, on those channels alone, whatever is still to come`() {
        var outcomes = Outcomes([.push, .email, .sms, .inApp])
        #expect(outcomes.remaining == [.push, .email, .sms])
        for event in [Self.taken(.push), Self.lost(.email)] { outcomes.take(event) }
        #expect(outcomes.remaining == .sms && outcomes.toSendAgain == .email)
        outcomes.take(Self.lost(.sms))
        #expect(outcomes.remaining == [] && outcomes.toSendAgain == [.email, .sms])
        outcomes.take(Self.again)
        #expect(outcomes.remaining == [.email, .sms] && outcomes.toSendAgain == [])
        outcomes.take(Self.taken(.sms))
        outcomes.take(Self.lost(.email))
        #expect(outcomes.toSendAgain == .email)
    }

    private static func reported(_ channel: Channel, _ status: ReportStatus, of name: String? = nil) -> Payload {
        var report = DeliveryReported()
        (report.job, report.channel, report.status) = (NoticeName("anna/a/#1"), channel, status)
        report.providerID = name.map { Token($0) }
        return .deliveryReported(report)
    }

    @Test func `what is reported as failed is to be sent again, unless it was an earlier try`() {
        var outcomes = Outcomes([.email, .sms])
        for event in [Self.taken(.sms, as: "SM1"), Self.taken(.email), Self.reported(.sms, .failed, of: "SM1")] {
            outcomes.take(event)
        }
        #expect(outcomes.toSendAgain == .sms)
        for event in [Self.again, Self.taken(.sms, as: "SM2"), Self.reported(.sms, .failed, of: "SM1")] {
            outcomes.take(event)
        }
        #expect(outcomes.toSendAgain == [])
        outcomes.take(Self.reported(.email, .bounced))
        #expect(outcomes.toSendAgain == .email)
        outcomes.take(Self.reported(.email, .delivered))
        #expect(outcomes.toSendAgain == [])
    }

    @Test func `what another channel took instead is not sent again (N4)`() {
        var outcomes = Outcomes([.push])
        for event in [Self.lost(.push), Self.taken(.email)] { outcomes.take(event) }
        #expect(outcomes.failed == .push && outcomes.toSendAgain == [])
    }

    // MARK: Handing it over

    fileprivate static let noon = Instant(local: "2026-03-02T12:00Z")

    private func fact(_ told: Told) throws -> Fact {
        let line = "{\"type\":\"\(told.type)\",\"user\":\"anna\",\"data\":\(told.data)}"
        return try FactReader(zoneProblem: { _ in nil }).read(line)
    }

    private func told() throws -> [Fact] {
        try [
            fact(.enrolled()), fact(.requested("urgent")), fact(.requested("reminder")),
            fact(.failed("urgent/#2", on: "push", permanent: false)), fact(Self.retries("urgent/#2")),
        ]
    }

    /// Also when all was told in one commit.
    @Test(arguments: [true, false]) func `the worker hands it over by its own place`(together: Bool) throws {
        let disk = SimulatedDisk()
        let core = try Self.core(on: disk)
        let failedJobs = FailedJobPlaces("/data/log", on: disk)
        var places: [EventPlace] = []
        var facts = try told()
        while !facts.isEmpty {
            core.ask(facts: together ? facts : [facts[0]]) { _ in }
            facts = together ? [] : Array(facts.dropFirst())
            let turns = [core.turn(at: Self.noon, writing: false), core.commit()]
            // What is to be sent once more is looked up when that is durable.
            let found = try turns.flatMap(\.lookups).map(failedJobs.find)
            places += turns.flatMap(\.jobs)
            for case .job(let place) in found { places.append(place) }
        }
        #expect(places.map(\.seq) == [3, 5, 3])
        // The same place, and now the channels that failed.
        #expect(places.last?.position == places.first?.position && places.last?.channels == .push)
        try core.close()
        #expect(try Self.opened(on: disk).outstanding.map(\.seq) == [5, 3])
    }

    @Test func `what is told of another job is not told of this one`() throws {
        let disk = SimulatedDisk()
        let (core, failedJobs) = (try Self.core(on: disk), FailedJobPlaces("/data/log", on: disk))
        let told: [Told] = [
            .enrolled(), .requested("urgent"), .requested("reminder"),
            .failed("urgent/#2", on: "push", permanent: false), .delivered("reminder/#4"), Self.retries("urgent/#2"),
        ]
        core.ask(facts: try told.map { try fact($0) }) { _ in }
        let turns = [core.turn(at: Self.noon, writing: false), core.commit()]
        let found = try turns.flatMap(\.lookups).map(failedJobs.find)
        #expect(found == [.job(EventPlace(position: turns.flatMap(\.jobs)[0].position, seq: 3, channels: .push))])
        try core.close()
    }

    private static func opened(on disk: SimulatedDisk) throws -> WorkerOpening {
        let plan = ShippedPlans["standard"]
        let beginning = Beginning(plan, policy: ShippedPolicies.text(of: "standard") ?? "", tzdb: "test")
        return try WorkerOpening("/data/log", on: disk, holder: "the test", beginning)
    }

    private static func core(on disk: SimulatedDisk) throws -> WorkerCore { try opened(on: disk).core }
}
