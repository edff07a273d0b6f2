import Notices
import Simulation
import Testing
import Worker

@testable import Reports

/// What a day says of a digest to come is what explain says of its slot: as things will stand then.
@Suite("A digest to come on a person's day (V1)")
struct DaySilenceTests {
    private let night = "2026-03-03T03:00:00Z"

    private func life(_ wishes: String, askedAt: String) throws -> Life {
        try Life(
            until: night,
            [
                ("2026-03-02T06:00:00Z", "user_enrolled", #"{"timezone":"Etc/UTC"}"#),
                ("2026-03-02T06:01:00Z", "preferences_changed", #"{"patch":\#(wishes)}"#),
                (askedAt, "notice_requested", #"{"kind":"reminder"}"#),
            ])
    }

    private func silence(_ wishes: String, askedAt: String) throws -> String? {
        let day = try life(wishes, askedAt: askedAt).day(nil, now: night)
        let digest = day.slots.first { $0.kind == "daily_digest" && $0.state == .toCome }
        return try #require(digest).silence
    }

    @Test func `it comes with what is held until then (D1)`() throws {
        let wishes = #"{"digest_mode":true,"check_ins_enabled":false}"#
        #expect(try silence(wishes, askedAt: "2026-03-02T23:01:00Z") == nil)
    }

    /// Yesterday's waits for the morning.
    @Test func `it has nothing to say where one that waits tells everything first (D1)`() throws {
        let wishes =
            #"{"digest_mode":true,"check_ins_enabled":false,"quiet_hours":{"start":"17:00","end":"08:00"}}"#
        #expect(try silence(wishes, askedAt: "2026-03-02T10:00:00Z")?.hasSuffix("(D1)") == true)
    }

    @Test func `nothing is lived ahead for somebody who has gone meanwhile`() throws {
        let life = try life(#"{"digest_mode":true}"#, askedAt: "2026-03-02T23:01:00Z")
        for isWanted in [true, false] {
            let foresight = Foresight(work: Foresight.workOfOneAnswer, isWanted: { isWanted })
            #expect(try !life.day(nil, now: night, foresight).slots.isEmpty)
            #expect(foresight.isCutShort == !isWanted)
        }
    }
}
