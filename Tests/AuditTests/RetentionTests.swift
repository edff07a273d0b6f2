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
