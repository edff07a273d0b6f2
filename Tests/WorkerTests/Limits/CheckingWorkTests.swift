import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// What a fact takes to be checked belongs to the turn as well, whether it is taken or not (`G11`): a worker that did not
/// count it took half a second's worth of refused settings in one turn.
@Suite("G11, the work of checking")
struct CheckingWorkTests {
    private static let noon = Instant(milliseconds: 1_772_452_800_000)

    private func decider() throws -> Decider {
        var decider = Decider(Register(ShippedPlans["goals"]), nextSequence: 1)
        var events: [Event] = []
        for number in 0..<40 {
            let fact = HostilePerson.fact("goal_started", #"{"goal":"goal-\#(number)","title":"Run"}"#)
            _ = try decider.take(Fact(user: HostilePerson.user, payload: fact), at: Self.noon, into: &events)
        }
        return decider
    }

    private func workOfRefusing(_ fact: Payload) throws -> Int {
        var decider = try decider()
        let before = decider.work
        var events: [Event] = []
        #expect(throws: FieldError.self) {
            _ = try decider.take(Fact(user: HostilePerson.user, payload: fact), at: Self.noon, into: &events)
        }
        return decider.work - before
    }

    @Test func `settings that are refused count like those that are taken`() throws {
        let patch = HostilePerson.fact(
            "preferences_changed", #"{"patch":{"kinds":{"nonsense":{"enabled":true}}}}"#)
        #expect(try workOfRefusing(patch) >= Desk.preferenceWork)
    }

    @Test func `a fact that is refused counts as much as the person is looked through`() throws {
        let work = try workOfRefusing(HostilePerson.fact("goal_ended", #"{"goal":"unheard","outcome":"failed"}"#))
        #expect(work >= 40)
    }

    /// A worker that did not count it searched a turn's worth of long messages for half a minute.
    @Test func `a message counts by its length and by how many keywords are looked for`() throws {
        var decider = Decider(Register(ShippedPlans["messageai"]), nextSequence: 1)
        func workOfHearing(_ text: String) throws -> Int {
            let before = decider.work
            var events: [Event] = []
            let message = #"{"conversation":"c","message":"m\#(text.utf8.count)","sender":"bo","text":"\#(text)"}"#
            let fact = Fact(user: HostilePerson.user, payload: HostilePerson.fact("message_received", message))
            _ = try decider.take(fact, at: Self.noon, into: &events)
            return decider.work - before
        }
        let long = String(repeating: "ж", count: 30_000)
        #expect(try workOfHearing("ж") < 100)
        #expect(try workOfHearing(long) > 4_000)
        let keywords = (0..<100).map { "\"слово\($0)\"" }.joined(separator: ",")
        var events: [Event] = []
        let change = HostilePerson.fact("preferences_changed", #"{"patch":{"priority_keywords":[\#(keywords)]}}"#)
        _ = try decider.take(Fact(user: HostilePerson.user, payload: change), at: Self.noon, into: &events)
        #expect(try workOfHearing(long + "ж") > 20_000)
    }
}
