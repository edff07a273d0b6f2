import CivilTime
import Notices
import Testing
@testable import Worker

/// `N3`: reports come late, twice and out of order.
@Suite("N3, where a job stands")
struct JobStandingTests {
    private let noon = Instant(seconds: 1_772_452_800)

    /// - Parameter minute: when it happened, as the provider says.
    private func report(_ status: ReportStatus, toldAt told: Int64, minute: Int64? = nil) -> Event {
        var word = DeliveryReported()
        word.job = NoticeName("anna/alert/#3")
        word.channel = .email
        word.status = status
        word.isPermanent = status == .bounced
        word.providerID = Token("p1")
        return Event(
            seq: UInt64(told), at: noon.advanced(byMinutes: told), user: "anna",
            occurredAt: minute.map { noon.advanced(byMinutes: $0) }, payload: .deliveryReported(word))
    }

    private func status(_ reports: Event...) -> HistoryQuery.Status {
        var standing = JobStanding()
        for report in reports { standing.take(report) }
        return standing.status
    }

    private func outcome(_ channel: Channel, isTaken: Bool) -> Event {
        var (taken, failed) = (JobDelivered(), JobFailed())
        (taken.channel, failed.channel) = (channel, channel)
        return Event(
            seq: 99, at: noon.advanced(byMinutes: 99), user: "anna",
            payload: isTaken ? .jobDelivered(taken) : .jobFailed(failed))
    }

    @Test func `what goes another way is queued until that is known (N4)`() {
        var bounced = report(.bounced, toldAt: 10)
        if case .deliveryReported(var word) = bounced.payload {
            word.givesWayTo = [.push, .sms]
            bounced.payload = .deliveryReported(word)
        }
        #expect(status(outcome(.email, isTaken: true), bounced) == .queued)
        #expect(status(outcome(.email, isTaken: true), bounced, outcome(.sms, isTaken: true)) == .sent)
        #expect(status(outcome(.email, isTaken: true), bounced, outcome(.sms, isTaken: false)) == .failed)
        // Nothing was to be sent after all: it stands as it did, and that is no failure of the other channel.
        var untried = JobFailed()
        (untried.channel, untried.isUntried) = (.push, true)
        let ended = Event(seq: 100, at: noon, user: "anna", payload: .jobFailed(untried))
        #expect(status(outcome(.email, isTaken: true), bounced, ended) == .failed)
        #expect(status(outcome(.email, isTaken: true), ended) == .sent)
    }

    /// `N7`: on its own channels it is sent once more, and gives way anew to those that it gave way to before.
    @Test func `a retry is queued on the job's own channels alone`() {
        func status(_ own: [Channel], _ events: Event...) -> HistoryQuery.Status {
            var standing = JobStanding(on: own)
            for event in events { standing.take(event) }
            return standing.status
        }
        let (push, mail) = (outcome(.push, isTaken: false), outcome(.email, isTaken: false))
        let retry = Event(seq: 99, at: noon, user: "anna", payload: .jobRetryRequested(JobRetryRequested()))
        #expect(status([.push], push, mail) == .failed)
        #expect(status([.push, .email], push) == .queued, "while the mail is still to come")
        #expect(status([.push, .email], push, mail) == .failed)
        #expect(status([.push], push, mail, retry) == .queued)
        #expect(status([.push], push, mail, retry, push) == .failed)
        #expect(status([.push], push, mail, retry, push, mail) == .failed)
        #expect(status([.push], push, mail, retry, push, outcome(.email, isTaken: true)) == .sent)
        #expect(status([.push], push, mail, retry, outcome(.push, isTaken: true)) == .sent)
        // Both are its own, and each is waited for.
        #expect(status([.push, .email], push, mail, retry, push) == .queued)
        #expect(status([.push, .email], push, mail, retry, push, mail) == .failed)
    }

    /// Its connection was cut, and the first text may have been taken.
    @Test func `what Twilio says of a text whose answer was lost is not about the one that was sent behind it`() {
        func taken(_ name: String) -> Event {
            var word = JobDelivered()
            (word.channel, word.providerID) = (.sms, Token(name))
            return Event(seq: 100, at: noon.advanced(byMinutes: 100), user: "anna", payload: .jobDelivered(word))
        }
        func failed(_ name: String) -> Event {
            var word = DeliveryReported()
            (word.channel, word.status, word.providerID) = (.sms, .failed, Token(name))
            return Event(seq: 101, at: noon.advanced(byMinutes: 101), user: "anna", payload: .deliveryReported(word))
        }
        let lost = outcome(.sms, isTaken: false)
        let retry = Event(seq: 99, at: noon, user: "anna", payload: .jobRetryRequested(JobRetryRequested()))
        #expect(status(lost, retry, taken("SM2"), failed("SM1")) == .sent)
        #expect(status(lost, retry, failed("SM1"), taken("SM2")) == .sent)
        #expect(status(lost, retry, taken("SM2"), failed("SM1"), failed("SM2")) == .failed)
        #expect(status(lost, retry, failed("SM2"), taken("SM2")) == .failed)
        // Others report under names of their own.
        #expect(status(lost, retry, taken("request-2"), failed("SM1")) == .failed)
        #expect(status(lost, retry, taken("SM2"), failed("message-1")) == .failed)
    }

    @Test func `the provider's own time decides, whenever the reports come`() {
        let (bounced, delivered) = (report(.bounced, toldAt: 10, minute: 5), report(.delivered, toldAt: 11, minute: 4))
        #expect(status(bounced, delivered) == .failed)
        #expect(status(delivered, bounced) == .failed)
        let later = report(.delivered, toldAt: 11, minute: 6)
        #expect(status(bounced, later) == .delivered)
    }

    @Test func `where it does not say when, a permanent bounce is the end`() {
        #expect(status(report(.bounced, toldAt: 10), report(.delivered, toldAt: 11)) == .failed)
        #expect(status(report(.bounced, toldAt: 10, minute: 5), report(.delivered, toldAt: 11)) == .failed)
        #expect(status(report(.delivered, toldAt: 10), report(.bounced, toldAt: 11)) == .failed)
        #expect(status(report(.failed, toldAt: 10), report(.delivered, toldAt: 11)) == .delivered)
    }
}
