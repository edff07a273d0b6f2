import Notices
import Testing

/// `A1` and SPEC §11: a message's text and a phone code are never written down, and never repeated in a message.
@Suite("Private values")
struct PrivateValueTests {
    let reader = newReader()
    static let secrets = ["Xylophone42", "987654"]

    private static func isKept(_ text: String) -> Bool { secrets.contains { text.contains($0) } }

    /// Every way to get a line wrong that holds something private.
    private static let wrongLines: [String] = {
        func message(_ text: String, _ rest: String = "") -> String {
            #"{"type":"message_received","user":"a","data":{"conversation":"c","message":"m","#
                + "\"text\":\(text)\(rest)}}"
        }
        func code(_ code: String, _ rest: String = "") -> String {
            "{\"type\":\"phone_code_entered\",\"user\":\"a\",\"data\":{\"code\":\(code)\(rest)}}"
        }
        let long = String(repeating: "Xylophone42 ", count: 6000)
        return [
            message("\"\(long)\""), message("[\"Xylophone42\"]"), message("{\"Xylophone42\":1}"), message("987654"),
            message("987654.5"), message("\"Xylophone42\"", ",\"unknown\":1"),
            message("\"Xylophone42\"", ",\"sender\":\"\""),
            message("\"Xylophone42\"", ",\"length\":11"), message("\"Xylophone42\"", ",\"keywords\":[]"),
            message("\"Xylophone42\"", ",\"text\":\"Xylophone42\""), message("\"Xylophone42\"", ","),
            message("\"Xylophone42\"").replacing("\"message\":\"m\",", with: ""),
            message("\"Xylophone42\"").replacing("\"user\":\"a\",", with: ""),
            message("\"Xylophone42\"").replacing("message_received", with: "message_sent"),
            message("\"Xylophone42\"").replacing("message_received", with: "message_recieved"),
            message("\"Xylophone42\"").replacing("\"user\":\"a\"", with: "\"usr\":\"a\""),
            message("\"Xylophone42\\ud800\""), message("\"Xylophone42\\u0000\""), message("\"Xylophone42\n\""),
            message("Xylophone42"), message("\"Xylophone42"), message("\"Xylophone42\"") + "\"Xylophone42\"",
            String(message("\"Xylophone42\"").dropLast()),
            "{\"type\":\"message_received\",\"user\":\"a\",\"data\":\"Xylophone42\"}",
            "{\"type\":\"message_received\",\"user\":\"a\",\"data\":[\"Xylophone42\"]}", "\"Xylophone42\"", "987654",
            code("987654"), code("-987654"), code("\"987654 \""), code("\"code 987654\""), code("[\"987654\"]"),
            code("{\"987654\":987654}"), code("\"9876549876549\""), code("987654e2"),
            code("\"987654\"", ",\"correct\":true"),
            code("\"987654\"", ",\"phone\":\"+14155550123\""),
            code("\"987654\"").replacing("\"user\":\"a\",", with: ""),
            "{\"type\":\"phone_code_entered\",\"user\":\"a\",\"data\":987654}",
            "{\"type\":\"phone_code_entered\",\"user\":\"a\",\"data\":\"987654\"}",
        ]
    }()

    @Test func `no refusal repeats them`() {
        for line in Self.wrongLines {
            #expect(Self.isKept(line))
            let refused = refusal(of: line, reader)
            #expect(refused != nil, "accepted: \(line.prefix(200))")
            #expect(!Self.isKept(refused ?? ""), "\(refused ?? "")")
        }
    }

    @Test func `neither encoding holds them`() throws {
        let lines = [
            #"{"type":"message_received","user":"a","data":{"conversation":"c","message":"m","text":"Xylophone42, help!"}}"#,
            #"{"type":"phone_code_entered","user":"a","data":{"code":"987654"}}"#,
        ]
        for line in lines {
            let payload = try reader.read(line).payload
            for kept in [payload, payload.recordable] {
                #expect(!Self.isKept(String(decoding: kept.bytes, as: UTF8.self)))
                #expect(!Self.isKept(kept.json))
            }
            var buffer = ByteBuffer()
            Event(seq: 1, at: .start, user: "a", payload: payload).writeJSON(into: &buffer)
            #expect(!Self.isKept(buffer.text))
        }
    }

    @Test func `they are not read back from a log either`() throws {
        for (type, data) in [
            ("message_received", #"{"conversation":"c","message":"m","text":"Xylophone42"}"#),
            ("phone_code_entered", #"{"correct":true,"code":"987654"}"#),
        ] {
            let node = try JSONTape().parse(data)
            let error = #expect(throws: FieldError.self) { try Payload.read(logged: node, of: type) }
            #expect(error.map { Self.isKept("\($0)") } == false)
        }
    }
}

@Suite("A1, what is kept of a message")
struct MessageReductionTests {
    private func found(_ text: String, _ keywords: [String] = Payload.defaultKeywords) -> [String] {
        var message = MessageReceived()
        message.messageText = PrivateText(text)
        return message.reduced(keywords: keywords).keywords.map(\.text)
    }

    @Test func `the text is gone, its keywords and length stay`() throws {
        let line =
            #"{"type":"message_received","user":"a","data":{"conversation":"c","message":"m","sender":"bo","#
            + #""mentions_user":true,"text":"Help: PRODUCTION DOWN 🔔","avatar":"x"}}"#
        let payload = try newReader().read(line).payload.recordable
        #expect(
            payload.json
                == #"{"conversation":"c","message":"m","sender":"bo","mentions_user":true,"avatar":"x","#
                + #""keywords":["production down","help"],"length":23}"#
        )
        guard case .messageReceived(let message) = payload else { return }
        #expect(message.messageText == nil)
        #expect(payload.recordable == payload)
        #expect(try Payload.decode(payload.type.number, payload.bytes) == payload)
    }

    @Test func `a message without text has neither`() throws {
        let line = #"{"type":"message_received","user":"a","data":{"conversation":"c","message":"m"}}"#
        let payload = try newReader().read(line).payload.recordable
        #expect(payload.json == #"{"conversation":"c","message":"m"}"#)
        let empty = line.replacing("\"m\"", with: "\"m\",\"text\":\"\"")
        #expect(
            try newReader().read(empty).payload.recordable.json == #"{"conversation":"c","message":"m","length":0}"#)
    }

    @Test(arguments: [
        "help", "Help", "HELP!", "please help", "help, please", "(help)", "help.", "…help…", "a\nhelp\nb",
        "help/urgent-ish",
        "«help»", "help🔔", "🔔help", "it's help's turn", "e-help",
    ]) func `whole words in any case`(text: String) {
        #expect(found(text).contains("help"))
    }

    @Test(arguments: [
        "helpful", "whelp", "unhelpful", "help_me", "help2", "2help", "helpé", "hel p", "h-e-l-p", "", "hel", "кhelp",
        "he\u{301}lp",
    ]) func `parts of words are no keywords`(text: String) {
        #expect(found(text).isEmpty)
    }

    @Test func `a word is looked for beyond the place where it is part of another`() {
        #expect(found("helpful help") == ["help"])
        #expect(found("helphelp help") == ["help"])
        #expect(found("aab aaab aab", ["aab"]) == ["aab"])
    }

    @Test func `whole phrases, however they are spaced`() {
        for text in [
            "production down", "The PRODUCTION  down!", "production\ndown", "production\u{A0}down",
            "Production\t down.",
        ] {
            #expect(found(text) == ["production down"], "\(text)")
        }
        for text in [
            "production downtime", "preproduction down", "productiondown", "production is down", "down production",
        ] {
            #expect(found(text).isEmpty, "\(text)")
        }
    }

    @Test func `any case in any script, and either spelling of an accent`() {
        let cases: [(keyword: String, text: String)] = [
            ("ÉTÉ", "un été chaud"), ("café", "CAFE\u{301}!"), ("ΒΟΉΘΕΙΑ", "χρειάζομαι βοήθεια"), ("πόνος", "ΠΌΝΟΣ"),
            ("ПОМОЩЬ", "нужна помощь"), ("straße", "STRASSE 5"), ("STRASSE", "die straße"), ("ǅ", "ǆ"), ("ﬁre", "FIRE"),
            ("aide", "l’AIDE"), ("助けて", "今すぐ助けてください"), ("help", "请help一下"), ("ช่วยด้วย", "ใครก็ได้ช่วยด้วยครับ"),
        ]
        for (keyword, text) in cases { #expect(found(text, [keyword]) == [keyword], "\(keyword) in \(text)") }
    }

    @Test func `a mark is no part of a word`() {
        #expect(found("fire!!!", ["!!!"]) == ["!!!"])
        #expect(found("now🚨now", ["🚨"]) == ["🚨"])
        #expect(found("C++ or c", ["c++"]) == ["c++"])
        #expect(found("@anna: look", ["@anna"]) == ["@anna"])
        #expect(found("mail@annabel", ["@anna"]) == [])
    }

    @Test func `nothing is found by an empty keyword`() {
        for keyword in ["", " ", "\n"] { #expect(found("anything  at all", [keyword]) == []) }
    }

    /// The worst there is for a search that begins anew at each place.
    @Test func `a keyword that nearly stands at every place of a long text is not found`() {
        let text = String(repeating: "a", count: 65_536)
        #expect(found(text, Array(repeating: String(repeating: "a", count: 199) + "b", count: 20)) == [])
    }
}
