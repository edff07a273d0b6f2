/// Text as it is shown to whoever looks at a terminal or a log: what would steer the terminal, turn the direction of what
/// follows, or not be seen at all is written as an escape.
///
/// Everything that prints goes through here on its way out (see the command line's `DECISIONS.md`), so nobody who makes a
/// sentence has to think of it. Text that people are sent is another matter: `Plain` takes such characters out of it.
public enum Visible {
    /// One line: what would end it is escaped too.
    public static func line(_ text: String) -> String { shown(text, keepingLines: false) }

    /// Lines stay lines, and tabs tabs.
    public static func lines(_ text: String) -> String { shown(text, keepingLines: true) }

    /// Lines of JSON: the same value in JSON's own escapes, so that no reader of JSON can tell the difference.
    ///
    /// In JSON such a character stands in a string or nowhere; the line ends between values stay.
    public static func appendJSON(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        guard !isPlain(bytes), holdsHidden(bytes) else { return buffer.append(bytes) }
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.isHidden, scalar.value >= 0x20 {
                for unit in String(scalar).utf16 { buffer.append("\\u" + hex(unit, digits: 4)) }
            } else {
                buffer.append(String(scalar))
            }
        }
    }

    private static func shown(_ text: String, keepingLines: Bool) -> String {
        var text = text
        let isAsItIs = text.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
        if isAsItIs, keepingLines || !text.utf8.contains(0x0A) { return text }
        var shown = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        let scalars = text.unicodeScalars
        for place in scalars.indices {
            let scalar = scalars[place]
            defer { before = scalar }
            if keepingLines, scalar == "\n" || scalar == "\t" {
                shown.append(scalar)
            } else if scalar.isJoiner, joins(before), joins(scalars[scalars.index(after: place)...].first) {
                shown.append(scalar)
            } else if scalar.isHidden {
                shown.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// A joiner belongs between letters of Persian or of India, or between emoji; beside anything else it only hides.
    private static func joins(_ neighbour: Unicode.Scalar?) -> Bool {
        guard let neighbour else { return false }
        return !neighbour.isASCII && !neighbour.isHidden
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + hex(scalar.value, digits: 2) + "}"
        }
    }

    private static func hex(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Whether there is nothing but printable ASCII and line ends, as nearly always. One pass without a branch a byte.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isOdd: UInt8 = 0
        for byte in bytes { isOdd |= (byte &- 0x20 > 0x5E ? 1 : 0) & (byte == 0x0A ? 0 : 1) }
        return isOdd == 0
    }

    private static func holdsHidden(_ bytes: UnsafeRawBufferPointer) -> Bool {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.contains { $0.isHidden && $0.value >= 0x20 }
    }
}

extension Unicode.Scalar {
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Controls, marks of direction, separators of lines, and what Unicode lets a reader ignore
    /// (`Default_Ignorable_Code_Point`) but the variation selectors that follow many emoji.
    fileprivate var isHidden: Bool {
        switch value {
        case 0x20...0x7E: false
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E: true
        case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB: true
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        default: false
        }
    }
}
