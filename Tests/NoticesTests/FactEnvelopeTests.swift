import CivilTime
import Notices
import Testing

@Suite("A fact's own fields: type, user, at, id")
struct FactEnvelopeTests {
    let reader = newReader()

    @Test func `all of them are read, in any order`() throws {
        let line =
            #"{"id":"k-1","data":{"points":5},"at":"2026-03-02T15:00:00.250+01:00","user":"anna","type":"points_earned"}"#
        let fact = try reader.read(line)
        var points = PointsEarned()
        points.points = 5
        let at = try Instant(rfc3339: "2026-03-02T14:00:00.250Z")
        #expect(fact == Fact(user: "anna", id: "k-1", at: at, payload: .pointsEarned(points)))
    }

    @Test func `null and nothing are the same`() throws {
        let bare = try reader.read(#"{"type":"checked_in","user":"anna"}"#)
        #expect(try reader.read(#"{"type":"checked_in","user":"anna","id":null,"at":null,"data":null}"#) == bare)
        #expect(bare == Fact(user: "anna", payload: .checkedIn(CheckedIn())))
    }

    @Test func `what a line may be`() {
        let cases: [(line: String, refusal: String)] = [
            ("", "not JSON: column 1: the text ends here: expected a JSON value"),
            ("nonsense", "not JSON: column 1: expected a JSON value"),
            (
                #"{"type":"app_opened","user":"a"} {}"#,
                "not JSON: column 34: something follows the end of the JSON value"
            ),
            (
                #"{"type":"app_opened","type":"app_closed"}"#,
                #"not JSON: column 23: the key "type" stands twice in one object"#
            ),
            ("[]", "a fact is a JSON object"),
            (#""app_opened""#, "a fact is a JSON object"),
            ("{}", "type: is missing; it says what happened, such as user_enrolled"),
            (#"{"type":null}"#, "type: null is not a text"),
            (#"{"type":7}"#, "type: 7 is not a text"),
            (#"{"type":["app_opened"]}"#, "type: a list is not a text"),
            (#"{"type":""}"#, #"type: "" is not a type of fact"#),
            (#"{"type":"app_open","user":"a"}"#, #"type: "app_open" is not a type of fact; did you mean app_opened?"#),
            (
                #"{"type":"App_Opened","user":"a"}"#,
                #"type: "App_Opened" is not a type of fact; did you mean app_opened?"#
            ),
            (
                #"{"type":"mesage_recieved"}"#,
                #"type: "mesage_recieved" is not a type of fact; did you mean message_received?"#
            ),
            (#"{"type":"goal_statred"}"#, #"type: "goal_statred" is not a type of fact; did you mean goal_started?"#),
            (#"{"type":"something_else"}"#, #"type: "something_else" is not a type of fact"#),
            (#"{"type":"worker_start"}"#, #"type: "worker_start" is not a type of fact"#),
            (
                #"{"type":"app_opened","user":"a","when":1}"#,
                #""when": is not a field of a fact (known here: type, user, at, id, data)"#
            ),
            (#"{"type":"app_opened","user":"a","data":[]}"#, "data: must be an object"),
            (
                #"{"type":"app_opened","user":"a","at":1772460000}"#,
                "at: 1772460000 is not an instant such as 2026-03-02T14:00:00.000Z"
            ),
            (
                #"{"type":"app_opened","user":"a","at":"2026-03-02"}"#,
                #"at: "2026-03-02" is not an instant such as 2026-03-02T14:00:00.000Z"#
            ),
            (
                #"{"type":"policy_adopted","user":"a","data":{"policy":{}}}"#,
                "user: a policy is for everyone; leave the user out"
            ),
        ]
        for (line, expected) in cases { #expect(refusal(of: line, reader) == expected) }
    }

    @Test func `a long type is not compared with every name`() throws {
        let long = String(repeating: "app_opened", count: 1000)
        let told = try #require(refusal(of: "{\"type\":\"\(long)\"}", reader))
        #expect(told.utf8.count < 200)
    }

    @Test(arguments: ["user", "id"]) func `ids have 1 to 128 plain characters`(field: String) throws {
        func line(_ json: String) -> String {
            field == "user"
                ? "{\"type\":\"app_opened\",\"user\":\(json)}"
                : "{\"type\":\"app_opened\",\"user\":\"a\",\"id\":\(json)}"
        }
        for count in [1, 2, 127, 128] {
            let id = String(repeating: "x", count: count)
            let fact = try reader.read(line("\"\(id)\""))
            #expect((field == "user" ? fact.user : fact.id) == id)
        }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@-".unicodeScalars)
        for value in 1...0x250 as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let json = "\"a\\u" + String(65_536 + value, radix: 16).dropFirst() + "\""
            #expect((refusal(of: line(json), reader) == nil) == allowed.contains(scalar), "\(json)")
        }
        for json in ["\"\"", "\"\(String(repeating: "x", count: 129))\"", "1", "true", "[]", "{}", "\"\u{1F514}\""] {
            let refused = refusal(of: line(json), reader)
            #expect(refused?.hasPrefix("\(field): ") == true)
            #expect(refused?.hasSuffix(" is not \(Identifier.allowed)") == true)
            #expect(refused?.utf8.count ?? 0 < 200)
        }
    }

    @Test func `a run is for everyone, or for one person named in either place`() throws {
        #expect(try reader.read(#"{"type":"run_requested"}"#).user == nil)
        #expect(try reader.read(#"{"type":"run_requested","user":"anna"}"#).user == "anna")
        #expect(try reader.read(#"{"type":"run_requested","data":{"user":"anna"}}"#).user == "anna")
        #expect(try reader.read(#"{"type":"run_requested","user":"anna","data":{"user":"anna"}}"#).user == "anna")
        #expect(
            refusal(of: #"{"type":"run_requested","user":"bo","data":{"user":"anna"}}"#, reader)
                == #"data.user: "anna" is not the fact's user "bo""#)
    }

    @Test func `a zone must be one of this machine's`() throws {
        let machine = try ZoneDatabase()
        let reader = FactReader(zoneProblem: machine.problem(with:))
        func enrolled(_ zone: String) -> String {
            "{\"type\":\"user_enrolled\",\"user\":\"a\",\"data\":{\"timezone\":\"\(zone)\"}}"
        }
        for zone in ["Europe/Paris", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5"] {
            #expect(refusal(of: enrolled(zone), reader) == nil, "\(zone)")
        }
        for zone in ["Europe/Nowhere", "localtime", "posixrules", "right/UTC", "Europe", "zone1970", "europe/paris"] {
            let problem = try #require(machine.problem(with: zone))
            #expect(refusal(of: enrolled(zone), reader) == "data.timezone: \(problem)")
        }
        for zone in [
            "../../etc/passwd", "/etc/passwd", "Europe/../UTC", "zone.tab", "Europe/Paris\\n", "\\u002e\\u002e/x",
        ] {
            let refused = refusal(of: enrolled(zone), reader)
            #expect(refused?.hasPrefix("data.timezone: ") == true)
            #expect(refused?.hasSuffix(" is not an IANA time zone such as Europe/Paris") == true, "\(zone)")
        }
        let changed = #"{"type":"timezone_changed","user":"a","data":{"timezone":"Mars/Olympus"}}"#
        #expect(refusal(of: changed, reader)?.hasPrefix("data.timezone: \"Mars/Olympus\" is not a time zone") == true)
        let patched = #"{"type":"preferences_changed","user":"a","data":{"patch":{"timezone":"Mars/Olympus"}}}"#
        #expect(
            refusal(of: patched, reader)?.hasPrefix("data.patch.timezone: \"Mars/Olympus\" is not a time zone") == true)
    }
}
