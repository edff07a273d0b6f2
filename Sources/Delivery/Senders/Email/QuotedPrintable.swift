/// Text as mail carries it (RFC 2045 §6.7): ASCII, lines of at most 76 characters that end in CR LF.
enum QuotedPrintable {
    private static let lineBytesMax = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Whatever ends lines in the text (LF, CR LF, CR), they end as mail wants it. The last line is ended too.
    static func encode(_ text: String) -> [UInt8] {
        var out: [UInt8] = []
        for line in lines(Array(text.utf8)) {
            encode(line, into: &out)
            out += [0x0D, 0x0A]
        }
        return out
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var (start, place) = (0, 0)
        while place < bytes.count {
            defer { place += 1 }
            guard bytes[place] == 0x0A || bytes[place] == 0x0D else { continue }
            lines.append(bytes[start..<place])
            if bytes[place] == 0x0D, place + 1 < bytes.count, bytes[place + 1] == 0x0A { place += 1 }
            start = place + 1
        }
        if start < bytes.count || lines.isEmpty { lines.append(bytes[start...]) }
        return lines
    }

    private static func encode(_ line: ArraySlice<UInt8>, into out: inout [UInt8]) {
        var width = 0
        for (place, byte) in zip(line.indices, line) {
            let isLast = place == line.endIndex - 1
            let isBlank = byte == 0x20 || byte == 0x09
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || isBlank && !isLast
            let token = isPlain ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            // A line that goes on needs room for the sign that says so.
            if width + token.count > lineBytesMax - (isLast ? 0 : 1) {
                out += [UInt8(ascii: "="), 0x0D, 0x0A]
                width = 0
            }
            out += token
            width += token.count
        }
    }
}
