import CivilTime
import Notices
import Testing

@testable import Console

@Suite("V2: the person's door")
struct PersonDoorTests {
    private let entry: Entry

    init() throws { entry = try Entry() }

    private func send(
        _ words: String, _ body: String = "{}", _ headers: [(String, String)] = [], method: String = "POST"
    ) -> (status: Int, headers: HTTPHeaders, text: String) {
        entry.ask(method, "/v1/people/anna/\(words)", showing: entry.person("anna"), headers, body: body)
    }

    private func error(_ text: String) -> String? { JSONValue(parsing: text)?["error"]?.string }

    // MARK: Facts

    @Test(arguments: [
        ("preset", #"{"preset":"minimal"}"#, "preset_applied"), ("reset", "{}", "preferences_reset"),
        ("reset", "", "preferences_reset"), ("history/clear", "", "history_cleared"), ("feed/seen", "{}", "feed_seen"),
        ("notices/opened", #"{"job":"anna/reminder/#1"}"#, "notice_opened"),
        ("notices/dismissed", #"{"job":"anna/reminder/#1"}"#, "notice_dismissed"),
        ("notices/snoozed", #"{"job":"anna/reminder/#1","minutes":15}"#, "notice_snoozed"),
        ("notices/feedback", #"{"job":"anna/reminder/#1","helpful":true}"#, "feedback_given"),
        ("devices", #"{"device":"d1","platform":"ios","token":"abc"}"#, "device_registered"),
        ("devices/remove", #"{"device":"d1"}"#, "device_removed"),
        ("retry", #"{"job":"anna/reminder/#1"}"#, "job_retry_requested"),
        ("consent", #"{"given":true}"#, "consent_given"), ("consent", #"{"given":false}"#, "consent_withdrawn"),
    ])
    func `what a person says of themselves is a fact about them`(words: String, body: String, type: String) throws {
        let answer = send(words, body)
        #expect(answer.status == 200 && answer.text == #"{"seq":1,"warnings":[]}"# + "\n", "\(answer.text)")
        let fact = try #require(entry.worker.orders.first?.facts.first)
        #expect(fact.user == "anna" && "\(fact.payload.type.name)" == type && fact.id == nil && fact.at == nil)
        if case .consentGiven(let consent) = fact.payload { #expect(consent.giver == .user) }
        if case .noticeSnoozed(let snooze) = fact.payload { #expect(snooze.minutes == 15) }
    }

    @Test(arguments: [
        ("preset", "{}", "preset: is missing"),
        ("preset", #"{"preset":"minimal","user":"bert"}"#, "user: is not a field"),
        ("notices/snoozed", #"{"job":"anna/reminder/#1","minutes":20}"#, "minutes: 20 is not"),
        ("devices", #"{"device":"d1"}"#, "platform: is missing"), ("reset", #"{"all":true}"#, "all: is not a field"),
        ("reset", "[]", "an order is a JSON object"), ("reset", "{", "not JSON"),
        ("consent", #"{"given":true,"by":"guardian"}"#, "\"by\": is not a field of a consent"),
        ("consent", "{}", "given: is missing"), ("notices/opened", #"{"job":7}"#, "job: 7 is not"),
    ])
    func `what is none is refused with its path`(words: String, body: String, problem: String) {
        let answer = send(words, body)
        #expect(answer.status == 400 && error(answer.text)?.hasPrefix(problem) == true, "\(answer.text)")
        #expect(entry.worker.orders.isEmpty)
    }

    @Test func `a key makes a fact one, for its person alone`() throws {
        let key = [("Idempotency-Key", "k1")]
        #expect(send("reset", "", key).text == #"{"seq":1,"warnings":[]}"# + "\n")
        #expect(send("reset", "", key).text == #"{"seq":1,"warnings":[],"duplicate":true}"# + "\n")
        let bert = entry.ask("POST", "/v1/people/bert/reset", showing: entry.person("bert"), key)
        #expect(bert.text == #"{"seq":2,"warnings":[]}"# + "\n")
        // An id that the app gives its own facts is not taken by it.
        let ids = entry.worker.orders.flatMap(\.facts).compactMap(\.id)
        #expect(!ids.contains("k1") && ids.allSatisfy(Identifier.isAccepted) && Set(ids).count == 2)
        #expect(send("reset", "", [("Idempotency-Key", "a b")]).status == 400)
    }

    /// Else they would be told that it was done, and it was not.
    @Test func `a key that was used for something else is another's`() {
        let key = [("Idempotency-Key", "k1")]
        for (seq, (words, body)) in [
            ("feed/seen", ""), ("consent", #"{"given":true}"#), ("consent", #"{"given":false}"#),
        ].enumerated() {
            #expect(send(words, body, key).text == #"{"seq":\#(seq + 1),"warnings":[]}"# + "\n")
        }
        #expect(
            entry.worker.orders.flatMap(\.facts).map(\.payload.type.text)
                == ["feed_seen", "consent_given", "consent_withdrawn"])
        #expect(send("consent", #"{"given":true}"#, key).text == #"{"seq":2,"warnings":[],"duplicate":true}"# + "\n")
    }

    @Test func `a number and a code that are told again are said to be, and no more than is so`() {
        let key = [("Idempotency-Key", "k1")]
        entry.worker.know(card())
        let sent = #"{"seq":1,"resend_after_seconds":30,"code_expires_at":"2026-03-02T14:10:00.000Z""#
        #expect(send("phone", #"{"phone":"+15551234567"}"#, key).text == sent + "}\n")
        #expect(send("phone", #"{"phone":"+15551234567"}"#, key).text == sent + ",\"duplicate\":true}\n")
        // Verified by now: no code is good any more.
        entry.worker.know(card(asked: nil, number: "+15551234567"))
        #expect(send("phone", #"{"phone":"+15551234567"}"#, key).text == #"{"seq":1,"duplicate":true}"# + "\n")
        let verified = #"{"verified":true,"phone":"+1 ••• •• 67""#
        #expect(send("phone/code", #"{"code":"123456"}"#, key).text == verified + "}\n")
        #expect(send("phone/code", #"{"code":"123456"}"#, key).text == verified + ",\"duplicate\":true}\n")
        // And no number is verified that is not.
        entry.worker.know(card(asked: nil))
        let none = send("phone/code", #"{"code":"123456"}"#, key)
        #expect(none.status == 400 && error(none.text) == "No number waits for a code.")
    }

    @Test(arguments: [
        ("PATCH", "preferences", "[]", "preferences_changed"),
        ("PATCH", "preferences", #"{"quiet_hours":{"start":"25:00"}}"#, "preferences_changed"),
        ("PATCH", "preferences", #"{"timezone":"Mars/Olympus"}"#, "preferences_changed"),
        ("POST", "consent", #"{"given":1}"#, "consent_given"), ("POST", "consent", "{}", "consent_given"),
        ("POST", "preset", "{}", "preset_applied"), ("POST", "phone", "{}", "phone_verification_requested"),
    ])
    func `what is refused in reading is counted by its type`(method: String, words: String, body: String, type: String)
    {
        #expect(send(words, body, method: method).status == 400)
        #expect(entry.worker.refused == [type: 1])
    }

    // MARK: Preferences

    @Test func `preferences are changed by a merge patch`() throws {
        let type = [("Content-Type", "application/merge-patch+json")]
        let answer = send("preferences", #"{"quiet_hours":{"start":"21:00"}}"#, type, method: "PATCH")
        #expect(answer.status == 200 && answer.text == #"{"seq":1,"warnings":[]}"# + "\n")
        guard case .preferencesChanged(let change)? = entry.worker.orders.first?.facts.first?.payload else {
            Issue.record("no change")
            return
        }
        #expect(change.patch.document.text == #"{"quiet_hours":{"start":"21:00"}}"#)
        #expect(send("preferences", "{}", [("Content-Type", "text/plain")], method: "PATCH").status == 415)
        #expect(send("preferences", "{}", method: "POST").status == 405)
    }

    @Test(arguments: [
        (#"{"quiet_hours":{"start":"25:00"}}"#, "quiet_hours.start: "),
        (#"{"colour":"red"}"#, "colour: is not a preference"),
        (#"{"timezone":"Mars/Olympus"}"#, "timezone: unknown zone"), ("[]", "a list is not"), ("", "not JSON"),
    ])
    func `a patch that is none is refused with the path in it`(patch: String, problem: String) {
        let answer = send("preferences", patch, method: "PATCH")
        #expect(answer.status == 400 && error(answer.text)?.hasPrefix(problem) == true, "\(answer.text)")
    }

    @Test func `what the policy refuses is told with the path in the patch`() {
        entry.worker.know(nil, refusing: "data.patch.kinds.x: is not a kind of standard")
        let answer = send("preferences", #"{"kinds":{"x":{"enabled":false}}}"#, method: "PATCH")
        #expect(answer.status == 400 && error(answer.text) == "kinds.x: is not a kind of standard")
        entry.worker.know(nil, refusing: "data.patch: is longer than it may be")
        #expect(error(send("preferences", "{}", method: "PATCH").text) == "is longer than it may be")
        entry.worker.know(nil, refusing: "data.job: \"x\" is not a job of this person")
        #expect(error(send("retry", #"{"job":"anna/reminder/#1"}"#).text) == "job: \"x\" is not a job of this person")
    }

    // MARK: Phones

    private func card(
        asked: String? = "+15551234567", attempts: Int = 0, secondsAgo: Int64 = 0, lockedFor: Int64? = nil,
        number: String? = nil
    ) -> PersonCard {
        var card = PersonCard()
        card.phone.asked = asked
        card.phone.attempts = attempts
        card.phone.askedAt = Entry.start.advanced(bySeconds: -secondsAgo)
        card.phone.number = number
        card.isPhoneVerified = number != nil
        if let lockedFor { card.phone.lockedUntil = Entry.start.advanced(bySeconds: lockedFor) }
        return card
    }

    @Test func `a code is sent, and it is told how long it is good and when to ask again (N9)`() {
        entry.worker.know(card())
        let answer = send("phone", #"{"phone":"+15551234567"}"#)
        #expect(answer.status == 200)
        #expect(
            answer.text == #"{"seq":1,"resend_after_seconds":30,"code_expires_at":"2026-03-02T14:10:00.000Z"}"# + "\n")
    }

    @Test func `where nobody sends texts it is said that no code was sent`() {
        entry.worker.know(card())
        entry.worker.sendNoTexts()
        let answer = send("phone", #"{"phone":"+15551234567"}"#)
        #expect(answer.status == 200)
        #expect(answer.text.contains(#","warnings":["no code was sent: this worker sends no texts"#), "\(answer.text)")
    }

    @Test(arguments: ["555-1234", "", "+0123456789", "anna"])
    func `a number that is none is told in the words of the specification`(number: String) {
        let answer = send("phone", #"{"phone":"\#(number)"}"#)
        #expect(answer.status == 400 && error(answer.text) == "This phone number format is invalid")
        #expect(send("phone", "{}").status == 400 && error(send("phone", "{}").text) != error(answer.text))
    }

    @Test func `another code is not sent within 30 seconds, nor while the number is locked`() {
        entry.worker.know(card(secondsAgo: 12), refusing: "data.phone: a code was asked for less than 30 seconds ago")
        let early = send("phone", #"{"phone":"+15551234567"}"#)
        #expect(early.status == 429 && early.headers["Retry-After"] == "18")
        entry.worker.know(card(asked: nil, lockedFor: 61), refusing: "data.phone: too many attempts")
        let locked = send("phone", #"{"phone":"+15551234567"}"#)
        #expect(locked.status == 429 && locked.headers["Retry-After"] == "61")
        #expect(error(locked.text) == "Too many attempts. Try again in 2 minutes.")
    }

    @Test func `nor more often than the log lets a person ask (G11)`() {
        var known = card(secondsAgo: 60)
        for minute in (1...5).reversed() { known.phone.asked(at: Entry.start.advanced(byMinutes: -Int64(minute) * 8)) }
        entry.worker.know(known, refusing: "data.phone: somebody may ask for 5 codes an hour and 10 a day")
        let answer = send("phone", #"{"phone":"+15551234567"}"#)
        #expect(answer.status == 429 && answer.headers["Retry-After"] == "1200")
        #expect(error(answer.text) == "You have asked for many codes. Try again in 20 minutes.")
    }

    /// Five people with a token each, who have one stranger's phone ring.
    @Test func `one number is sent five codes an hour, whoever asks for them`() {
        entry.worker.know(card())
        func ask(_ user: String, _ phone: String = "+15551234567") -> (status: Int, wait: String?) {
            let answer = entry.ask(
                "POST", "/v1/people/\(user)/phone", showing: entry.person(user), body: #"{"phone":"\#(phone)"}"#)
            return (answer.status, answer.headers["Retry-After"])
        }
        for user in ["anna", "bert", "carl", "dora", "emil"] { #expect(ask(user).status == 200) }
        #expect(ask("fred") == (429, "3600"))
        #expect(entry.worker.orders.count == 5, "what is refused is not recorded")
        #expect(ask("fred", "+15557654321").status == 200)
        entry.worker.move(to: Entry.start.advanced(bySeconds: 3599))
        #expect(ask("fred") == (429, "1"))
        entry.worker.move(to: Entry.start.advanced(bySeconds: 3600))
        #expect(ask("fred").status == 200)
    }

    @Test func `what was not sent for another reason does not count against a number`() {
        entry.worker.know(card(secondsAgo: 12), refusing: "data.phone: a code was asked for less than 30 seconds ago")
        for _ in 0..<10 { #expect(send("phone", #"{"phone":"+15551234567"}"#).headers["Retry-After"] == "18") }
        entry.worker.know(card())
        let key = [("Idempotency-Key", "k")]
        for _ in 0..<10 { #expect(send("phone", #"{"phone":"+15551234567"}"#, key).status == 200) }
        for _ in 0..<4 { #expect(send("phone", #"{"phone":"+15551234567"}"#).status == 200) }
        #expect(send("phone", #"{"phone":"+15551234567"}"#).status == 429)
        #expect(send("phone", #"{"phone":"+15551234567"}"#, key).status == 200, "its answer is told again")
    }

    @Test func `of so many numbers it is remembered, and of the latest`() {
        let numbers = AskTally(.codes, keysMax: 4)
        func instant(_ second: Int64) -> Instant { Entry.start.advanced(bySeconds: second) }
        for second in Int64(0)..<5 { #expect(numbers.take("+1555000000\(9)", at: instant(second)) == nil) }
        for second in Int64(5)..<40 { #expect(numbers.take("+15551\(100_000 + second)", at: instant(second)) == nil) }
        #expect(numbers.take("+15550000009", at: instant(40)) == nil, "it was forgotten")
        for second in Int64(41)..<45 { #expect(numbers.take("+15551100039", at: instant(second)) == nil) }
        #expect(numbers.take("+15551100039", at: instant(45)) == instant(39).advanced(byHours: 1))
    }

    // MARK: How fast

    /// What is told is in the log for ever.
    @Test func `who tells without end is slowed down, and nobody else`() {
        for _ in 0..<Pace.burst { #expect(send("reset").status == 200) }
        let more = send("reset")
        #expect(more.status == 429 && more.headers["Retry-After"] == "2")
        #expect(error(more.text) == "that is too much at once; try again")
        #expect(entry.ask("POST", "/v1/people/ben/reset", showing: entry.person("ben"), body: "{}").status == 200)
        #expect(
            entry.ask("POST", "/v1/people/anna/reset", showing: Entry.token(.operate), body: "{}").status == 200)
        entry.worker.move(to: Entry.start.advanced(byMilliseconds: 1_999))
        #expect(send("reset").status == 429)
        entry.worker.move(to: Entry.start.advanced(byMilliseconds: 2_000))
        #expect(send("reset").status == 200 && send("reset").status == 429)
        // Nothing comes back twice where the clock is set.
        entry.worker.move(to: Entry.start)
        #expect(send("reset").status == 429)
        entry.worker.move(to: Entry.start.advanced(bySeconds: 2 * Int64(Pace.burst) + 4))
        for _ in 0..<Pace.burst { #expect(send("reset").status == 200) }
        #expect(send("reset").status == 429)
    }

    @Test func `of so many the pace is remembered, and of the fastest longest`() {
        let pace = Pace(keysMax: 4)
        for _ in 0..<Pace.burst { #expect(pace.take("fast", at: Entry.start) == nil) }
        for number in 0..<20 { #expect(pace.take("slow \(number)", at: Entry.start) == nil) }
        #expect(pace.take("fast", at: Entry.start) == 2)
    }

    // MARK: Samples

    @Test func `so many samples are told when there may be more, and who asks is told to the worker`() {
        #expect(send("test", #"{"kind":"alert"}"#).status == 200)
        entry.worker.refuseTests(for: 3_540)
        let answer = send("test", #"{"kind":"alert"}"#)
        #expect(answer.status == 429 && answer.headers["Retry-After"] == "3540")
        #expect(
            error(answer.text) == "Many tests were sent to you, by yourself or by the app. Try again in 59 minutes.")
        _ = entry.ask("POST", "/v1/people/anna/test", showing: Entry.token(.operate), body: #"{"kind":"alert"}"#)
        // A worker of the cluster passes on what it was asked with a person's token.
        _ = entry.ask(
            "POST", "/v1/people/anna/test", showing: Entry.own, [(PassedOn.byPerson, "1")],
            body: #"{"kind":"alert"}"#)
        #expect(entry.worker.tests.map(\.isTheirOwn) == [true, true, false, true])
    }

    @Test func `a code is right, wrong with so many attempts left, or one too many`() {
        entry.worker.know(card(asked: nil, number: "+15551234567"))
        #expect(send("phone/code", #"{"code":"123456"}"#).text == #"{"verified":true,"phone":"+1 ••• •• 67"}"# + "\n")
        entry.worker.know(card(attempts: 1))
        let wrong = send("phone/code", #"{"code":"000000"}"#)
        #expect(wrong.status == 400)
        #expect(
            wrong.text == #"{"error":"Code is incorrect. Try again. (4 attempts left)","attempts_left":4}"# + "\n")
        entry.worker.know(card(attempts: 4))
        #expect(error(send("phone/code", #"{"code":"0"}"#).text) == "Code is incorrect. Try again. (1 attempt left)")
        entry.worker.know(card(asked: nil, lockedFor: 900))
        let locked = send("phone/code", #"{"code":"000000"}"#)
        #expect(locked.status == 429 && locked.headers["Retry-After"] == "900")
        #expect(error(locked.text) == "Too many attempts. Try again in 15 minutes.")
        // What somebody typed is never repeated, not even as what is wrong with it.
        #expect(!send("phone/code", #"{"code":"secret"}"#).text.contains("secret"))
    }

    @Test func `a code that nobody waits for is told so`() {
        entry.worker.know(card(asked: nil), refusing: "data.code: no code is waited for")
        let answer = send("phone/code", #"{"code":"123456"}"#)
        #expect(answer.status == 400 && error(answer.text) == "No number waits for a code.")
        entry.worker.know(card(), refusing: "data.code: is not taken")
        #expect(error(send("phone/code", #"{"code":"123456"}"#).text) == "code: is not taken")
    }

    @Test(arguments: [
        ("+15551234567", "+1 ••• •• 67"), ("+33612345678", "+33 ••• •• 78"), ("+79161234567", "+7 ••• •• 67"),
    ])
    func `a number is shown as far as its owner knows it by`(number: String, shown: String) {
        #expect(Masked.phone(number) == shown)
    }

    @Test func `so is an address`() {
        #expect(Masked.email("anna@example.org") == "a•••@example.org" && Masked.email("x") == "•••")
    }
}
