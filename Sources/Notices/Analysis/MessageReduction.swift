/// `A1`: what is kept of a message. The text itself is never written anywhere.
extension MessageReceived {
    /// The message without its text, but with what was seen in it.
    public func reduced(keywords: [String]) -> MessageReceived {
        guard let text = messageText?.text else { return self }
        var reduced = self
        reduced.messageText = nil
        reduced.length = text.unicodeScalars.count
        let search = KeywordSearch(text)
        reduced.keywords = keywords.filter(search.holds).map { Text($0) }
        return reduced
    }
}

extension Payload {
    /// The priority keywords of a person who has not chosen any (SPEC §3).
    public static let defaultKeywords = ["urgent", "ASAP", "production down", "blocker", "help"]

    /// What of the payload may be recorded.
    public var recordable: Payload {
        guard case .messageReceived(let message) = self else { return self }
        return .messageReceived(message.reduced(keywords: Self.defaultKeywords))
    }
}
