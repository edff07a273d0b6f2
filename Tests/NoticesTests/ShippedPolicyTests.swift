import CivilTime
import Notices
import Testing

/// SPEC §15.
@Suite("Shipped policies")
struct ShippedPolicyTests {
    @Test func `standard spells out what a policy begins with`() throws {
        let text = try #require(ShippedPolicies.text(of: "standard"))
        let standard = try Policy(document: text)
        var bare = Policy()
        bare.name = standard.name
        bare.about = standard.about
        bare.kinds = standard.kinds
        bare.defaults = standard.defaults
        #expect(standard == bare)
        #expect(
            standard.kinds.map(\.name.text) == [
                "urgent", "alert", "reminder", "check_in", "daily_digest", "weekly_review",
            ])
        bare.defaults = .emptyObject
        let (spelled, left) = (Rulebook(standard), Rulebook(bare))
        for saidYes in [false, true] {
            #expect(
                spelled.document(differing: .emptyObject, saidYes: saidYes, timezone: "UTC")
                    == left.document(differing: .emptyObject, saidYes: saidYes, timezone: "UTC"))
        }
    }

    @Test func `whoever changed nothing has the standing preferences`() throws {
        let rules = Rulebook(try Policy(document: try #require(ShippedPolicies.text(of: "standard"))))
        let standing = rules.preferences(differing: .emptyObject, saidYes: true)
        #expect(standing === rules.preferences(differing: .emptyObject, saidYes: true))
        #expect(standing.warnings == [])
        #expect(standing.checkInTime.description == "09:00")
        #expect(standing.checkInDays.description == "mon,wed,fri")
    }
}
