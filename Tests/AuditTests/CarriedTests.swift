import Testing

@Suite("What jobs carry (§11), as the judge sees it")
struct CarriedTests {
    private static let noon = "2026-03-02T12:00:00Z"

    private func found(
        _ kind: String = "reminder", request: String = "", wish: String = "{}", _ priority: String? = nil,
        more: String = ""
    ) throws -> [String] {
        try History(
            enrolled(), wants(wish), requested(Self.noon, kind, request),
            job(Self.noon, "anna/\(kind)/#3", priority, more: more)
        ).found()
    }

    private func notAfter(_ time: String) -> String { #","not_after":"2026-03-02T\#(time)Z""# }

    @Test func `a job matters as much as its notice`() throws {
        #expect(try found("alert") == [])
        #expect(try found("alert", "low") == ["carried 4"])
        #expect(try found("alert", "critical") == ["carried 4"])
        #expect(try found("alert", request: #","priority":"low""#, "low") == [])
        #expect(try found("alert", request: #","priority":"low""#, "medium") == ["carried 4"])
    }

    @Test func `it is about what its notice is about`() throws {
        let asked = requested(Self.noon, "reminder", #","subject":"goal:g1""#)
        let told = { (subject: String) in
            var step = job(Self.noon, "anna/reminder/goal:g1/#2")
            step.data = step.data.replacing(#""subject":"goal:g1","#, with: subject)
            return step
        }
        #expect(try History(enrolled(), asked, told(#""subject":"goal:g1","#)).found() == [])
        #expect(try History(enrolled(), asked, told(#""subject":"goal:g2","#)).found() == ["carried 3"])
        #expect(try History(enrolled(), asked, told("")).found() == ["carried 3"])
    }

    @Test func `it may be sent until quiet hours begin, and no later`() throws {
        #expect(try found(more: notAfter("22:00:00")) == [])
        #expect(try found(more: notAfter("22:00:00.001")) == ["carried 4"])
        #expect(try found(more: notAfter("12:00:00")) == ["carried 4"])
        #expect(try found(wish: #"{"quiet_hours":{"exceptions":["reminder"]}}"#, more: notAfter("23:00:00")) == [])
        #expect(try found("urgent", more: notAfter("23:00:00")) == [])
    }

    @Test func `nor when it expires or the schedule ends`() throws {
        let ends = #","expires_at":"2026-03-02T13:00:00Z""#
        #expect(try found(request: ends, more: notAfter("13:00:00")) == [])
        #expect(try found(request: ends, more: notAfter("13:00:00.001")) == ["carried 4"])
        #expect(try found("urgent", request: ends, more: notAfter("14:00:00")) == ["carried 4"])
        let hours = #"{"schedule":{"mon":[["09:00","15:00"],["15:00","16:00"]]}}"#
        #expect(try found(wish: hours, more: notAfter("16:00:00")) == [])
        #expect(try found(wish: hours, more: notAfter("16:00:00.001")) == ["carried 4"])
    }
}
