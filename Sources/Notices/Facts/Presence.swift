// Where a person is looking, and what passes between people.

public struct AppOpened: Record {
    public static let type = RecordType.fact(29, "app_opened")

    public init() {}
}

public struct AppClosed: Record {
    public static let type = RecordType.fact(30, "app_closed")

    public init() {}
}

public struct ConversationOpened: Record {
    public static let type = RecordType.fact(31, "conversation_opened")

    public var conversation = Identifier.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

public struct ConversationClosed: Record {
    public static let type = RecordType.fact(32, "conversation_closed")

    public var conversation = Identifier.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

public struct MessagesRead: Record {
    public static let type = RecordType.fact(33, "messages_read")

    public var conversation = Identifier.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

/// `text` is reduced on arrival to which of the person's keywords it holds, and its length (`A1`).
public struct MessageReceived: Record {
    public static let type = RecordType.fact(34, "message_received")

    public var conversation = Identifier.start
    public var message = Identifier.start
    public var sender: Identifier?
    public var mentionsUser: Bool?
    public var avatar: Token?
    public var messageText: PrivateText?
    public var keywords: [Text] = []
    public var length: Int?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "message", &message)
        try visitor.sealed(3, "sender", &sender)
        try visitor.field(4, "mentions_user", &mentionsUser)
        try visitor.sealed(5, "avatar", &avatar)
        try visitor.transient("text", &messageText)
        try visitor.sealed(6, "keywords", &keywords, .derived)
        try visitor.derived(7, "length", &length)
    }
}

public struct MessageSent: Record {
    public static let type = RecordType.fact(35, "message_sent")

    public var conversation = Identifier.start
    public var message = Identifier.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "message", &message)
    }
}
