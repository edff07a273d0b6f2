/// `A1`: what is kept of a message. The text itself is never written anywhere.
extension MessageReceived {
    /// The message without its text, but with what was seen in it.
    package func reduced(keywords: [String]) -> MessageReceived {
        guard let text = messageText?.text else { return self }
        var reduced = self
        reduced.messageText = nil
        reduced.length = text.unicodeScalars.count
        reduced.keywords = keywords.filter { Keyword($0).isIn(text) }.map { Text($0) }
        return reduced
    }
}

extension Payload {
    /// The priority keywords of a person who has not chosen any (SPEC §3).
    package static let defaultKeywords = ["urgent", "ASAP", "production down", "blocker", "help"]

    /// What of the payload may be recorded.
    package var recordable: Payload {
        guard case .messageReceived(let message) = self else { return self }
        return .messageReceived(message.reduced(keywords: Self.defaultKeywords))
    }
}

/// A word or phrase that is looked for whole and in any case: "help" is not in "helpful".
struct Keyword {
    private let folded: [Character]

    init(_ text: String) { folded = Array(text.lowercased()) }

    func isIn(_ text: String) -> Bool {
        guard !folded.isEmpty else { return false }
        let characters = Array(text.lowercased())
        guard characters.count >= folded.count else { return false }
        for start in 0...(characters.count - folded.count) where characters[start] == folded[0] {
            let end = start + folded.count
            guard characters[start..<end].elementsEqual(folded) else { continue }
            let isBounded =
                (start == 0 || !Self.isWordPart(characters[start - 1]))
                && (end == characters.count || !Self.isWordPart(characters[end]))
            if isBounded { return true }
        }
        return false
    }

    private static func isWordPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
