import Notices
import Testing

/// What others wrote is shown so that it steers no terminal, turns no line around and hides nothing.
@Suite("Visible")
struct VisibleTests {
    private func json(_ text: String) -> String {
        var text = text
        var shown = ByteBuffer()
        text.withUTF8 { Visible.appendJSON(UnsafeRawBufferPointer($0), to: &shown) }
        return shown.text
    }

    private static let hidden: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E,
        0x2060...0x206F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0001...0xE0001, 0xE0020...0xE007F,
    ]

    @Test func `controls, marks of direction and what is not seen are escaped, between any letters`() throws {
        for value in Self.hidden.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            // A joiner between letters that can be joined is a letter's own.
            for (before, after) in [("a", "b"), ("", ""), ("é", "b"), ("a", "é")] {
                let shown = Visible.line(before + String(scalar) + after)
                #expect(shown.unicodeScalars.contains(scalar) == false, "\(value)")
                #expect(shown.hasPrefix(before + "\\") && shown.hasSuffix(after), "\(shown)")
            }
        }
    }

    @Test(arguments: [
        ("two\nlines\r\n", #"two\nlines\r\n"#), ("tab\there", #"tab\there"#),
        ("escape\u{1B}[31m", #"escape\u{1b}[31m"#),
        ("\u{9B}2J", #"\u{9b}2J"#), ("turned\u{202E}around", #"turned\u{202e}around"#), ("\u{7F}", #"\u{7f}"#),
        ("pay\u{200D}pal", #"pay\u{200d}pal"#), ("\u{E0041}", #"\u{e0041}"#),
    ])
    func `an escape names what it stands for`(text: String, expected: String) {
        #expect(Visible.line(text) == expected)
    }

    @Test(arguments: [
        "", "plain", "Prêt ? 日本", "👩‍👩‍👧 and ❤️", "می‌خواهم", "क्‍ष", "“quoted” – ½", "a \\n that was typed",
        "שלום", "e\u{301}",
    ])
    func `what people write stays as they wrote it`(text: String) {
        #expect(Visible.line(text) == text)
        #expect(Visible.lines(text) == text)
    }

    @Test func `a document keeps its lines and tabs, and nothing else`() {
        #expect(Visible.lines("{\n\t1\r\n\u{1B}\u{202E}") == #"{\#n\#t1\r\#n\u{1b}\u{202e}"#)
    }

    @Test func `JSON stays the same value, in bytes that steer nothing`() throws {
        for value in Self.hidden.joined() where value >= 0x20 {
            let scalar = try #require(Unicode.Scalar(value))
            let text = "{\"a\(scalar)\":[\"x\(scalar)y\"]}"
            let shown = json(text)
            #expect(shown.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(value)")
            #expect(JSONValue(parsing: shown) == JSONValue(parsing: text), "\(value)")
        }
        #expect(json("{\"a\":\"\u{E0041}\"}\n") == "{\"a\":\"\\udb40\\udc41\"}\n")
        for text in [#"{"a":"Prêt ? 日本 👩"}"#, "{\"a\":1}\n{\"b\":2}\n", ""] { #expect(json(text) == text) }
    }
}
