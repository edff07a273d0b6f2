internal import CivilTime

/// The texts of messages until their analysis (`A1`): in memory only, bounded, and forgotten after an hour.
struct MessageMemory {
    struct Conversation: Hashable {
        var user: String
        var name: String
    }

    private struct Kept {
        var messages: [HeardMessage] = []
        var bytes = 0
    }

    private var kept: [Conversation: Kept] = [:]
    private let bytesMax: Int
    private(set) var bytes = 0
    private var sweptAt = Instant.distantPast

    /// An analysis begins when a conversation pauses, or after so many messages; nobody waits for an hour for either.
    private static let hours: Int64 = 1
    /// As many as a policy lets come before an analysis, and no more of them than an analyser reads.
    private static let messagesMax = 50
    private static let conversationBytesMax = 128 << 10

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    mutating func hear(_ message: HeardMessage, in conversation: Conversation, at now: Instant) {
        let size = message.size
        guard size <= Self.conversationBytesMax else { return }
        var one = kept[conversation] ?? Kept()
        bytes -= one.bytes
        one.messages.append(message)
        one.bytes += size
        while one.messages.count > Self.messagesMax || one.bytes > Self.conversationBytesMax {
            one.bytes -= one.messages.removeFirst().size
        }
        bytes += one.bytes
        kept[conversation] = one
        if bytes > bytesMax { makeRoom(at: now) }
    }

    /// What was heard since the last analysis; it is forgotten here.
    mutating func take(_ conversation: Conversation, at now: Instant) -> [HeardMessage] {
        defer { bytes -= kept.removeValue(forKey: conversation)?.bytes ?? 0 }
        return messages(of: conversation, at: now)
    }

    /// What was heard since the last analysis.
    func messages(of conversation: Conversation, at now: Instant) -> [HeardMessage] {
        kept[conversation]?.messages.filter { !Self.isOld($0, at: now) } ?? []
    }

    /// A message that was refused: its text is nobody's.
    mutating func forget(_ message: String, in conversation: Conversation) {
        guard var one = kept[conversation], let place = one.messages.lastIndex(where: { $0.message == message }) else {
            return
        }
        let size = one.messages.remove(at: place).size
        (one.bytes, bytes) = (one.bytes - size, bytes - size)
        kept[conversation] = one.messages.isEmpty ? nil : one
    }

    /// All that somebody was told.
    mutating func forget(_ user: String) {
        for (conversation, one) in kept where conversation.user == user {
            bytes -= one.bytes
            kept[conversation] = nil
        }
    }

    private static func isOld(_ message: HeardMessage, at now: Instant) -> Bool {
        message.at.advanced(byHours: hours) <= now
    }

    /// May be called at every occasion: it looks at all of them once a minute.
    mutating func forgetOld(at now: Instant) {
        guard now >= sweptAt.advanced(byMinutes: 1) || now < sweptAt else { return }
        sweptAt = now
        for (conversation, one) in kept where one.messages.last.map({ Self.isOld($0, at: now) }) ?? true {
            bytes -= one.bytes
            kept[conversation] = nil
        }
    }

    /// The old go first, then whoever wrote last longest ago, until an eighth is free: so that it is not looked for at every
    /// message.
    private mutating func makeRoom(at now: Instant) {
        forgetOld(at: now)
        guard bytes > bytesMax else { return }
        let order = kept.sorted { ($0.value.messages.last?.at ?? now) < ($1.value.messages.last?.at ?? now) }
        for (conversation, one) in order where bytes > bytesMax - bytesMax / 8 {
            bytes -= one.bytes
            kept[conversation] = nil
        }
    }
}

extension HeardMessage {
    /// About what it takes to keep.
    fileprivate var size: Int { text.utf8.count + message.utf8.count + (sender?.utf8.count ?? 0) + 96 }
}
