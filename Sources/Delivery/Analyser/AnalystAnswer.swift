internal import Notices

/// What the analyser says, held against the form that it was asked for.
struct AnalystAnswer: Equatable {
    var shouldNotify: Bool
    var priority: Priority
    var reason: String
    var text: String

    /// Why there is no answer. Holds nothing of what was said.
    struct Problem: Error, Equatable {
        let words: String
    }

    private static let priorities: [Priority] = [.low, .medium, .high]

    /// `response_format`: the server keeps the model to it (`strict`), and it is checked all the same.
    static var form: JSONValue {
        func text(_ what: String) -> JSONValue {
            .object([.init("type", .string("string")), .init("description", .string(what))])
        }
        let fields: [JSONValue.Member] = [
            .init("should_notify", .object([.init("type", .string("boolean"))])),
            .init(
                "priority",
                .object([
                    .init("type", .string("string")), .init("enum", .array(priorities.map { .string($0.name) })),
                ])),
            .init("reason", text("one short sentence")), .init("text", text("what the notification says")),
        ]
        let schema = JSONValue.object([
            .init("type", .string("object")), .init("properties", .object(fields)),
            .init("required", .array(fields.map { .string($0.key) })), .init("additionalProperties", .bool(false)),
        ])
        return .object([
            .init("type", .string("json_schema")),
            .init(
                "json_schema",
                .object([
                    .init("name", .string("notification_decision")), .init("strict", .bool(true)),
                    .init("schema", schema),
                ])),
        ])
    }

    /// - Parameter completion: the body of a chat completion.
    init(completion: JSONValue) throws(Problem) {
        guard let choice = completion["choices"]?.elements?.first, let message = choice["message"] else {
            throw Problem(words: "answered no chat completion")
        }
        guard message["refusal"]?.string == nil else { throw Problem(words: "the model refused to answer") }
        guard choice["finish_reason"]?.string != "length" else {
            throw Problem(words: "the answer was cut off for its length")
        }
        guard let content = message["content"]?.string, let said = JSONValue(parsing: content) else {
            throw Problem(words: "the answer is not the JSON that was asked for")
        }
        try self.init(said)
    }

    private init(_ said: JSONValue) throws(Problem) {
        guard case .object(let members) = said, members.count == 4, let notify = said["should_notify"]?.bool,
            let priority = said["priority"]?.string.flatMap({ Priority(name: $0) }), Self.priorities.contains(priority),
            let reason = said["reason"]?.string, let text = said["text"]?.string
        else { throw Problem(words: "the answer does not fit the schema") }
        // A notice without words is worse than none, and than the fallback's.
        guard !notify || !Plain.isBlank(text) else { throw Problem(words: "the answer has no text to show") }
        guard Text.isAccepted(reason), Text.isAccepted(text) else {
            throw Problem(words: "the answer is longer than a notice can be")
        }
        (shouldNotify, self.priority, self.reason, self.text) = (notify, priority, reason, text)
    }

    func fact(about conversation: String) -> Payload {
        var answered = AnalysisAnswered()
        answered.conversation = Identifier(conversation)
        answered.shouldNotify = shouldNotify
        answered.priority = priority
        answered.reason = Text(reason)
        answered.noticeText = Text(text)
        return .analysisAnswered(answered)
    }
}
