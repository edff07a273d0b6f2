import Audit
import Testing

@Suite("Retention, as the judge sees it (E1)")
struct RetentionTests {
    private static func policy(_ days: Int?) -> String {
        let retention = days.map { "\"retention\":{\"people_after_days\":\($0)}," } ?? ""
        return "{\"name\":\"p\",\(retention)\"kinds\":[{\"name\":\"reminder\",\"on_request\":true}]}"
    }

    private func erased(_ at: String, after days: Int = 30) -> Step {
        fact(at, "person_erased", "{\"derived\":true,\"after_days\":\(days)}")
    }

    private func found(_ days: Int?, _ steps: Step...) throws -> [String] {
        try History(Self.policy(days), [enrolled()] + steps).found()
    }

    @Test func `nobody is erased before their time`() throws {
        #expect(try found(30, erased("2026-03-31T12:00:00Z")) == [])
        #expect(try found(30, erased("2026-03-31T11:59:59.999Z")) == ["retention 2"])
        #expect(try found(nil, erased("2026-03-31T12:00:00Z")) == ["retention 2", "retention 2"])
        #expect(try found(30, erased("2026-04-30T12:00:00Z", after: 31)) == ["retention 2"])
    }

    /// A check-in of Monday was brought forward before they were erased, and comes to who is enrolled with their id (`E4`).
    @Test func `whoever comes with the id of somebody erased is somebody new`() throws {
        let monday = "anna/check_in/2026-03-02T09:00"
        let ask = fact("2026-03-01T13:00:00Z", "run_requested", #"{"kind":"check_in","force":true}"#)
        let (early, late) = (job("2026-03-01T13:00:00Z", monday), job("2026-03-02T09:00:00Z", monday))
        let again = [fact("2026-03-01T14:00:00Z", "person_erased"), enrolled(at: "2026-03-01T15:00:00Z")]
        let found = try History(Policies.standard, [enrolled(), ask, early] + again + [late]).found()
        #expect(found == [])
        #expect(try History(Policies.standard, [enrolled(), ask, early, late]).found().contains("job_ids 4"))
    }

    @Test func `a sign of theirs begins it anew, and what others tell does not`() throws {
        let end = "2026-03-31T12:00:00Z"
        #expect(try found(30, fact("2026-03-05T12:00:00Z", "app_opened"), erased(end)) == ["retention 3"])
        let told = fact("2026-03-05T12:00:00Z", "subject_named", #"{"subject":"child:1","title":"Lea"}"#)
        #expect(try found(30, told, erased(end)) == [])
    }

    @Test func `nothing else is decided about somebody whose time has come`() throws {
        let late = "2026-03-31T12:00:00Z"
        let asked = requested("2026-03-20T12:00:00Z")
        #expect(try found(30, asked, dropped(late, "anna/reminder/#2", "no_channel")).contains("retention 3"))
        let before = "2026-03-31T11:59:59.999Z"
        #expect(try !found(30, asked, dropped(before, "anna/reminder/#2", "no_channel")).contains("retention 3"))
    }
}
