/// Words from outside, made safe to stand in a field that a device, a mail header or a terminal shows.
public enum Plain {
    /// One line: what breaks lines or hides in them becomes a space or goes.
    public static func line(_ text: String) -> String { cleaned(text, keepingLines: false) }

    /// Several lines may stay.
    public static func lines(_ text: String) -> String { cleaned(text, keepingLines: true) }

    /// Whether nothing of it would be seen.
    public static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isDefaultIgnorableCodePoint
            }
        }
    }

    private static func cleaned(_ text: String, keepingLines: Bool) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        // Most texts are put together of nothing else either.
        if text.unicodeScalars.allSatisfy({ meaning(of: $0, keepingLines: keepingLines) == .itself }) { return text }
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch meaning(of: scalar, keepingLines: keepingLines) {
            case .itself: clean.append(scalar)
            case .space: clean.append(" ")
            case .nothing: continue
            }
        }
        return String(clean)
    }

    private enum Meaning { case itself, space, nothing }

    private static func meaning(of scalar: Unicode.Scalar, keepingLines: Bool) -> Meaning {
        switch scalar.value {
        case 0x0A where keepingLines: .itself
        case 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: .space
        // Controls, and the marks that turn the direction of what follows.
        case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: .nothing
        default: .itself
        }
    }

    /// Whether a text has at most so many characters. Of a long one no more are counted.
    static func fits(_ text: String, _ charactersMax: Int) -> Bool {
        // A character is at least one byte.
        text.utf8.count <= charactersMax
            || text.index(text.startIndex, offsetBy: charactersMax + 1, limitedBy: text.endIndex) == nil
    }

    /// At most `charactersMax` characters; one that was cut ends in an ellipsis.
    public static func clipped(_ text: String, to charactersMax: Int, _ ellipsis: String = "…") -> String {
        if fits(text, charactersMax) { return text }
        guard charactersMax > ellipsis.count else { return "" }
        return text.prefix(charactersMax - ellipsis.count).trimmingEnd + ellipsis
    }
}

extension Substring {
    fileprivate var trimmingEnd: String {
        var text = self
        while text.last?.isWhitespace ?? false { text.removeLast() }
        return String(text)
    }
}

extension ChannelSet {
    /// The most that any of them shows.
    var lengthsMax: (title: Int, body: Int) {
        var most = (title: 0, body: 0)
        for channel in Channel.allCases where contains(ChannelSet(channel)) {
            most.title = max(most.title, channel.lengthsMax.title)
            most.body = max(most.body, channel.lengthsMax.body)
        }
        return most
    }
}

extension Channel {
    /// How long a title and a body may be for a channel to show them whole.
    public var lengthsMax: (title: Int, body: Int) {
        switch self {
        case .push, .inApp: (65, 240)
        case .email: (150, 4_000)
        // Together with ": " one message of 160.
        case .sms: (38, 120)
        }
    }
}
