// Where a person is looking, and what passes between people.

package struct AppOpened: Record {
    package static let type = RecordType.fact(29, "app_opened")

    package init() {}
}

package struct AppClosed: Record {
    package static let type = RecordType.fact(30, "app_closed")

    package init() {}
}

package struct ConversationOpened: Record {
    package static let type = RecordType.fact(31, "conversation_opened")

    package var conversation = Identifier.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

package struct ConversationClosed: Record {
    package static let type = RecordType.fact(32, "conversation_closed")

    package var conversation = Identifier.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

package struct MessagesRead: Record {
    package static let type = RecordType.fact(33, "messages_read")

    package var conversation = Identifier.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
    }
}

/// `text` is reduced on arrival to which of the person's keywords it holds, and its length (`A1`).
package struct MessageReceived: Record {
    package static let type = RecordType.fact(34, "message_received")

    package var conversation = Identifier.start
    package var message = Identifier.start
    package var sender: Identifier?
    package var mentionsUser: Bool?
    package var avatar: Token?
    package var messageText: PrivateText?
    package var keywords: [Text] = []
    package var length: Int?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "message", &message)
        try visitor.field(3, "sender", &sender)
        try visitor.field(4, "mentions_user", &mentionsUser)
        try visitor.field(5, "avatar", &avatar)
        try visitor.transient("text", &messageText)
        try visitor.derived(6, "keywords", &keywords)
        try visitor.derived(7, "length", &length)
    }
}

package struct MessageSent: Record {
    package static let type = RecordType.fact(35, "message_sent")

    package var conversation = Identifier.start
    package var message = Identifier.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "conversation", &conversation)
        try visitor.field(2, "message", &message)
    }
}
