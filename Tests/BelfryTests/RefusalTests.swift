import CivilTime
import Testing

/// Lines that are no facts, and what is said of each: where it is wrong, what is there, what would be right.
@Suite("belfry append refuses")
struct RefusalTests {
    let shell = Shell()

    private static let notFacts: [(line: String, complaint: String)] = [
        ("nonsense", "not JSON: column 1: expected a JSON value"),
        (#"{"type":"app_opened","user":"anna""#, "not JSON: column 35: the text ends here: expected ',' or '}'"),
        (#"{"type":"app_open"#, "not JSON: column 18: the text ends here: expected the closing double quote"),
        (#"{"type":"app_opened","user":"anna"} x"#, "not JSON: column 37: something follows the end of the JSON value"),
        (#"{"type":"app_opened","user":"anna",}"#, "not JSON: column 36: expected a key in double quotes"),
        ("{'type':'app_opened'}", "not JSON: column 2: expected a key in double quotes"),
        ("[]", "a fact is a JSON object"),
        ("null", "a fact is a JSON object"),
        ("{}", "type: is missing; it says what happened, such as user_enrolled"),
        (#"{"type":7}"#, "type: 7 is not a text"),
        (#"{"type":"app_opend","user":"anna"}"#, #"type: "app_opend" is not a type of fact; did you mean app_opened?"#),
        (#"{"type":"lunch","user":"anna"}"#, #"type: "lunch" is not a type of fact"#),
        (
            #"{"type":"job_emitted","user":"anna"}"#,
            #"type: "job_emitted" is a decision; only Belfry itself records those"#
        ),
        (
            #"{"type":"app_opened","user":"anna","user":"bert"}"#,
            #"not JSON: column 37: the key "user" stands twice in one object"#
        ),
        (
            #"{"type":"app_opened","user":"anna","\u0075ser":"bert"}"#,
            #"not JSON: column 37: the key "user" stands twice in one object"#
        ),
        (
            #"{"type":"app_opened","user":"anna","when":"now"}"#,
            #""when": is not a field of a fact (known here: type, user, at, id, data)"#
        ),
    ]

    private static let badEnvelopes: [(line: String, complaint: String)] = [
        (#"{"type":"app_opened"}"#, "user: is missing; it must be \(anID)"),
        (#"{"type":"app_opened","user":null}"#, "user: is missing; it must be \(anID)"),
        (#"{"type":"app_opened","user":""}"#, #"user: "" is not \#(anID)"#),
        (#"{"type":"app_opened","user":5}"#, "user: 5 is not \(anID)"),
        (#"{"type":"app_opened","user":"a b"}"#, #"user: "a b" is not \#(anID)"#),
        (#"{"type":"app_opened","user":"anna/b"}"#, #"user: "anna/b" is not \#(anID)"#),
        (#"{"type":"app_opened","user":"zoë"}"#, #"user: "zoë" is not \#(anID)"#),
        (
            #"{"type":"app_opened","user":"\#(String(repeating: "x", count: 129))"}"#,
            #"user: "\#(String(repeating: "x", count: 40))…" is not \#(anID)"#
        ),
        (#"{"type":"app_opened","user":"anna","id":5}"#, "id: 5 is not \(anID)"),
        (#"{"type":"app_opened","user":"anna","id":""}"#, #"id: "" is not \#(anID)"#),
        (#"{"type":"app_opened","user":"anna","at":5}"#, "at: 5 is not \(anInstant)"),
        (#"{"type":"app_opened","user":"anna","at":"today"}"#, #"at: "today" is not \#(anInstant)"#),
        (
            #"{"type":"app_opened","user":"anna","at":"2026-02-30T09:00:00Z"}"#,
            #"at: "2026-02-30T09:00:00Z" is not \#(anInstant)"#
        ),
        (
            #"{"type":"app_opened","user":"anna","at":"2026-03-02T09:00:00"}"#,
            #"at: "2026-03-02T09:00:00" is not \#(anInstant)"#
        ),
        (#"{"type":"app_opened","user":"anna","data":[]}"#, "data: must be an object"),
        (
            #"{"type":"policy_adopted","user":"anna","data":{"policy":{}}}"#,
            "user: a policy is for everyone; leave the user out"
        ),
        (
            #"{"type":"run_requested","user":"anna","data":{"user":"bert"}}"#,
            #"data.user: "bert" is not the fact's user "anna""#
        ),
    ]

    private static let badData: [(line: String, complaint: String)] = [
        (points(""), "data.points: is missing; it must be \(points)"),
        (points(#""points":0"#), "data.points: 0 is not \(points)"),
        (points(#""points":-1"#), "data.points: -1 is not \(points)"),
        (points(#""points":1.5"#), "data.points: 1.5 is not \(points)"),
        (points(#""points":1e3"#), "data.points: 1e3 is not \(points)"),
        (points(#""points":"5""#), #"data.points: "5" is not \#(points)"#),
        (points(#""points":1000000001"#), "data.points: 1000000001 is not \(points)"),
        (points(#""points":99999999999999999999"#), "data.points: 99999999999999999999 is not \(points)"),
        (points(#""points":5,"bonus":1"#), "data.bonus: is not a field of points_earned (known here: points, subject)"),
        (
            #"{"type":"app_opened","user":"anna","data":{"screen":"home"}}"#,
            "data.screen: is not a field of app_opened (app_opened has no data)"
        ),
        (
            #"{"type":"session_completed","user":"anna","data":{"derived":true}}"#,
            "data.derived: is not a field of session_completed (known here: session)"
        ),
        (
            #"{"type":"user_enrolled","user":"anna","data":{"timezone":"Europe/Pariss"}}"#,
            "data.timezone: \"Europe/Pariss\" is not a time zone of this machine's tz database \(tzVersion); did you mean Europe/Paris?"
        ),
        (
            #"{"type":"user_enrolled","user":"anna","data":{"timezone":"../../etc/passwd"}}"#,
            #"data.timezone: "../../etc/passwd" is not an IANA time zone such as Europe/Paris"#
        ),
        (
            #"{"type":"notice_snoozed","user":"anna","data":{"job":"anna/reminder","minutes":30}}"#,
            "data.minutes: 30 is not 15, 60 or 120"
        ),
        (
            #"{"type":"preferences_changed","user":"anna","data":{"patch":{"quiet_hours":{"start":"22:00","end":"22:00"}}}}"#,
            "data.patch.quiet_hours.end: quiet hours that start and end at 22:00 are refused; switch quiet_hours.enabled off, or enabled for none at all"
        ),
        (
            #"{"type":"message_received","user":"anna","data":{"conversation":"c","message":"m","text":7}}"#,
            "data.text: the value is not a text of at most 65536 bytes"
        ),
        (
            #"{"type":"phone_code_entered","user":"anna","data":{"code":"12x"}}"#,
            "data.code: the value is not a code of 1 to 12 digits"
        ),
    ]

    private static let tzVersion = (try? ZoneDatabase())?.version ?? "none"
    private static let anID = "an id (1 to 128 characters of A-Z a-z 0-9 . _ : @ -)"
    private static let anInstant = "an instant such as 2026-03-02T14:00:00.000Z"
    private static let points = "a whole number from 1 to 1000000000"

    private static func points(_ data: String) -> String {
        #"{"type":"points_earned","user":"bert","data":{\#(data)}}"#
    }

    @Test(arguments: [notFacts, badEnvelopes, badData])
    func `each bad line by its number, and takes the good ones`(cases: [(line: String, complaint: String)]) {
        // A good line in front of every bad one, so that the bad ones have the even numbers.
        let input = cases.map { fact() + $0.line + "\n" }.joined()
        let outcome = shell.belfry("append", input: input)
        #expect(outcome.code == 3)
        #expect(outcome.lines == (1...cases.count).map(String.init))
        for (number, (complaint, expected)) in zip(outcome.errorLines, cases).enumerated() {
            #expect(complaint == "line \(2 * number + 2): \(expected.complaint)")
        }
        #expect(outcome.errorLines.last == "belfry: \(cases.count) lines were refused; \(cases.count) went in")
    }
}
