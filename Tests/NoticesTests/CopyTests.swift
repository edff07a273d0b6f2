import Testing

@testable import Notices

/// The words of notices: templates filled once, safe in whatever field they stand, and no longer than a channel shows.
@Suite("Copy")
struct CopyTests {
    private func filled(_ text: String, _ change: (inout PhraseValues) -> Void = { _ in }) -> String {
        var values = PhraseValues()
        change(&values)
        return Phrase(text).filled(values)
    }

    @Test(arguments: [
        (0, "0 goals"), (1, "1 goal"), (2, "2 goals"), (21, "21 goals"),
    ])
    func `a number picks its form`(count: Int, expected: String) {
        #expect(filled("{count} {count|goal|goals}") { $0.count = count } == expected)
    }

    @Test func `a word that is missing has another in its place`() {
        let hello = "Hello {name|there}"
        #expect(filled(hello) == "Hello there")
        #expect(filled(hello) { $0.name = "Anna" } == "Hello Anna")
        // Nothing of it would be seen.
        #expect(filled(hello) { $0.name = "\u{202E}" } == "Hello there")
        #expect(filled("{items|nothing}{name|}") == "nothing")
        let tone = "{choices.tone|plain}, {choices.tone}"
        #expect(filled(tone) == "plain, ")
        #expect(filled(tone) { $0.choices = [("tone", "warm")] } == "warm, warm")
    }

    @Test func `an id is no word for somebody`() {
        let child = "{subject|Your child} ({subject})"
        #expect(filled(child) { $0.subject = "3f2a" } == "Your child (3f2a)")
        #expect(
            filled(child) {
                ($0.subject, $0.isSubjectNamed) = ("Lea", true)
            } == "Lea (Lea)")
    }

    @Test func `what is put in is not looked at again`() {
        #expect(filled("Time for {title}") { $0.title = "{name} and {count}" } == "Time for {name} and {count}")
        #expect(
            filled("{name}: {title}") {
                $0.name = "{title}"; $0.title = "{name}"
            } == "{title}: {name}")
    }

    @Test(arguments: [
        "{", "}", "{}", "{nobody}", "a { b } c", "{count|one}", "{count|a|b|c}", "{title|a|b}", "{ count }", "",
    ])
    func `what is no place stays as it is written`(text: String) {
        #expect(filled(text) { $0.count = 1 } == text)
    }

    @Test(arguments: [
        ("two\nlines", "two lines"), ("tab\there", "tab here"), ("a\r\nSubject: b", "a  Subject: b"),
        ("bell\u{7}", "bell"), ("escape\u{1B}[31m", "escape[31m"), ("next\u{85}line", "next line"),
        ("turned\u{202E}around", "turnedaround"), ("isolated\u{2067}x\u{2069}", "isolatedx"),
        ("para\u{2029}graph", "para graph"), ("Prêt 👩‍👩‍👧 日本", "Prêt 👩‍👩‍👧 日本"),
    ])
    func `a title from outside breaks no line and hides nothing`(text: String, expected: String) {
        #expect(Plain.line(text) == expected)
        #expect(filled("{title}") { $0.title = text } == expected)
    }

    @Test func `a body keeps its lines and nothing else`() {
        #expect(Plain.lines("one\ntwo\r\nthree\u{0}") == "one\ntwo \nthree")
    }

    @Test func `a text is cut between characters and says so`() {
        let family = "👩‍👩‍👧"
        #expect(Plain.clipped("12345", to: 5) == "12345")
        #expect(Plain.clipped("123456", to: 5) == "1234…")
        #expect(Plain.clipped("1234  56", to: 6) == "1234…")
        #expect(Plain.clipped(String(repeating: family, count: 6), to: 5) == String(repeating: family, count: 4) + "…")
        #expect(Plain.clipped(String(repeating: family, count: 5), to: 5) == String(repeating: family, count: 5))
    }

    @Test(arguments: Channel.allCases)
    func `every channel has room for a title and a body`(channel: Channel) {
        #expect(channel.lengthsMax.title >= 30)
        #expect(channel.lengthsMax.body > channel.lengthsMax.title)
    }

    @Test func `a text message is one message`() {
        #expect(Channel.sms.lengthsMax.title + 2 + Channel.sms.lengthsMax.body <= 160)
    }

    @Test func `a text that fits one segment is not cut, and one that is cut stays in its alphabet`() {
        func clipped(_ title: String, _ body: String) -> String {
            let clipped = TextSegments.clipped(title, body, to: Channel.sms.lengthsMax)
            return TextSegments.joined(clipped.title, clipped.body)
        }
        let whole = String(repeating: "a", count: 155)
        #expect(clipped("T", whole) == "T\n\(whole)")
        #expect(clipped(String(repeating: "t", count: 100), "there").count == 106)
        let long = clipped("T", String(repeating: "a", count: 400))
        #expect(long.count == 160 && long.hasSuffix("aaa..."))
        #expect(TextSegments.measure(long) == (.gsm7, 1))
        // A character that takes two of seven bits is counted as two.
        #expect(TextSegments.measure(clipped("T", String(repeating: "€", count: 100))) == (.gsm7, 1))
        #expect(clipped("T", String(repeating: "日", count: 66)).count == 68)
        let other = clipped("T", String(repeating: "日", count: 140))
        #expect(other.count == 122 && other.hasSuffix("日…"))
        #expect(clipped(String(repeating: "t", count: 400), "") == String(repeating: "t", count: 35) + "...")
    }

    @Test func `several bodies take turns by the day, before 1970 as well`() {
        var rule = KindRule()
        rule.name = Identifier("check_in")
        rule.copy.bodies = ["a", "b", "c"]
        let phrases = KindPhrases(rule)
        #expect((-4...4).map { phrases.body(onDay: $0).filled(PhraseValues()) }.joined() == "cabcabcab")
    }

    @Test func `a kind without words is called by its label, or its name`() {
        var rule = KindRule()
        rule.name = Identifier("check_in")
        #expect(KindPhrases(rule).title.filled(PhraseValues()) == "check_in")
        rule.label = Text("Check-ins")
        #expect(KindPhrases(rule).title.filled(PhraseValues()) == "Check-ins")
    }
}

/// `A7`.
@Suite("A7, a test run of the analyser")
struct AnalysisTrialTests {
    private var nobody: Person {
        get throws {
            let rules = try shipped("messageai")
            return Register(Plan(rules, zone: { _ in nil })).someone
        }
    }

    @Test func `without a conversation there is nothing to test`() throws {
        let person = try nobody
        #expect(PersonCard(person).lastConversation == nil)
        #expect("\(AnalysisTrial.Failure.noConversation)" == "no recent conversations to test")
    }

    @Test func `the latest conversation is asked about, and the person is not changed`() throws {
        let person = try nobody
        let plan = Plan(try shipped("messageai"), zone: { _ in nil })
        for name in ["c1", "c2"] {
            var message = MessageReceived()
            message.conversation = Identifier(name)
            message.message = Identifier("m")
            person.fold(.messageReceived(message), on: Occasion(1, .start, user: "anna", plan))
        }
        let waiting = person.details.conversations.count
        #expect(PersonCard(person).lastConversation == "c2")
        #expect(person.details.conversations.count == waiting && person.marks.isEmpty)
    }

    @Test func `an answer is shown with the note that nothing was sent`() throws {
        var answer = AnalysisAnswered()
        answer.conversation = Identifier("c2")
        answer.shouldNotify = true
        answer.priority = .critical
        answer.reason = Text("asks\nfor help")
        answer.noticeText = Text("Ben needs help")
        let outcome = try AnalysisTrial.outcome(answer)
        #expect(outcome.notifies && outcome.priority == .high && outcome.reason == "asks for help")
        #expect(outcome.text == "Ben needs help" && outcome.note == "This is a test: nothing was sent.")
        #expect(throws: AnalysisTrial.Failure.unavailable) { try AnalysisTrial.outcome(nil) }
        #expect("\(AnalysisTrial.Failure.unavailable)" == "AI temporarily unavailable")
    }
}
