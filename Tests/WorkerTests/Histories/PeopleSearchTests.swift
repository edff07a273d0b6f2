import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// Pages of the people whom the log knows (SPEC §13).
@Suite("people, page by page")
struct PeopleSearchTests {
    private func register(_ people: Int) throws -> Register {
        let now = try Instant(rfc3339: "2026-03-02T12:00:00Z")
        var register = Register(ShippedPlans["standard"])
        for number in 0..<people {
            var enrolled = UserEnrolled()
            enrolled.timezone = ZoneName("Etc/UTC")
            register.fold(
                Event(seq: UInt64(number + 1), at: now, user: "u\(number)", payload: .userEnrolled(enrolled)))
        }
        return register
    }

    private func page(
        _ register: Register, after: String? = nil, failed: Set<String>
    ) throws(FieldError) -> [String] {
        var query = PeopleQuery(limit: 2, after: after)
        query.state = .failed
        var search = PeopleSearch(query, candidates: failed)
        while !search.isDone { try search.go(through: register, until: { true }) }
        return search.found.map(\.user)
    }

    @Test func `who failed is listed in the order in which the log met them`() throws {
        let register = try register(200)
        let failed: Set<String> = ["u150", "u4", "u1", "u130"]
        #expect(try page(register, failed: failed) == ["u1", "u4"])
        #expect(try page(register, after: "u4", failed: failed) == ["u130", "u150"])
        #expect(try page(register, after: "u150", failed: failed) == [])
    }

    @Test func `a page goes on behind whoever is well again`() throws {
        let register = try register(200)
        #expect(try page(register, after: "u4", failed: ["u1", "u130", "u150"]) == ["u130", "u150"])
        #expect(throws: FieldError.self) { try page(register, after: "nobody", failed: ["u1"]) }
    }
}
