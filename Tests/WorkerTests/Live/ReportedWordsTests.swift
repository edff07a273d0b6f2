import CivilTime
import Notices
import Testing

@testable import Worker

/// N3, N6, N7: what a provider says counts, whenever its sender's answer is recorded.
@Suite("N3, what a provider says against what its sender heard")
struct ReportedWordsTests {
    private func retry(_ job: String, _ worker: SendingWorker) throws -> [ChannelSet] {
        try worker.tell("job_retry_requested", #"{"job":"\#(job)"}"#).map(\.channels)
    }

    private func textWorker(_ senders: SendersInForce? = nil) throws -> SendingWorker {
        let worker = try SendingWorker(senders)
        try worker.tell("preferences_changed", #"{"patch":{"channels":{"sms":true}}}"#)
        return worker
    }

    /// Twilio's report overtakes its own answer: that it took the text is the older word, at the first try and at each other.
    @Test func `a text that was reported as failed before its answer came is sent once more (N7)`() throws {
        let worker = try textWorker()
        let job = try worker.send("text")
        for name in ["SM1", "SM2"] {
            try worker.report(
                job, on: .sms, "failed", permanent: false, rest: #","code":"30008","provider_id":"\#(name)""#)
            try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"sms","provider_id":"\#(name)"}"#)
            #expect(try retry(job, worker) == [.sms])
        }
        #expect(worker.refusals == [])
        try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"sms","provider_id":"SM3"}"#)
        #expect(try retry(job, worker) == [])
        #expect(worker.refusals.last?.hasSuffix("\"\(job)\" was delivered since it failed") == true)
    }

    @Test(arguments: [("bounced", "delivered"), ("failed", "delivered"), ("bounced", "complained")])
    func `what failed for good is sent once more, whatever else is told late (N7)`(first: String, late: String) throws {
        let worker = try SendingWorker(nil)
        let job = try worker.send("mail", taken: .email)
        try worker.report(job, first)
        try worker.report(job, late, permanent: false)
        try worker.tell(
            "contact_changed", #"{"email":"ben@example.org"}"#, "preferences_changed",
            #"{"patch":{"channels":{"email":true}}}"#)
        #expect(try retry(job, worker) == [.email])
        #expect(worker.refusals == [])
        // The next try is a new one.
        try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"email"}"#)
        #expect(try retry(job, worker) == [])
    }

    @Test func `a text whose answer was lost rings for nothing else once the next was taken (N4)`() throws {
        let worker = try textWorker(SendersInForce(channels: .ringing, fallback: .ringing))
        let job = try worker.send("text")
        try worker.tell(
            "job_failed", #"{"job":"\#(job)","channel":"sms","reason":"may have been taken","permanent":false}"#)
        #expect(try retry(job, worker) == [.sms])
        try worker.tell("job_delivered", #"{"job":"\#(job)","channel":"sms","provider_id":"SM2"}"#)
        #expect(try worker.report(job, on: .sms, "failed", permanent: false, rest: #","provider_id":"SM1""#).isEmpty)
        #expect(try worker.restart().isEmpty)
        let ways = try worker.report(job, on: .sms, "failed", permanent: false, rest: #","provider_id":"SM2""#)
        #expect(ways.map(\.channels) == [[.push, .email]])
    }

    @Test func `a complaint is an unsubscription in the log too, unless it is forgiven (N6)`() throws {
        let worker = try SendingWorker(nil)
        let job = try worker.send("mail", taken: .email)
        func stops() throws -> [Unsubscribed] {
            try worker.logged().compactMap { word -> Unsubscribed? in
                if case .unsubscribed(let stop) = word { stop } else { nil }
            }
        }
        try worker.report(job, "complained")
        #expect(try stops().map(\.how) == [.complaint])
        #expect(try stops().map(\.channel) == [.email])
        // Said by another provider's word, it stops nothing more.
        try worker.report(job, "complained", rest: #","code":"again""#)
        #expect(try stops().count == 1)
        // They have asked for mail again since.
        worker.now = SendingWorker.noon.advanced(byMinutes: 1)
        try worker.tell("preferences_changed", #"{"patch":{"channels":{"email":true}}}"#)
        try worker.report(job, "complained", rest: #","code":"late""#)
        #expect(try stops().count == 1)
        #expect(worker.refusals == [])
    }
}
