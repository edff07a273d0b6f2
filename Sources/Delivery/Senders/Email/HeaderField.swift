/// One header field of a mail, as RFC 5322 and RFC 2047 have it: ASCII, lines of at most 76 characters, whatever the value.
enum HeaderField {
    /// Words that are only words: a subject.
    static func text(_ name: String, _ value: String) -> String {
        let words = plain(value)
        guard !isASCII(words) || "\(name): \(words)".utf8.count > lineBytesMax || words.contains("=?") else {
            return "\(name): \(words)\r\n"
        }
        return folded(name, encoded(words, after: name.utf8.count + 2))
    }

    /// A person, or whatever sends.
    static func mailbox(_ name: String, _ mailbox: Mailbox) -> String {
        guard let person = mailbox.name else { return "\(name): \(mailbox.address)\r\n" }
        let words =
            isASCII(person)
            ? ["\"" + escaped(plain(person)) + "\""] : encoded(plain(person), after: name.utf8.count + 2)
        return folded(name, words + ["<\(mailbox.address)>"])
    }

    /// What is ASCII already and may be folded at its blanks alone.
    static func token(_ name: String, _ value: String) -> String {
        precondition(isASCII(value), "a header that is not ASCII")
        return folded(name, value.split(separator: " ").map(String.init))
    }

    private static let lineBytesMax = 76
    /// Of an encoded word: 75, of which 12 are `=?UTF-8?B?` and `?=`.
    private static let encodedWordBytesMax = 75
    private static let wrapBytes = 12

    /// A blank for every control character: a line end would begin another header.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { plain.append(Mailbox.isControl(scalar) ? " " : scalar) }
        return String(plain)
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character == "\"" || character == "\\" { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }

    /// RFC 2047: each word is whole characters of UTF-8, in Base64.
    private static func encoded(_ text: String, after taken: Int) -> [String] {
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let room = (encodedWordBytesMax - wrapBytes - (words.isEmpty ? taken : 1)) / 4 * 3
            let next = Array(String(scalar).utf8)
            if bytes.count + next.count > room {
                words.append("=?UTF-8?B?\(Base64.encode(bytes))?=")
                bytes = []
            }
            bytes += next
        }
        return words + ["=?UTF-8?B?\(Base64.encode(bytes))?="]
    }

    private static func folded(_ name: String, _ words: [String]) -> String {
        var field = "\(name):"
        var width = field.utf8.count
        for (place, word) in words.enumerated() {
            if place > 0, width + 1 + word.utf8.count > lineBytesMax {
                field += "\r\n"
                width = 0
            }
            field += " " + word
            width += 1 + word.utf8.count
        }
        return field + "\r\n"
    }
}
