import CivilTime
import Simulation
import Testing

@testable import Notices

/// What the page tells beside the fields themselves.
@Suite("V3: how things stand, in the settings")
struct SettingsStandingTests {
    private static let now = Instant(milliseconds: 1_772_460_000_000)
    private static let notice = NoticeName("anna/referee/#4")

    private func document(_ events: Payload...) throws -> JSONValue {
        var register = Register(ShippedPlans["microcommit"])
        var enrolled = UserEnrolled()
        enrolled.timezone = ZoneName("Europe/Paris")
        for (place, payload) in ([.userEnrolled(enrolled)] + events).enumerated() {
            register.fold(Event(seq: UInt64(place + 1), at: Self.now, user: "anna", payload: payload))
        }
        let person = register[try #require(register.number(of: "anna"))]
        return Settings(
            of: "anna", person, register.plan, seq: UInt64(events.count + 1), at: Self.now,
            analyser: AnalyserHere(isThere: true)
        ).json
    }

    @Test func `of somebody new there is nothing to tell`() throws {
        let settings = try document()
        #expect(settings["warnings"] == .array([]) && settings["snoozed"] == .array([]))
        #expect(settings["waiting"]?.integer == 0)
    }

    @Test func `what cannot be read of their preferences is told (G6)`() throws {
        // As a policy with such a kind has left it.
        var changed = PreferencesChanged()
        changed.patch = try PreferencesPatch(reading: #"{"kinds":{"gone":{"enabled":false}}}"#)
        let warnings = try document(.preferencesChanged(changed))["warnings"]?.elements?.compactMap(\.string) ?? []
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("kinds.gone: is not a kind of microcommit") == true)
    }

    @Test func `what was put off is told with when it comes again (S1)`() throws {
        var (job, snoozed) = (JobEmitted(), NoticeSnoozed())
        (job.job, job.kind) = (Self.notice, Identifier("referee"))
        (job.notices, job.channels) = ([Self.notice], [.push])
        (snoozed.job, snoozed.minutes) = (Self.notice, 60)
        let told = try document(.jobEmitted(job), .noticeSnoozed(snoozed))["snoozed"]?.elements ?? []
        #expect(told.map { $0["notice"]?.string } == ["anna/referee/#4~1"])
        #expect(told.map { $0["due"]?.string } == ["\(Self.now.advanced(byMinutes: 60))"])
    }

    @Test func `how many notices wait is told`() throws {
        var held = NoticeHeld()
        (held.notice, held.kind) = (Self.notice, Identifier("referee"))
        (held.until, held.reason) = (Self.now.advanced(byHours: 1), .quietHours)
        #expect(try document(.noticeHeld(held))["waiting"]?.integer == 1)
    }
}
