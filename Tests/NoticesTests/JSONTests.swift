import Foundation
import Notices
import Testing

@Suite("JSON as it is read")
struct JSONReadingTests {
    @Test(arguments: JSONCases.accepted) func `what RFC 8259 allows is accepted`(text: String) throws {
        let node = try JSONTape().parse(text)
        // Written compactly it says the same.
        let compact = JSONDocument(node).text
        #expect(JSONDocument(try JSONTape().parse(compact)).text == compact)
        // Foundation knows no numbers beyond those of a Double.
        if text.contains("1e400") { return }
        let before = try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) as? NSArray
        let after = try JSONSerialization.jsonObject(with: Data("[\(compact)]".utf8)) as? NSArray
        #expect(before == after, "\(text) became \(compact)")
    }

    @Test(arguments: JSONCases.refused) func `what it does not allow is refused`(text: String, problem: String) {
        let error = #expect(throws: JSONError.self) { try JSONTape().parse(text) }
        if let error, !problem.isEmpty { #expect(error.problem.contains(problem), "\(text)") }
        if let error { #expect((1...text.utf8.count + 1).contains(error.column), "\(text): \(error)") }
    }

    @Test(arguments: JSONCases.notUTF8) func `what is not UTF-8 is refused`(name: String, bytes: [UInt8]) throws {
        let tape = JSONTape()
        for (before, after) in [
            ("\"", "\""), ("\"ab", "cd\""), ("{\"", "\":1}"), ("", ""), ("[1", "]"), ("\"\\n", "\""),
        ] {
            let text = Array(before.utf8) + bytes + Array(after.utf8)
            let error = #expect(throws: JSONError.self, "\(name)") { try text.withUnsafeBytes { try tape.parse($0) } }
            if before.hasSuffix("\"") || before.hasSuffix("b") {
                #expect(error?.problem == "not valid UTF-8")
                #expect(error?.column == before.utf8.count + 1)
            }
        }
        // Cut off by the end of the text it reads no further.
        let cut = [UInt8(ascii: "\"")] + bytes
        #expect(throws: JSONError.self) { try cut.withUnsafeBytes { try tape.parse($0) } }
    }

    @Test func `every scalar value is read and written back`() throws {
        let tape = JSONTape()
        let scalars: [ClosedRange<UInt32>] = [
            0x1...0x7FF, 0xFFF...0x1001, 0xD7F0...0xD7FF, 0xE000...0xE010,
            0xFFF0...0x1_0010, 0x1F500...0x1F520, 0x10_FFF0...0x10_FFFF,
        ]
        for value in scalars.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            let text = String(scalar)
            var written = ByteBuffer()
            written.appendJSONString(text)
            #expect(try tape.parse(written.text).string?.unicodeScalars.elementsEqual([scalar]) == true)
            let escaped = "\"\(text.escaped)\""
            #expect(try tape.parse(escaped).string?.unicodeScalars.elementsEqual([scalar]) == true, "\(escaped)")
        }
    }

    @Test(arguments: [2, 3, 16, 17, 18, 1000]) func `a key twice in an object is refused`(count: Int) throws {
        let tape = JSONTape()
        func object(_ keys: [String]) -> String { "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
        let keys = (0..<count).map { "key\($0)" }
        #expect(try tape.parse(object(keys)).count == count)
        for (first, second) in [(0, count - 1), (count - 2, count - 1), (0, 1)] {
            var repeated = keys
            repeated[second] = keys[first]
            #expect(throws: JSONError.self) { try tape.parse(object(repeated)) }
            repeated[second] = keys[first].replacingOccurrences(of: "k", with: "\\u006b")
            let error = #expect(throws: JSONError.self) { try tape.parse(object(repeated)) }
            #expect(error?.problem == "the key \"\(keys[first])\" stands twice in one object")
            #expect(error.map { object(repeated).utf8.prefix($0.column - 1).last } == UInt8(ascii: "\""))
            // Nested, and in a list.
            #expect(throws: JSONError.self) { try tape.parse("[{\"a\":\(object(repeated))}]") }
        }
    }

    @Test(arguments: [2, 17]) func `keys are told apart by their code points`(count: Int) throws {
        // Canonically equivalent, and different all the same: RFC 8259 compares code units.
        for (one, other) in [("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{AC00}", "\u{1100}\u{1161}")] {
            for (left, right) in [(one, other), (one.escaped, other), (one.escaped, other.escaped)] {
                let rest = (2..<count).map { ",\"\($0)\":0" }.joined()
                let text = "{\"\(left)\":1,\"\(right)\":2\(rest)}"
                let node = try JSONTape().parse(text)
                #expect(node[one]?.integer == 1, "\(text)")
                #expect(node[other]?.integer == 2, "\(text)")
            }
        }
    }

    @Test func `depth is limited`() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            #expect(throws: Never.self) { try JSONTape().parse(nested(32)) }
            let error = #expect(throws: JSONError.self) { try JSONTape().parse(nested(33)) }
            #expect(error?.problem == "nested deeper than 32 levels")
            #expect(throws: Never.self) { try JSONTape(limits: JSONLimits(depthMax: 100)).parse(nested(100)) }
            #expect(throws: JSONError.self) { try JSONTape().parse(String(repeating: open, count: 100_000)) }
        }
        // Side by side is not nested.
        let wide = "[" + Array(repeating: "[]", count: 10_000).joined(separator: ",") + "]"
        #expect(try JSONTape().parse(wide).count == 10_000)
    }

    @Test func `size is limited`() throws {
        let tape = JSONTape(limits: JSONLimits(bytesMax: 10))
        #expect(try tape.parse("\"12345678\"").string == "12345678")
        let error = #expect(throws: JSONError.self) { try tape.parse("\"123456789\"") }
        #expect(error?.description == "column 11: longer than 10 bytes")
        let million = "\"" + String(repeating: "a", count: (1 << 20) - 2) + "\""
        #expect(try JSONTape().parse(million).string?.utf8.count == (1 << 20) - 2)
        #expect(throws: JSONError.self) { try JSONTape().parse(million + " ") }
    }

    @Test func `a tape is used again after a mistake`() throws {
        let tape = JSONTape()
        for text in ["{\"a\":[1,{", "[[[[", "\"", "{\"a\":1,\"a\":2}"] {
            #expect(throws: JSONError.self) { try tape.parse(text) }
            let node = try tape.parse("{\"a\":[1,2]}")
            #expect(node["a"]?.elements.map(\.integer) == [1, 2])
        }
    }
}

extension String {
    /// Written with `\u` escapes only.
    fileprivate var escaped: String { utf16.map { "\\u" + String(65_536 + Int($0), radix: 16).dropFirst() }.joined() }
}

@Suite("JSON values")
struct JSONValueTests {
    @Test func `whole numbers`() throws {
        let cases: [(String, Int?)] = [
            ("0", 0), ("-0", 0), ("1", 1), ("-1", -1), ("9223372036854775807", .max), ("9223372036854775808", nil),
            ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("3.0", nil), ("3.5", nil), ("1e2", nil),
            ("1E0", nil), ("1e400", nil), ("-0.0", nil), ("123456789012345678901234567890", nil), ("\"1\"", nil),
            ("true", nil), ("null", nil), ("[1]", nil),
        ]
        for (text, value) in cases { #expect(try JSONTape().parse(text).integer == value, "\(text)") }
    }

    @Test func `a leading zero is called by its name`() {
        for text in ["01", "-01", "[00]", "007.5"] {
            let error = #expect(throws: JSONError.self) { try JSONTape().parse(text) }
            #expect(error?.problem == "a number may not begin with 0")
        }
    }

    @Test func `a number has at most 64 characters`() throws {
        let digits = String(repeating: "1", count: 64)
        #expect(try JSONTape().parse(digits).integer == nil)
        #expect(throws: JSONError.self) { try JSONTape().parse(digits + "1") }
        #expect(throws: JSONError.self) { try JSONTape().parse("-" + digits) }
    }

    @Test func `values keep to their own type`() throws {
        let node = try JSONTape().parse(#"{"s":"x","n":1,"t":true,"f":false,"z":null,"o":{"k":2},"l":[1,"a"]}"#)
        #expect(node.count == 7)
        #expect(node.members.map(\.key) == ["s", "n", "t", "f", "z", "o", "l"])
        #expect(node.members.map(\.value.string) == ["x", nil, nil, nil, nil, nil, nil])
        #expect(node.members.map(\.value.bool) == [nil, nil, true, false, nil, nil, nil])
        #expect(node.members.map(\.value.isNull) == [false, false, false, false, true, false, false])
        #expect(node.members.map(\.value.isObject) == [false, false, false, false, false, true, false])
        #expect(node.members.map(\.value.isArray) == [false, false, false, false, false, false, true])
        #expect(node["o"]?["k"]?.integer == 2)
        #expect(node["l"]?.elements.map(\.shown) == ["1", "\"a\""])
        #expect(node["missing"] == nil && node["s"]?["x"] == nil && node["l"]?["0"] == nil)
        #expect(node["s"]?.elements.map(\.shown) == [] && node["o"]?.elements.map(\.shown) == [])
        #expect(node["l"]?.members.map(\.key) == [])
        #expect(node.member("n")?.integer == 1)
    }

    @Test func `long and unprintable texts are shown short and on one line`() throws {
        let long = try JSONTape().parse("\"\(String(repeating: "é", count: 50))\"").shown
        #expect(long == "\"" + String(repeating: "é", count: 40) + "…\"")
        #expect(
            try JSONTape().parse(#""a\n\u0007\u007f\u0085\u2028b""#).shown
                == #""a\n\u{07}\u{7f}\u{85}\u{2028}b""#)
    }

    @Test func `compact form keeps order and numbers, and spells strings one way`() throws {
        let text =
            #" { "b" : [ 1.50 , -0 , 1E+2 ] , "a" : { "\u0062" : "\/\u00e9\u000a\u0001\u001f\b\f\r\t\"\\" } , "" : null } "#
        let compact = #"{"b":[1.50,-0,1E+2],"a":{"b":"/é\n\u0001\u001f\b\f\r\t\"\\"},"":null}"#
        #expect(JSONDocument(try JSONTape().parse(text)).text == compact)
    }
}
