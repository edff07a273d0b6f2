import CivilTime
import Testing

@testable import Console

/// G11: what is shared out among those who ask hangs on who they are, and not on how many clients they have.
@Suite("For whom a client asks")
struct AskerTests {
    @Test func `a person and an operator are told apart, also where another worker passes on`() throws {
        let entry = try Entry()
        func party(_ token: String?, for person: String? = nil) -> Asker.Party {
            var head = HTTPRequest(method: "GET", target: "/v1/people/anna/settings")
            head.headers.append("Host", "belfry")
            if let token { head.headers.append("Authorization", "Bearer \(token)") }
            if let person { head.headers.append(PassedOn.byPerson, person) }
            _ = entry.router.meet(&head, .port(entry.keeper))
            return head.party
        }
        #expect(party(entry.person("anna")) == .person("anna"))
        #expect(party(Entry.token(.read)) == .operator("reader"))
        #expect(party(Entry.own, for: "anna") == .person("anna"))
        // Whoever is no worker is not believed.
        #expect(party(Entry.token(.admin), for: "anna") == .operator("adminer"))
        #expect(party(entry.person("bert"), for: "anna") == .person("bert"))
        #expect(party(nil) == .stranger && party(nil, for: "anna") == .stranger)
    }

    @Test func `whoever answers hears of it`() throws {
        let asked = Asked()
        let answering = HTTPHandler.waiting(asked)
        let handler = HTTPHandler(
            atOnce: { head in
                head.access = .person(PersonPass(user: "bea", id: "1", endsAt: Entry.start))
                return nil
            }, answer: answering.answer)
        let client = try Serving(handler).client
        client.send(Client.request("GET", "/slow"))
        let waiting = asked.next()
        #expect(waiting.asker.party == .person("bea"))
        waiting.reply(HTTPResponse(status: 204))
        #expect(client.response()?.status == 204)
    }
}
