import CivilTime
import Hashing
import Notices
import Testing

@testable import Console

@Suite("V2, G8: tokens for persons")
struct PersonTokenTests {
    private let entry: Entry

    init() throws { entry = try Entry() }

    private func status(_ token: String, of user: String = "anna") -> Int {
        entry.ask("GET", "/v1/people/\(user)/history", showing: token).status
    }

    private func make(_ body: String, by role: Role = .operate) -> (status: Int, document: JSONValue?) {
        let answer = entry.ask("POST", "/v1/people/anna/tokens", showing: Entry.token(role), body: body)
        return (answer.status, JSONValue(parsing: answer.text))
    }

    @Test func `the app's server makes one, and it is good for that person until its end`() throws {
        let made = make(#"{"expires_in_seconds":3600}"#)
        #expect(made.status == 201)
        #expect(made.document?["user"]?.string == "anna")
        #expect(made.document?["expires_at"]?.string == "2026-03-02T15:00:00.000Z")
        let token = try #require(made.document?["token"]?.string)
        #expect(status(token) == 200 && status(token, of: "bert") == 401)
        let me = entry.ask("GET", "/v1/me", showing: token)
        #expect(me.text == #"{"user":"anna","name":null,"expires_at":"2026-03-02T15:00:00.000Z"}"# + "\n")
        entry.hand.move(to: Entry.start.advanced(byHours: 1).advanced(byMilliseconds: -1))
        #expect(status(token) == 200)
        entry.hand.move(to: Entry.start.advanced(byHours: 1))
        #expect(status(token) == 401)
    }

    @Test func `it lasts a day unless told, a minute at least and a year at most`() {
        for body in ["", "{}", #"{"expires_in_seconds":null}"#] {
            #expect(make(body).document?["expires_at"]?.string == "2026-03-03T14:00:00.000Z")
        }
        for (body, status) in [
            (#"{"expires_in_seconds":60}"#, 201), (#"{"expires_in_seconds":31536000}"#, 201),
            (#"{"expires_in_seconds":59}"#, 400), (#"{"expires_in_seconds":31536001}"#, 400),
            (#"{"expires_in_seconds":"60"}"#, 400), (#"{"role":"admin"}"#, 400), ("[]", 400),
        ] { #expect(make(body).status == status, "\(body)") }
        #expect(make("", by: .read).status == 403)
    }

    @Test func `a token is of its log and its secret`() throws {
        let token = entry.person("anna")
        #expect(try Entry(log: (1, 3)).persons.pass(of: token) == nil)
        #expect(
            try Entry(secrets: [Array("another secret, of more than 32 letters as well".utf8)]).persons.pass(of: token)
                == nil)
        // One more secret, and the old ones hold.
        let newer = try Entry(secrets: [Array("a newer one".utf8), Entry.secret])
        #expect(newer.persons.pass(of: token)?.user == "anna")
        #expect(newer.person("anna") != token)
    }

    @Test func `what a token says stands under its signature`() throws {
        let token = entry.person("anna")
        let parts = token.split(separator: ".").map(String.init)
        func changed(_ place: Int, _ text: String) -> String {
            var parts = parts
            parts[place] = text
            return parts.joined(separator: ".")
        }
        for forged in [
            changed(1, "62657274"), changed(2, "0000000000000000"), changed(3, "0"), changed(4, "9999999999999"),
            changed(4, "+" + parts[4]), changed(4, "0" + parts[4]), changed(5, ""),
            changed(5, String(parts[5].dropLast(2))),
            changed(1, parts[1].uppercased() + "00"), token + ".", "." + token, parts.dropLast().joined(separator: "."),
            String(repeating: "9", count: 4000), "bp1.....", "",
        ] { #expect(entry.persons.pass(of: forged) == nil, "\(forged)") }
        #expect(entry.persons.pass(of: token) != nil)
    }

    // MARK: Revoking

    @Test func `one token is revoked, and the others hold`() throws {
        let first = make("").document
        let (token, id) = (try #require(first?["token"]?.string), try #require(first?["id"]?.string))
        let other = entry.person("anna")
        #expect(entry.ask("DELETE", "/v1/people/anna/tokens/\(id)", showing: Entry.token(.operate)).status == 204)
        #expect(status(token) == 401 && status(other) == 200)
        #expect(entry.ask("DELETE", "/v1/people/anna/tokens/x", showing: Entry.token(.operate)).status == 400)
        // Of another person it is none.
        let again = entry.person("anna")
        let id2 = again.split(separator: ".")[2]
        #expect(entry.ask("DELETE", "/v1/people/bert/tokens/\(id2)", showing: Entry.token(.operate)).status == 204)
        #expect(status(again) == 200)
    }

    @Test func `all that were made before now are revoked, also in this millisecond, and those made after it are good`()
    {
        let (anna, bert) = (entry.person("anna"), entry.person("bert"))
        #expect(entry.ask("DELETE", "/v1/people/anna/tokens", showing: Entry.token(.operate)).status == 204)
        #expect(status(anna) == 401 && status(bert, of: "bert") == 200)
        let next = entry.person("anna")
        #expect(status(next) == 200)
        // The clock is set back: what is made then is good all the same.
        entry.hand.move(to: Entry.start.advanced(byHours: -1))
        let earlier = entry.person("anna")
        #expect(status(earlier) == 200 && status(anna) == 401)
        #expect(entry.ask("DELETE", "/v1/people/anna/tokens", showing: Entry.token(.operate)).status == 204)
        #expect(status(earlier) == 401 && status(next) == 401)
    }

    @Test func `what is revoked is written down before it is told, and known to the next run`() throws {
        let token = entry.person("anna")
        #expect(entry.persons.revoke(nil, of: "anna") == nil)
        #expect(entry.persons.revoke("0123456789abcdef", of: "bert") == nil)
        let written = try #require(entry.hand.written.last)
        let text = String(decoding: written, as: UTF8.self)
        #expect(!text.contains("anna") && !text.contains("bert"))
        let next = try Entry(revoked: written)
        #expect(next.persons.pass(of: token) == nil && next.persons.pass(of: entry.person("anna")) != nil)
        // A disk that is full: nothing was revoked, and whoever asked hears of it.
        entry.hand.fail("no space left")
        let other = entry.person("bert")
        let answer = entry.ask("DELETE", "/v1/people/bert/tokens", showing: Entry.token(.operate))
        #expect(answer.status == 500 && answer.text.contains("nothing was revoked: no space left"))
        #expect(!answer.text.contains("in_doubt"), "nothing was done, and that is known")
        #expect(status(other, of: "bert") == 200)
    }

    // MARK: Erasing

    @Test func `E4: whoever is being erased has no token, and gets none before it is over`() throws {
        let token = entry.person("anna")
        #expect(entry.persons.beginErasing(["anna"], in: 0) == nil)
        #expect(status(token) == 401)
        let refused = entry.ask("POST", "/v1/people/anna/tokens", showing: Entry.token(.operate))
        #expect(refused.status == 503 && refused.headers["Retry-After"] == "1")
        #expect(make("").status == 503 && status(entry.person("bert"), of: "bert") == 200)
        entry.persons.endErasing("anna", in: 0, isRefused: false)
        #expect(status(entry.person("anna")) == 200 && status(token) == 401)
        // What was written is enough for the next start.
        let next = try Entry(revoked: entry.hand.written.last)
        #expect(next.persons.settle(erased: [0: 1], madeLast: Entry.start) == .settled)
        #expect(next.persons.pass(of: token) == nil && next.persons.pass(of: entry.person("bert")) != nil)
    }

    @Test func `E4: a disk that takes nothing stops the erasing, and their tokens hold`() {
        let token = entry.person("anna")
        entry.hand.fail("no space left")
        #expect(entry.persons.beginErasing(["anna"], in: 0) == "no space left")
        #expect(status(token) == 200 && make("").status == 201)
        #expect(entry.persons.settle(erased: [0: 1], madeLast: Entry.start) == .failed("no space left"))
    }

    @Test(arguments: [(0, 1), (0, 3), (1, 2)])
    func `E3: a file that knows of fewer erasures than the log ends everybody's tokens, once`(known: Int, erased: Int)
        throws
    {
        for _ in 0..<known { #expect(entry.persons.beginErasing(["cleo"], in: 4) == nil) }
        entry.hand.move(to: Entry.start.advanced(byHours: 2))
        let token = entry.person("anna", seconds: 36_000)
        // The clock was set back since.
        entry.hand.move(to: Entry.start)
        let end = Entry.start.advanced(byHours: 2)
        let next = try Entry(revoked: entry.hand.written.last)
        #expect(next.persons.settle(erased: [0: 0, 4: erased], madeLast: end) == .everybodys)
        #expect(next.persons.pass(of: token) == nil && next.persons.pass(of: next.person("anna")) != nil)
        let third = try Entry(revoked: next.hand.written.last)
        #expect(third.persons.settle(erased: [0: 0, 4: erased], madeLast: end) == .settled)
        #expect(third.persons.pass(of: token) == nil && third.persons.pass(of: third.person("anna")) != nil)
    }

    @Test func `an erasure that the log refused, or never heard of, is not counted`() throws {
        #expect(entry.persons.beginErasing(["anna"], in: 0) == nil)
        entry.persons.endErasing("anna", in: 0, isRefused: true)
        #expect(entry.persons.beginErasing(["bert"], in: 0) == nil)
        let next = try Entry(revoked: entry.hand.written.last)
        #expect(next.persons.settle(erased: [0: 0], madeLast: Entry.start) == .settled)
        let token = next.person("cleo")
        let third = try Entry(revoked: next.hand.written.last)
        #expect(third.persons.settle(erased: [0: 1], madeLast: Entry.start) == .everybodys)
        #expect(third.persons.pass(of: token) == nil)
    }

    @Test(arguments: 1...3) func `a file of a version before is read`(version: Int) throws {
        let token = entry.person("anna")
        _ = entry.persons.revoke(nil, of: "anna")
        let text = String(decoding: try #require(entry.hand.written.last), as: UTF8.self)
        let lines = text.replacing("tokens 4", with: "tokens \(version)").split(separator: "\n").dropLast()
        let older = lines.joined(separator: "\n") + "\n"
        let next = try Entry(revoked: Array("\(older)\(Digest(of: Array(older.utf8)))\n".utf8))
        #expect(next.persons.pass(of: token) == nil)
        // And written anew as a whole with the next change.
        _ = next.persons.revoke(nil, of: "bert")
        let third = try Entry(revoked: next.hand.written.last)
        #expect(third.persons.pass(of: token) == nil && third.persons.pass(of: third.person("anna")) != nil)
    }

    @Test func `a file that was cut short, or changed, is believed in nothing`() throws {
        _ = entry.persons.revoke(nil, of: "anna")
        _ = entry.persons.revoke("0123456789abcdef", of: "anna")
        // As it is where it was written as a whole.
        let whole = try RevokedTokens(#require(entry.hand.written.last)).bytes
        #expect(throws: Never.self) { try RevokedTokens(whole) }
        for count in 0..<whole.count {
            #expect(throws: RevokedTokens.Unreadable.self, "\(count)") { try RevokedTokens(Array(whole[..<count])) }
        }
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1
            #expect(throws: RevokedTokens.Unreadable.self, "\(place)") { try RevokedTokens(changed) }
        }
    }

    @Test func `of lines that were added a part of the last alone may be missing`() throws {
        let token = entry.person("bert")
        for user in ["anna", "bert", "carl"] { _ = entry.persons.revoke(nil, of: user) }
        let files = entry.hand.written
        #expect(files.count == 3 && files[1].starts(with: files[0]) && files[2].starts(with: files[1]))
        for count in files[1].count..<files[2].count {
            // What was never synced reads as zeros.
            for rest in [0, files[2].count - count] {
                let cut = files[2][..<count] + [UInt8](repeating: 0, count: rest)
                let next = try Entry(revoked: Array(cut))
                #expect(next.persons.pass(of: token) == nil)
                _ = next.persons.revoke(nil, of: "carl")
                #expect(next.hand.written.last == files[2], "\(count)")
            }
        }
        for place in files[0].count..<files[2].count - 1 {
            var changed = files[2]
            changed[place] ^= 1
            #expect(throws: RevokedTokens.Unreadable.self, "\(place)") { try RevokedTokens(changed) }
        }
    }

    @Test func `what can be of no living token any more is forgotten`() {
        _ = entry.persons.revoke("0123456789abcdef", of: "anna")
        _ = entry.persons.revoke(nil, of: "bert")
        func lines() -> Int { entry.hand.written.last?.count { $0 == 0x0A } ?? 0 }
        #expect(lines() == 4)
        entry.hand.move(to: Entry.start.advanced(bySeconds: Int64(PersonTokens.secondsMax) - 1))
        _ = entry.persons.revoke(nil, of: "carl")
        #expect(lines() == 5)
        entry.hand.move(to: Entry.start.advanced(bySeconds: Int64(PersonTokens.secondsMax) + 1))
        _ = entry.persons.revoke(nil, of: "dora")
        #expect(lines() == 4, "carl and dora, and what is above and below them")
    }

    @Test func `while the log is read no token is known and none is made, and nobody is told that theirs is none`()
        throws
    {
        let keeper = Doorkeeper(own: try Bearer(Array(Entry.own.utf8)), clock: { Entry.start })
        var service = Service(health: entry.worker.service.health)
        service.access = AccessService(keeper) { $0() }
        let router = Router(service)
        func ask(_ method: String, _ target: String, _ token: String) -> (status: Int, wait: String?, text: String) {
            let answer = router.answer(
                method, target, [("Host", "localhost"), ("Authorization", "Bearer \(token)")], through: .port(keeper))
            return (answer.status, answer.headers["Retry-After"], answer.text)
        }
        #expect(ask("POST", "/v1/people/anna/tokens", Entry.own).status == 503)
        #expect(ask("DELETE", "/v1/people/anna/tokens", Entry.own).status == 503)
        let token = entry.person("anna")
        for (method, target) in [
            ("GET", "/v1/people/anna/history"), ("GET", "/v1/me"), ("PATCH", "/v1/people/anna/preferences"),
            ("GET", "/v1/openapi.json"),
        ] {
            let answer = ask(method, target, token)
            #expect(answer.status == 503 && answer.wait == "1", "\(target)")
            #expect(answer.text == #"{"error":"the worker is still replaying its log; try again"}"# + "\n")
        }
        #expect(ask("GET", "/v1/me", "anything else").status == 401)
        // What strangers may ask.
        for path in ["/health", "/ready", "/me", "/assets/me.js"] {
            #expect(ask("GET", path, token).status == 200, "\(path)")
        }
    }
}
