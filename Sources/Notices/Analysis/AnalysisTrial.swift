/// `A7`: a test run, to see what the analyser would say of the latest conversation. It records nothing and sends nothing.
public enum AnalysisTrial {
    /// What stands in the way of a test, in words for the person.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case noConversation
        case unavailable

        public var description: String {
            switch self {
            case .noConversation: "no recent conversations to test"
            case .unavailable: "AI temporarily unavailable"
            }
        }
    }

    /// What the analyser would do with it.
    public struct Outcome: Equatable, Sendable {
        public var conversation: String
        public var notifies: Bool
        public var priority: Priority
        public var reason: String
        public var text: String
        public let note = "This is a test: nothing was sent."
    }

    /// - Parameter answer: what the analyser said; `nil` where it failed or took too long.
    public static func outcome(_ answer: AnalysisAnswered?) throws(Failure) -> Outcome {
        guard let answer else { throw .unavailable }
        return Outcome(
            conversation: answer.conversation.text, notifies: answer.shouldNotify, priority: answer.asked,
            reason: Plain.line(answer.reason.text), text: Plain.lines(answer.noticeText.text))
    }
}

extension AnalysisAnswered {
    /// An analyser may call a message pressing; nothing it says breaks into quiet hours as a payment would.
    var asked: Priority { priority == .critical ? .high : priority }
}
