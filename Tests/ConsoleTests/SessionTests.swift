import CivilTime
import Notices
import Testing

@testable import Console

@Suite("V1: signing in")
struct SessionTests {
    private let entry: Entry

    init() throws { entry = try Entry() }

    @Test func `a token is changed for a cookie that no script sees and no other site sends`() throws {
        let answer = entry.ask("POST", "/v1/session", body: #"{"token":"\#(Entry.token(.operate))"}"#)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"name":"operateer","role":"operate","expires_at":"2026-03-03T02:00:00.000Z"}"# + "\n")
        let cookie = try #require(answer.headers["Set-Cookie"])
        #expect(cookie.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"))
        #expect(!answer.text.contains(Entry.token(.operate)) && !cookie.contains(Entry.token(.operate)))
        let session = entry.ask("GET", "/v1/session", [("Cookie", String(cookie.prefix { $0 != ";" }))])
        #expect(session.text == answer.text)
        #expect(entry.hand.notes == ["operateer signed in"])
    }

    @Test func `a cookie goes in the clear to this machine alone`() {
        func isSecure(_ host: String, _ headers: [(String, String)] = []) -> Bool? {
            let body = #"{"token":"\#(Entry.own)"}"#
            return entry.ask("POST", "/v1/session", headers, host: host, body: body).headers["Set-Cookie"]?
                .contains("Secure")
        }
        #expect(isSecure("127.0.0.1:8080") == false && isSecure("localhost") == false && isSecure("[::1]:1") == false)
        #expect(isSecure("127.0.0.1", [("X-Forwarded-Proto", "https")]) == true)
        #expect(isSecure("belfry") == true && isSecure("10.0.0.1") == true)
    }

    @Test(arguments: [
        #"{"token":"wrong"}"#, #"{"token":""}"#, #"{"token":"bo_readreadreadreadreadreadreadrea"}"#,
    ])
    func `a token that is none is told so and nothing else`(body: String) {
        let answer = entry.ask("POST", "/v1/session", body: body)
        #expect(answer.status == 401 && answer.headers["Set-Cookie"] == nil)
    }

    @Test(arguments: ["", "{}", #"{"token":7}"#, #"{"secret":"x"}"#, "[]"])
    func `what is no sign-in is refused`(body: String) {
        #expect(entry.ask("POST", "/v1/session", body: body).status == 400)
    }

    @Test func `a person signs in nowhere`() {
        let body = #"{"token":"\#(entry.person("anna"))"}"#
        #expect(entry.ask("POST", "/v1/session", body: body).status == 401)
    }

    @Test func `a session ends when it is ended, after 12 hours, and with its token`() throws {
        let (first, second, third) = (
            try entry.cookie(Entry.token(.read)), try entry.cookie(Entry.token(.read)), try entry.cookie(Entry.own)
        )
        func status(_ cookie: String) -> Int { entry.ask("GET", "/v1/people", [("Cookie", cookie)]).status }
        #expect(Set([first, second, third]).count == 3)
        let own = ("Sec-Fetch-Site", "same-origin")
        let ended = entry.ask("DELETE", "/v1/session", [("Cookie", first), own])
        #expect(ended.status == 204 && ended.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
        #expect(status(first) == 401 && status(second) == 200)
        var operators = OperatorTokens()
        entry.keeper.change(operators: operators)
        #expect(status(second) == 401 && status(third) == 200)
        // Another token of the same name is another's.
        try operators.add(.init(name: "reader", role: .admin, endsAt: nil, token: "another"))
        entry.keeper.change(operators: operators)
        #expect(status(second) == 401)
        entry.hand.move(to: Entry.start.advanced(byHours: 12).advanced(byMilliseconds: -1))
        #expect(status(third) == 200)
        entry.hand.move(to: Entry.start.advanced(byHours: 12))
        #expect(status(third) == 401)
    }

    @Test func `a session has the role that its token has now`() throws {
        let cookie = try entry.cookie(Entry.token(.operate))
        var operators = OperatorTokens()
        try operators.add(.init(name: "operateer", role: .read, endsAt: nil, token: Entry.token(.operate)))
        entry.keeper.change(operators: operators)
        let own = ("Sec-Fetch-Site", "same-origin")
        #expect(entry.ask("GET", "/v1/people", [("Cookie", cookie)]).status == 200)
        #expect(entry.ask("POST", "/v1/run-now", [("Cookie", cookie), own]).status == 403)
    }

    @Test func `a token ends, and its sessions with it`() throws {
        var operators = OperatorTokens()
        let end = Entry.start.advanced(byMinutes: 5)
        try operators.add(.init(name: "guest", role: .read, endsAt: end, token: "guest-token"))
        entry.keeper.change(operators: operators)
        let cookie = try entry.cookie("guest-token")
        entry.hand.move(to: end.advanced(byMilliseconds: -1))
        #expect(entry.ask("GET", "/v1/people", showing: "guest-token").status == 200)
        #expect(entry.ask("GET", "/v1/session", [("Cookie", cookie)]).text.contains("\(end)"))
        entry.hand.move(to: end)
        #expect(entry.ask("GET", "/v1/people", showing: "guest-token").status == 401)
        #expect(entry.ask("GET", "/v1/people", [("Cookie", cookie)]).status == 401)
    }

    @Test func `a cookie among others is found, and of two neither is believed`() throws {
        let cookie = try entry.cookie(Entry.own)
        func status(_ cookies: String...) -> Int {
            entry.ask("GET", "/v1/people", cookies.map { ("Cookie", $0) }).status
        }
        #expect(status("theme=dark; \(cookie); x=y") == 200)
        #expect(status("theme=dark", cookie) == 200)
        #expect(status("\(cookie); belfry_session=x") == 401 && status("belfry_session=x", cookie) == 401)
        #expect(status("belfry_session=") == 401 && status("belfry_session") == 401)
    }

    @Test func `sessions are bounded in number`() {
        var sessions = Sessions()
        let token = OperatorTokens.Entry(name: "a", role: .read, endsAt: nil, token: "a").digest
        let first = sessions.begin(token, until: Entry.start.advanced(byHours: 1), at: Entry.start)
        var last = ""
        for _ in 0..<Sessions.countMax {
            last = sessions.begin(token, until: Entry.start.advanced(byHours: 2), at: Entry.start)
        }
        #expect(sessions.find(first, at: Entry.start) == nil)
        #expect(sessions.find(last, at: Entry.start)?.token == token)
    }

    // MARK: Roles

    @Test func `a policy is adopted by an administrator, whichever way it comes`() {
        let fact = #"{"type":"policy_adopted","data":{"policy":{"name":"x","kinds":[]}}}"#
        for (token, status) in [(Entry.token(.read), 403), (Entry.token(.operate), 403), (Entry.token(.admin), 200)] {
            let answer = entry.ask("POST", "/v1/facts", showing: token, body: fact)
            #expect(answer.status == status, "\(answer.text)")
            let many = opened("anna") + "\n" + fact
            let lines = [("Content-Type", "application/x-ndjson")]
            #expect(entry.ask("POST", "/v1/facts", showing: token, lines, body: many).status == status)
        }
        #expect(entry.worker.orders.map(\.who) == ["adminer", "adminer"])
        #expect(entry.ask("POST", "/v1/facts", showing: Entry.token(.operate), body: opened("anna")).status == 200)
    }

    // MARK: The file

    @Test func `the file of tokens holds none of them`() throws {
        var tokens = OperatorTokens()
        let token = OperatorTokens.newToken()
        let end = Instant(milliseconds: 1_800_000_000_000)
        try tokens.add(.init(name: "anna", role: .operate, endsAt: end, token: token))
        try tokens.add(.init(name: "grafana", role: .read, endsAt: nil, token: "another"))
        #expect(!tokens.text.contains(token.dropFirst(3)))
        #expect(try OperatorTokens(Array(tokens.text.utf8)) == tokens)
        #expect(token.utf8.count == 67 && OperatorTokens.newToken() != token)
    }

    @Test(arguments: [
        ("anna read -", "takes four words"), ("anna boss - \(String(repeating: "a", count: 64))", "is not one of read"),
        ("anna read soon \(String(repeating: "a", count: 64))", "is neither an instant nor -"),
        ("anna read - abc", "is not a SHA-256"), ("a/b read - \(String(repeating: "a", count: 64))", "is not an id"),
        ("worker read - \(String(repeating: "a", count: 64))", "how the worker's own is called"),
        ("anna read - \(String(repeating: "A", count: 64))", "is not a SHA-256"),
    ])
    func `a line that is none is told with its number`(line: String, problem: String) {
        do throws(OperatorTokens.Problem) {
            _ = try OperatorTokens(Array("# title\n\n\(line)\n".utf8))
            Issue.record("read")
        } catch {
            #expect(error.line == 3 && error.text.contains(problem), "\(error)")
        }
    }

    @Test func `no two tokens have one name, and no two names one token`() {
        let hash = String(repeating: "a", count: 64)
        #expect(throws: OperatorTokens.Problem.self) {
            try OperatorTokens(Array("a read - \(hash)\na admin - \(hash.replacing("a", with: "b"))".utf8))
        }
        #expect(throws: OperatorTokens.Problem.self) {
            try OperatorTokens(Array("a read - \(hash)\nb admin - \(hash)".utf8))
        }
    }
}
