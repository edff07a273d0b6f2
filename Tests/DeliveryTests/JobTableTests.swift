import Notices
import Testing

@testable import Delivery

@Suite("The jobs of the plan")
struct JobTableTests {
    @Test func `what the log has no outcome of and nothing is done about any more is missing, and nothing else`() {
        var table = JobTable(sinks: [])
        let place = JobPlace(position: 100, seq: 1, channels: [.push, .email])
        let target = Target(carrier: 0, address: .email)
        let slot = table.insert(place)
        // Nobody has sorted it.
        #expect(table.missing(of: [place]) == [])
        table.sort(slot, [.push, .email].map { RoutePlan(channels: [$0], targets: [target]) })
        #expect(table.missing(of: [place]) == [])
        // What came of it was not recorded.
        _ = table.end(Parcel(slot: slot, route: 0, target: 0), .taken(providerID: nil))
        #expect(table.missing(of: [place]) == [JobPlace(position: 100, seq: 1, channels: .push)])
        // What gives way to another channel has its outcomes with the end of that.
        let way = table.insert(JobPlace(position: 200, seq: 2, channels: .push))
        table.sort(way, [RoutePlan(channels: [.push], targets: [target], spare: [.sms])])
        let parcel = Parcel(slot: way, route: 0, target: 0)
        _ = table.end(parcel, .failed(reason: "gone", isDead: true))
        let failure = Route.Failure(channel: .push, reason: "gone", isPermanent: true)
        #expect(table.giveWay(way, 0, after: [failure]) == .sms)
        #expect(table.missing(of: [JobPlace(position: 200, seq: 2, channels: .push)]) == [])
        table.extend(way, 0, to: .sms, [target])
        #expect(table.missing(of: [JobPlace(position: 200, seq: 2, channels: .push)]) == [])
        // One that takes a failed channel's place goes out on one of several.
        let instead = JobPlace(position: 300, seq: 3, channels: [.email, .sms], insteadOf: .push)
        func word(_ channel: Channel) -> Outbox.Word {
            var delivered = JobDelivered()
            delivered.channel = channel
            return Outbox.Word(
                facts: [Fact(user: "anna", payload: .jobDelivered(delivered))], place: instead.ofAllChannels)
        }
        #expect(table.missing(of: [instead]) == [instead])
        #expect(table.missing(of: [instead], besides: [word(.push)]) == [instead])
        #expect(table.missing(of: [instead], besides: [word(.email)]) == [])
        _ = table.insert(instead)
        #expect(table.missing(of: [instead]) == [])
        let elsewhere = JobPlace(position: 100, seq: 2, channels: [.push, .email])
        #expect(table.missing(of: [elsewhere]) == [elsewhere])
    }
}
