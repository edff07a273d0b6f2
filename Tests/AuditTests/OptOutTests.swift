import Audit
import Testing

@Suite("P3, P4 and P5, as the judge sees them")
struct OptOutTests {
    private static let noon = "2026-03-02T12:00:00Z"

    /// What is found where Anna's preferences are these and a note goes out to her.
    private func found(
        _ patch: String, _ kind: String = "note", subject: String? = nil, subtype: String? = nil,
        on channels: [String] = ["push", "email"]
    ) throws -> [String] {
        let about = subject.map { ",\"subject\":\"\($0)\"" } ?? ""
        let data = subtype.map { ",\"data\":{\"subtype\":\"\($0)\"}" } ?? ""
        let name = ["anna", kind, subject, "#3"].compactMap { $0 }.joined(separator: "/")
        return try History(
            Policies.busy, enrolled("UTC", #","email":"a@example.com""#), wants(patch),
            requested(Self.noon, kind, about + data), job(Self.noon, name, on: channels)
        ).found()
    }

    @Test func `the master switch`() throws {
        #expect(try found("{}") == [])
        #expect(try found(#"{"enabled":false}"#) == ["master_switch 4"])
        #expect(try found(#"{"enabled":false}"#, "payment", on: ["push", "email"]) == [])
    }

    @Test func `a kind and its subtypes`() throws {
        #expect(try found(#"{"kinds":{"note":{"enabled":false}}}"#) == ["kind_switch 4"])
        #expect(try found(#"{"kinds":{"payment":{"enabled":false}}}"#) == [])
        #expect(try found("{}", subtype: "comment") == [])
        #expect(try found("{}", subtype: "like") == ["kind_switch 4"])
        #expect(try found(#"{"kinds":{"note":{"subtypes":{"like":true,"comment":false}}}}"#, subtype: "like") == [])
        #expect(
            try found(#"{"kinds":{"note":{"subtypes":{"comment":false}}}}"#, subtype: "comment") == ["kind_switch 4"])
        // A word that the kind does not know, or knows no more, is the sender's own.
        #expect(try found(#"{"kinds":{"note":{"subtypes":{"gone":false}}}}"#, subtype: "gone") == [])
    }

    @Test func `a kind for one goal`() throws {
        let patch = #"{"goals":{"g1":{"kinds":{"note":{"enabled":false}}}}}"#
        #expect(try found(patch, subject: "goal:g1") == ["kind_switch 4"])
        #expect(try found(patch, subject: "goal:g2") == [])
        #expect(try found(patch) == [])
    }

    @Test func `locked kinds cannot be switched off, but those parts of them that are not locked can`() throws {
        let patch = #"{"kinds":{"payment":{"enabled":false}}}"#
        #expect(try found(patch, "payment", subtype: "failed", on: ["push", "email"]) == [])
        #expect(try found(patch, "payment", subtype: "soon", on: ["push"]) == ["kind_switch 4"])
    }

    /// SPEC §3: a person stores only what differs from the defaults.
    @Test(arguments: [
        (#"{"enabled":false}"#, #"{"enabled":false}"#, ""), (#"{"digest_mode":false}"#, "{}", #"{"digest_mode":true}"#),
        (#"{"kinds":{"note":{"enabled":false}}}"#, #"{"kinds":{"note":{"enabled":false}}}"#, ""),
        (#"{"kinds":{"note":{"channels":["email"]}}}"#, #"{"kinds":{"note":{"channels":["email"]}}}"#, ""),
        (#"{"kinds":{"note":{"subtypes":{"part":false}}}}"#, #"{"kinds":{"note":{"subtypes":{"part":false}}}}"#, ""),
        (#"{"quiet_hours":{"start":"11:00","end":"13:00"}}"#, #"{"quiet_hours":{"start":"11:00","end":"13:00"}}"#, ""),
        (#"{"quiet_hours":{"enabled":true,"end":"13:00"}}"#, #"{"quiet_hours":{"end":"13:00"}}"#, ""),
        (#"{"schedule":{"mon":[["08:00","09:00"]]}}"#, #"{"schedule":{"mon":[["08:00","09:00"]]}}"#, ""),
        (#"{"channels":{"push":false}}"#, #"{"channels":{"push":false}}"#, ""),
    ])
    func `whoever chose what was the default has the next policy's default`(
        patch: String, then: String, next: String
    ) throws {
        let policy = { (name: String, preferences: String) in
            #"""
            {"policy":{"name":"\#(name)","preferences":\#(preferences.isEmpty ? "{}" : preferences),"kinds":[
              {"name":"note","on_request":true,"digestible":true,"subtypes":[{"name":"part"}]},
              {"name":"day","digest":"daily","schedule":{"on":"daily","at":"18:00"}}]}}
            """#.split(separator: "\n").joined(separator: " ")
        }
        let found = { (first: String) in
            var (one, two) = (
                fact("2026-03-01T12:00:00Z", "policy_adopted", policy("one", first)),
                fact("2026-03-01T13:00:00Z", "policy_adopted", policy("two", next))
            )
            (one.user, two.user) = (nil, nil)
            let after =
                next.isEmpty
                ? job(Self.noon, "anna/note/#5")
                : gathered(Self.noon, "anna/note/#5", into: "anna/day/2026-03-02T18:00", "digest_mode")
            return try History(
                Policies.busy, one, enrolled(), wants(patch), two,
                requested(Self.noon, "note", #","data":{"subtype":"part"}"#), after
            ).found()
        }
        #expect(try found(then) == [])
        // Chosen while the default was another, it stands.
        let other = patch == #"{"digest_mode":false}"# ? #"{"digest_mode":true}"# : "{}"
        #expect(try found(other) != [])
    }

    @Test func `a preset is a patch like any other`() throws {
        let history = { (preset: String, after: Step) in
            try History(
                Policies.busy, enrolled(),
                fact("2026-03-01T12:00:01Z", "preset_applied", "{\"preset\":\"\(preset)\"}"), after,
                requested(Self.noon, "note"), job(Self.noon, "anna/note/#4")
            ).found()
        }
        let nothing = fact("2026-03-01T12:00:02Z", "app_closed")
        #expect(try history("minimal", nothing) == ["kind_switch 5"])
        #expect(try history("unheard_of", nothing) == [])
        #expect(try history("minimal", fact("2026-03-01T12:00:02Z", "preferences_reset")) == [])
        #expect(try history("minimal", wants(#"{"kinds":{"note":null}}"#, at: "2026-03-01T12:00:02Z")) == [])
    }

    @Test func `check-ins have a switch of their own`() throws {
        let slot = "2026-03-02T09:00:00Z"
        let checkIn = job(slot, "anna/check_in/2026-03-02T09:00")
        #expect(try History(enrolled(), checkIn).found() == [])
        #expect(try History(enrolled(), wants(#"{"check_ins_enabled":false}"#), checkIn).found() == ["kind_switch 3"])
    }

    @Test(arguments: ["granted", "denied", "not_now"]) func `check-ins wait for a yes where they are asked for`(
        status: String
    ) throws {
        let slot = "2026-03-02T09:00:00Z"
        let checkIn = job(slot, "anna/check_in/2026-03-02T09:00")
        let asked = fact("2026-03-01T13:00:00Z", "push_permission_changed", "{\"status\":\"\(status)\"}")
        #expect(try History(Policies.chatty, enrolled(), checkIn).found() == ["kind_switch 2"])
        // A denied permission is a yes to check-ins, though they then cannot be pushed.
        let expected = ["granted": [], "denied": ["channels 3"], "not_now": ["kind_switch 3"]][status]
        #expect(try History(Policies.chatty, enrolled(), asked, checkIn).found() == expected)
        let own = wants(#"{"check_ins_enabled":true}"#)
        #expect(try History(Policies.chatty, enrolled(), own, checkIn).found() == [])
    }

    @Test func `what a digest tells is asked as well`() throws {
        let digest = "anna/daily_digest/2026-03-02T18:00"
        let history = { (patch: String) in
            try History(
                enrolled(), requested(Self.noon, "alert"), gathered(Self.noon, "anna/alert/#2", into: digest),
                wants(patch, at: "2026-03-02T17:00:00Z"),
                job("2026-03-02T18:00:00Z", digest, notices: [digest, "anna/alert/#2"])
            ).found()
        }
        #expect(try history("{}") == [])
        #expect(try history(#"{"kinds":{"alert":{"enabled":false}}}"#) == ["kind_switch 5"])
        #expect(try history(#"{"enabled":false}"#) == ["master_switch 5"])
    }

    @Test(arguments: [
        ("none", false, nil, true), ("person", false, nil, false), ("person", false, "user", true),
        ("person", false, "guardian", false), ("person", true, "user", false), ("person", true, "guardian", true),
        ("guardian_for_minors", false, nil, true), ("guardian_for_minors", true, nil, false),
        ("guardian_for_minors", true, "user", false), ("guardian_for_minors", true, "guardian", true),
    ]) func `consent is asked of whom the policy says`(
        consent: String, isMinor: Bool, giver: String?, isClean: Bool
    ) throws {
        var steps = [enrolled("UTC", ",\"minor\":\(isMinor)")]
        if let giver { steps.append(fact("2026-03-01T13:00:00Z", "consent_given", "{\"by\":\"\(giver)\"}")) }
        let number = steps.count + 1
        let notice = [requested(Self.noon, "note"), job(Self.noon, "anna/note/#\(number)")]
        let history = History(Policies.consenting(consent), steps + notice)
        #expect(try history.found() == (isClean ? [] : ["consent \(number + 1)"]))
    }

    @Test func `a consent that was withdrawn is none`() throws {
        let given = fact("2026-03-01T13:00:00Z", "consent_given", #"{"by":"user"}"#)
        let withdrawn = fact("2026-03-01T14:00:00Z", "consent_withdrawn", #"{"by":"user"}"#)
        let notice = { (number: Int) in [requested(Self.noon, "note"), job(Self.noon, "anna/note/#\(number)")] }
        let policy = Policies.consenting("person")
        #expect(try History(policy, [enrolled(), given] + notice(3)).found() == [])
        #expect(try History(policy, [enrolled(), given, withdrawn] + notice(4)).found() == ["consent 5"])
    }

    @Test func `a policy that is adopted holds from then on`() throws {
        let adopted = { (at: String) in
            fact(at, "policy_adopted", "{\"policy\":\(Policies.consenting("person"))}").about(nil)
        }
        let first = fact("2026-03-01T00:00:00Z", "policy_adopted", "{\"policy\":\(Policies.consenting("none"))}")
            .about(nil)
        let notice = { (number: Int) in [requested(Self.noon, "note"), job(Self.noon, "anna/note/#\(number)")] }
        #expect(try History("{}", [first, enrolled()] + notice(3) + [adopted(Self.noon)]).found() == [])
        #expect(try History("{}", [first, enrolled(), adopted(Self.noon)] + notice(4)).found() == ["consent 5"])
    }
}
