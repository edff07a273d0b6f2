import CivilTime
import Notices
import Synchronization
import Testing

@testable import Console

@Suite("V2: tokens that another worker of the cluster revoked")
struct RevokedElsewhereTests {
    private let here: Entry
    private let there: Entry

    init() throws { (here, there) = (try Entry(), try Entry()) }

    @Test func `what was revoked there is revoked here, durably, and what was revoked here stays so`() throws {
        let (anna, bert, carl) = (here.person("anna"), here.person("bert"), here.person("carl"))
        let id = try #require(there.persons.pass(of: bert)?.id)
        #expect(there.persons.revoke(nil, of: "anna") == nil && there.persons.revoke(id, of: "bert") == nil)
        here.hand.move(to: Entry.start.advanced(byHours: 1).advanced(byMilliseconds: -1))
        let later = here.person("bert")
        #expect(here.persons.revoke(try #require(here.persons.pass(of: later)?.id), of: "bert") == nil)
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        for token in [anna, bert, later] { #expect(here.persons.pass(of: token) == nil) }
        #expect(here.persons.pass(of: carl)?.user == "carl")
        let written = here.hand.written.count
        let restarted = try Entry(revoked: here.hand.written.last)
        restarted.hand.move(to: here.hand.now)
        for token in [anna, bert, later] { #expect(restarted.persons.pass(of: token) == nil) }
        // Once more, it is nothing new.
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        #expect(here.hand.written.count == written)
    }

    /// All that were made up to an instant, told late, say nothing of one that was revoked since.
    @Test func `an older word takes nothing back`() throws {
        #expect(there.persons.revoke(nil, of: "anna") == nil)
        here.hand.move(to: Entry.start.advanced(byMilliseconds: 5))
        let token = here.person("anna")
        #expect(here.persons.revoke(try #require(here.persons.pass(of: token)?.id), of: "anna") == nil)
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        #expect(here.persons.pass(of: token) == nil)
    }

    @Test func `that all ended there says nothing of what was revoked here since`() throws {
        let mark = try #require(there.persons.mark(of: "anna"))
        #expect(there.persons.beginErasing([EraseOrder.Person("nobody")], in: 0) == nil)
        here.hand.move(to: Entry.start.advanced(byMilliseconds: 5))
        let (anna, bert, carl) = (here.person("anna"), here.person("bert"), here.person("carl"))
        #expect(here.persons.revoke(try #require(here.persons.pass(of: anna)?.id), of: "anna") == nil)
        #expect(here.persons.revoke(nil, of: "bert") == nil)
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        #expect(here.persons.pass(of: anna) == nil && here.persons.pass(of: bert) == nil)
        #expect(here.persons.pass(of: carl)?.user == "carl")
        // What ended later ends the rest.
        there.hand.move(to: Entry.start.advanced(byMilliseconds: 9))
        #expect(there.persons.beginErasing([EraseOrder.Person("anna", marked: mark)], in: 0) == nil)
        #expect(there.persons.beginErasing([EraseOrder.Person("nobody")], in: 0) == nil)
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        #expect(here.persons.pass(of: carl) == nil)
    }

    @Test func `how many were erased each counts for itself, and what cannot be written is not heard`() throws {
        let token = here.person("bert")
        #expect(there.persons.beginErasing(["anna"], in: 0) == nil)
        #expect(there.persons.revoke(nil, of: "bert") == nil)
        here.hand.fail("the disk is full")
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == "the disk is full")
        #expect(here.persons.pass(of: token) != nil)
        here.hand.fail(nil)
        #expect(here.persons.hear(revokedElsewhere: there.persons.toldToOthers) == nil)
        #expect(here.persons.pass(of: token) == nil && here.persons.missed(of: [0: 1]) == [0: 1])
        #expect(here.persons.hear(revokedElsewhere: "anything") != nil)
    }

    @Test func `a worker that was not told lets no person in, and says no to whom it knows to be none`() throws {
        let token = here.person("anna")
        let isKnown = Mutex(false)
        here.persons.follow { isKnown.withLock { $0 } }
        let answer = here.ask("GET", "/v1/people/anna/history", showing: token)
        #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
        #expect(here.ask("GET", "/v1/people/anna/history", showing: token + "0").status == 401)
        #expect(here.ask("GET", "/v1/people/anna/history", showing: Entry.token(.read)).status == 200)
        // What strangers may ask is no question of tokens.
        for path in ["/health", "/ready", "/me"] {
            let told = here.ask("GET", path, showing: token)
            #expect(told.status == 200 && told.text == here.ask("GET", path).text, "\(path)")
        }
        isKnown.withLock { $0 = true }
        #expect(here.ask("GET", "/v1/people/anna/history", showing: token).status == 200)
    }

    @Test func `whoever tells what it has revoked is heard before it is told, with whether nothing is missed here`()
        throws
    {
        let (anna, bert) = (here.person("anna"), there.person("bert"))
        #expect(there.persons.revoke(nil, of: "anna") == nil && here.persons.revoke(nil, of: "bert") == nil)
        let answer = here.persons.exchange(revokedElsewhere: there.persons.toldToOthers)
        #expect(answer == .told(here.persons.toldToOthers, isWhole: true) && here.persons.pass(of: anna) == nil)
        guard case .told(let told, _) = answer else { return }
        #expect(there.persons.hear(revokedElsewhere: told) == nil && there.persons.pass(of: bert) == nil)
        here.persons.follow { false }
        #expect(here.persons.exchange(revokedElsewhere: nil) == .told(told, isWhole: false))
        here.hand.fail("the disk is full")
        #expect(there.persons.revoke(nil, of: "carl") == nil)
        #expect(here.persons.exchange(revokedElsewhere: there.persons.toldToOthers) == .failed("the disk is full"))
    }

    @Test func `a revocation is 503 where who else lives is not known, or somebody was not told`() {
        var service = here.worker.service
        service.access = AccessService(here.keeper) { $0() }
        let seen = Mutex((unreached: [String](), areAll: false))
        service.access?.revokeElsewhere = { _, _, done in
            let (unreached, areAll) = seen.withLock { $0 }
            done(unreached, areAll)
        }
        let router = Router(service)
        func status() -> Int {
            router.answer(
                "DELETE", "/v1/people/anna/tokens",
                [("Host", "belfry"), ("Authorization", "Bearer \(Entry.token(.operate))")],
                body: "", through: .port(here.keeper)
            ).status
        }
        #expect(status() == 503)
        seen.withLock { $0.areAll = true }
        #expect(status() == 204)
        seen.withLock { $0.unreached = ["http://b"] }
        #expect(status() == 503)
    }

    private static let cluster = ClusterService(
        catchUp: { $1(true) }, part: { $2(.unable(.busy)) }, move: { _, _ in true }, drain: { nil },
        erase: { $1(Forgotten()) }, revoke: { $2(nil) })

    @Test func `what another worker has revoked may be more than the door takes, and than an order is`() throws {
        var service = here.worker.service
        service.cluster = Self.cluster
        service.cluster?.revoked = { _, there, done in done(.told("\(there?.utf8.count ?? 0)", isWhole: true)) }
        var limits = HTTPLimits()
        limits.bodyBytesMax = 1 << 20
        let client = try Serving(limits: limits, Router(service).handler).client
        let long = Array(#"{"url":"http://b","revoked":"\#(String(repeating: "x", count: 2 << 20))"}"#.utf8)
        let answer = client.ask("POST", "/v1/cluster/revoked", body: long)
        #expect(answer?.text == #"{"revoked":"2097152","whole":true}"# + "\n")
        #expect(client.ask("POST", "/v1/cluster/revoke", body: long)?.status == 413)
        var head = HTTPRequest(
            method: "POST", target: "/v1/cluster/revoked",
            headers: HTTPHeaders([("Host", "belfry"), ("Authorization", "Bearer \(Entry.token(.admin))")]))
        _ = Router(service).meet(&head, .port(here.keeper))
        #expect(head.bodyBytesOfWorkers == nil)
    }

    @Test func `workers alone are told what is revoked, and only those that are seen here`() {
        var service = here.worker.service
        service.access = AccessService(here.keeper) { $0() }
        service.cluster = Self.cluster
        service.cluster?.revoked = { url, there, done in
            switch url {
            case "http://b": done(.told("all, and \(there ?? "nothing")", isWhole: true))
            case "http://d": done(.failed("the disk is full"))
            default: done(.notSeen)
            }
        }
        let router = Router(service)
        func ask(_ token: String, _ body: String) -> (status: Int, text: String) {
            let answer = router.answer(
                "POST", "/v1/cluster/revoked",
                [("Host", "belfry"), ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                body: body, through: .port(here.keeper))
            return (answer.status, answer.text)
        }
        let told = ask(Entry.own, #"{"url":"http://b"}"#)
        #expect(told.status == 200 && told.text == #"{"revoked":"all, and nothing","whole":true}"# + "\n")
        #expect(ask(Entry.own, #"{"url":"http://b","revoked":1}"#).status == 400)
        #expect(ask(Entry.own, #"{"url":"http://d","revoked":"some"}"#).status == 503)
        #expect(ask(Entry.own, #"{"url":"http://c"}"#).status == 503)
        #expect(ask(Entry.own, "{}").status == 400)
        #expect(ask(Entry.token(.admin), #"{"url":"http://b"}"#).status == 403)
    }
}
