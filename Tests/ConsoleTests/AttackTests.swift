import CivilTime
import Notices
import Testing

@testable import Console

/// Every route of the table, asked by everybody. A new route is asked here without anybody thinking of it.
@Suite("G8, V1, V2: who may ask what")
struct AttackTests {
    private static let everybody: [Someone] =
        Role.allCases.map { .operatorWith($0) } + [
            .nobody, .own, .themselves, .somebodyElse, .revoked, .ended, .ofAnotherLog, .oneBitOff, .emptyToken,
        ]

    enum Someone: Sendable, Equatable {
        case nobody, own, themselves, somebodyElse, revoked, ended, ofAnotherLog, oneBitOff, emptyToken
        case operatorWith(Role)
    }

    private func token(of asker: Someone, _ entry: Entry) throws -> String? {
        switch asker {
        case .nobody: return nil
        case .own: return Entry.own
        case .operatorWith(let role): return Entry.token(role)
        case .themselves: return entry.person("anna")
        case .somebodyElse: return entry.person("bert")
        case .emptyToken: return ""
        case .revoked:
            let token = entry.person("anna")
            #expect(entry.persons.revoke(nil, of: "anna") == nil)
            return token
        case .ended:
            let token = entry.person("anna", seconds: 60)
            entry.hand.move(to: Entry.start.advanced(bySeconds: 60))
            return token
        case .ofAnotherLog: return try Entry(log: (7, 7)).person("anna")
        case .oneBitOff:
            var bytes = Array(entry.person("anna").utf8)
            bytes[bytes.count - 1] ^= 1
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether somebody is let through to what the route does, written down a second time from the specification.
    private func mayAsk(_ asker: Someone, _ route: Route) -> Int {
        let known: Role?
        switch asker {
        case .own: known = .admin
        case .operatorWith(let role): known = role
        case .themselves, .somebodyElse: known = nil
        default:
            if case .anyone = route.need { return 200 }
            return 401
        }
        switch route.need {
        case .anyone, .anyoneKnown: return 200
        case .operators(let least): return known.map { $0 >= least ? 200 : 403 } ?? 403
        case .themselves: return known == nil ? 200 : 403
        case .person(let least):
            if let known { return known >= least ? 200 : 403 }
            return asker == .themselves ? 200 : 401
        }
    }

    @Test(arguments: everybody) func `every route is for those it is for and for nobody else`(asker: Someone) throws {
        for route in RouteTable.all.routes {
            let entry = try Entry()
            let token = try token(of: asker, entry)
            let target = route.path.filled(user: "anna")
            let answer = entry.ask(route.method.rawValue, target, showing: token)
            let place = "\(route.method.rawValue) \(target) by \(asker)"
            switch mayAsk(asker, route) {
            case 401:
                #expect(answer.status == 401, "\(place)")
                #expect(JSONValue(parsing: answer.text)?["error"]?.string == Self.sentence, "\(place)")
            case 403: #expect(answer.status == 403, "\(place)")
            default:
                // Signing in takes a token in its body; else whoever may ask is asked for nothing more.
                let isSignIn = route.path.text == "/v1/session" && route.method == .post
                #expect(isSignIn || ![401, 403].contains(answer.status), "\(place): \(answer.status)")
            }
            if [401, 403].contains(answer.status) { #expect(entry.worker.wasNotAsked, "\(place)") }
        }
    }

    /// One for all: whether a token was good once, or is somebody else's, is told to nobody.
    private static let sentence = "this token is not valid here; send one that is as `Authorization: Bearer TOKEN`"

    @Test func `a person's token reaches nobody else, however the id is written`() throws {
        let routes = RouteTable.all.routes.filter { $0.path.variables.contains(.user) }
        #expect(routes.count > 15)
        for route in routes {
            for user in [
                "bert", "Anna", "anna.", "ann%61%2e", "anna%20", "anna%00", "..%2fbert", "%2e%2e", "anna%2f..%2fbert",
                "",
                "anna%2Fbert", "%61nna%62", "bert%23anna", "anna;bert", "anna%3fx", "ａnna",
            ] {
                let entry = try Entry()
                let target = route.path.filled(user: user)
                let answer = entry.ask(route.method.rawValue, target, showing: entry.person("anna"))
                #expect([401, 403, 404, 405, 400].contains(answer.status), "\(target): \(answer.status)")
                #expect(entry.worker.wasNotAsked, "\(target)")
            }
        }
    }

    @Test(arguments: [
        "/v1/people/anna/../bert/history", "/v1/people//anna/history", "//v1/people/anna/history",
        "/v1/people/anna/%2e%2e/%2e%2e/people", "/v1/./people/anna/history", "/v1/people/anna/history/",
        "/V1/people/anna/history", "/v1/people/anna/%68istory%00", "/v1%2fpeople/anna/history",
        "/v1/people/anna%2fhistory",
        "/v1/people/anna\\history", "/v1/people/anna/history;x=1",
    ])
    func `a path is what it says and nothing else`(target: String) throws {
        let entry = try Entry()
        for token in [entry.person("anna"), Entry.token(.admin)] {
            #expect([400, 401, 404].contains(entry.ask("GET", target, showing: token).status), "\(target)")
        }
        #expect(entry.worker.wasNotAsked)
    }

    @Test func `a letter of an id may be written in percent signs, and is that letter`() throws {
        let entry = try Entry()
        #expect(entry.ask("GET", "/v1/people/an%6Ea/history", showing: entry.person("anna")).status == 200)
        #expect(entry.ask("GET", "/v1/people/an%6Ea/history", showing: entry.person("bert")).status == 401)
    }

    // MARK: Headers

    @Test func `two authorizations are none, and a wrong one is not made good by a cookie`() throws {
        let entry = try Entry()
        let right = ("Authorization", "Bearer \(Entry.token(.admin))")
        #expect(entry.ask("GET", "/v1/people", [right]).status == 200)
        #expect(entry.ask("GET", "/v1/people", [right, right]).status == 401)
        let cookie = ("Cookie", try entry.cookie(Entry.token(.admin)))
        #expect(entry.ask("GET", "/v1/people", [cookie]).status == 200)
        for wrong in ["Bearer x", "Basic \(Entry.token(.admin))", "", "Bearer \(entry.person("anna"))x"] {
            #expect(entry.ask("GET", "/v1/people", [("Authorization", wrong), cookie]).status == 401, "\(wrong)")
        }
        // Nor does a cookie lend a person's token anything.
        #expect(entry.ask("GET", "/v1/people", showing: entry.person("anna"), [cookie]).status == 403)
    }

    @Test func `every token with one bit changed is none`() throws {
        let entry = try Entry()
        for token in [entry.person("anna"), Entry.token(.read), Entry.own] {
            let target = token.hasPrefix("bp1") ? "/v1/people/anna/history" : "/v1/people"
            #expect(entry.ask("GET", target, showing: token).status == 200)
            for place in token.utf8.indices {
                for bit in 0..<7 {
                    var bytes = Array(token.utf8)
                    bytes[token.utf8.distance(from: token.utf8.startIndex, to: place)] ^= 1 << bit
                    let changed = String(decoding: bytes, as: UTF8.self)
                    guard changed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { continue }
                    #expect(entry.ask("GET", target, showing: changed).status == 401, "\(changed)")
                }
            }
        }
        #expect(entry.ask("GET", "/v1/people/anna/history", showing: entry.person("anna") + "0").status == 401)
        #expect(entry.ask("GET", "/v1/people/anna/history", showing: entry.person("anna").uppercased()).status == 401)
    }

    // MARK: Other sites

    @Test(arguments: [
        [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "")],
        [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://belfry.evil.example")],
        [("Origin", "http://evil.example/belfry")], [("Origin", "https://app.example")], [],
    ])
    func `no page elsewhere acts with the cookie of who is signed in`(headers: [(String, String)]) throws {
        let entry = try Entry()
        let cookie = ("Cookie", try entry.cookie(Entry.token(.admin)))
        for route in RouteTable.all.routes where !route.method.isSafe {
            let target = route.path.filled(user: "anna")
            let answer = entry.ask(route.method.rawValue, target, [cookie] + headers)
            #expect(answer.status == 403, "\(route.method.rawValue) \(target) \(headers): \(answer.status)")
        }
        #expect(entry.worker.wasNotAsked)
        // The session is there for pages of its own.
        #expect(entry.ask("GET", "/v1/session", [cookie]).status == 200)
    }

    @Test(arguments: [
        [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")], [("Origin", "http://belfry")],
        [("Origin", "https://belfry")], [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://belfry")],
    ])
    func `its own pages do`(headers: [(String, String)]) throws {
        let entry = try Entry()
        let cookie = ("Cookie", try entry.cookie(Entry.token(.operate)))
        #expect(entry.ask("POST", "/v1/run-now", [cookie] + headers).status == 200)
    }

    @Test func `a page of another site signs nobody in`() throws {
        let entry = try Entry()
        let body = #"{"token":"\#(Entry.token(.read))"}"#
        for headers in [[("Origin", "https://evil.example")], [("Origin", "https://app.example")]] {
            #expect(entry.ask("POST", "/v1/session", headers, body: body).status == 403)
        }
        #expect(entry.ask("POST", "/v1/session", [("Origin", "http://belfry")], body: body).status == 200)
    }

    @Test func `a name that was made to lead here is not answered (DNS rebinding)`() throws {
        let entry = try Entry()
        for host in [
            "evil.example", "belfry.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "belfry:x", "",
            "belfry@evil",
            "256.1.1.1", "evil.example:80", "[::1", "belfry,evil.example",
        ] {
            for target in ["/", "/v1/people", "/health"] {
                let answer = entry.ask("GET", target, showing: Entry.own, host: host)
                #expect(answer.status == 421, "\(host) \(target)")
            }
        }
        for host in [
            "belfry", "BELFRY:8080", "localhost", "127.0.0.1:9", "[::1]:8080", "10.1.2.3", "belfry.", "x.localhost",
        ] {
            #expect(entry.ask("GET", "/v1/people", showing: Entry.own, host: host).status == 200, "\(host)")
        }
        #expect(entry.ask("GET", "http://evil.example/v1/people", showing: Entry.own).status == 421)
        #expect(entry.ask("GET", "/v1/people", showing: Entry.own, [("Host", "evil.example")]).status == 421)
        // The socket is nobody's name.
        #expect(entry.router.answer("GET", "/v1/people", [("Host", "evil.example")]).status == 200)
    }

    @Test func `pages of configured origins ask for persons, and for nothing else`() throws {
        let entry = try Entry()
        let app = ("Origin", "https://app.example")
        for route in RouteTable.all.routes {
            let target = route.path.filled(user: "anna")
            let answer = entry.ask(route.method.rawValue, target, showing: entry.person("anna"), [app])
            let preflight = entry.ask(
                "OPTIONS", target, [app, ("Access-Control-Request-Method", route.method.rawValue)])
            let isOpen = answer.headers["Access-Control-Allow-Origin"] == "https://app.example"
            switch route.need {
            case .person, .themselves:
                #expect(isOpen && answer.headers["Vary"] == "Origin", "\(target)")
                #expect(preflight.status == 204 && preflight.text.isEmpty, "\(target)")
                #expect(preflight.headers["Access-Control-Allow-Headers"]?.contains("Authorization") == true)
                #expect(preflight.headers["Access-Control-Allow-Credentials"] == nil)
            case .anyone, .anyoneKnown, .operators:
                #expect(answer.status == 403 && !isOpen, "\(target)")
                #expect(preflight.status == 403, "\(target)")
            }
            let evil = entry.ask(
                route.method.rawValue, target, showing: entry.person("anna"), [("Origin", "https://evil.example")])
            #expect(evil.status == 403 && evil.headers["Access-Control-Allow-Origin"] == nil, "\(target)")
        }
        // What is wrong is told to the page as well.
        let refused = entry.ask("GET", "/v1/people/anna/history", showing: entry.person("bert"), [app])
        #expect(refused.status == 401 && refused.headers["Access-Control-Allow-Origin"] == "https://app.example")
    }
}

extension PathTemplate {
    /// With something in its places that may stand there.
    func filled(user: String) -> String {
        "/"
            + pieces.map { piece in
                switch piece {
                case .word(let word): word
                case .place(.user): user
                case .place(.seq): "7"
                case .place(.id): "0123456789abcdef"
                case .place(.name): "standard"
                case .place(.rest): "x"
                }
            }.joined(separator: "/")
    }
}
