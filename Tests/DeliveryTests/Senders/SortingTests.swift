import CivilTime
import Notices
import Testing

@testable import Delivery

@Suite("N4, where a job goes in place of a channel that was reported")
struct SortingTests {
    private let sorting = Sorting(
        rules: PostRules(channels: [.push, .email, .sms], fallback: [], push: [.apns]), sinks: [],
        carrier: { post in
            switch post {
            case .email: 1
            case .sms: 2
            default: 0
            }
        }, address: { _ in nil }, whyNone: { _ in "no device" })

    private func instead(of chosen: ChannelSet, _ contact: Contact?) throws -> RoutePlan {
        let order = order(1, channels: [.email])
        var place = order.place
        (place.channels, place.insteadOf) = (chosen, .email)
        let routes = try sorting.routes(order, at: place, contact)
        return try #require(routes.count == 1 ? routes[0] : nil)
    }

    @Test func `those that were chosen and are still on are tried, in their order`() throws {
        var contact = Contact()
        contact.channels = [.sms, .push, .inApp]
        let plan = try instead(of: [.push, .sms], contact)
        #expect(plan.channels == [.email] && plan.targets.isEmpty && plan.spare == [.push, .sms])
        contact.channels = [.sms]
        #expect(try instead(of: [.push, .sms], contact).spare == [.sms])
    }

    @Test func `with all of them switched off nothing is tried, and the first says why`() throws {
        var contact = Contact()
        contact.stops.channels = [.push]
        let plan = try instead(of: [.push, .sms], contact)
        #expect(plan.channels == [.push] && plan.targets.isEmpty && plan.spare.isEmpty)
        #expect(plan.whyNone == "the person has switched push off")
        #expect(try instead(of: [.sms], contact).whyNone == "the person is not reached on sms any more")
        #expect(try instead(of: [.push], nil).whyNone == "nobody of this name is known any more")
    }

    @Test func `a channel whose sender is gone is not tried`() throws {
        var contact = Contact()
        contact.channels = [.push]
        let none = Sorting(
            rules: PostRules(channels: [.email], fallback: [], push: []), sinks: [], carrier: { _ in 0 },
            address: { _ in nil }, whyNone: { _ in "" })
        let order = order(1, channels: [.email])
        var place = order.place
        (place.channels, place.insteadOf) = ([.push], .email)
        let routes = try none.routes(order, at: place, contact)
        #expect(routes.map(\.whyNone) == ["no sender is named for push any more"] && routes[0].spare.isEmpty)
    }
}
