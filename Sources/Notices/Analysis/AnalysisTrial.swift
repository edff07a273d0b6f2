/// `A7`: a test run, to see what the analyser would say of the latest conversation. It records nothing and sends nothing.
package enum AnalysisTrial {
    /// What stands in the way of a test, in words for the person.
    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case noConversation
        case unavailable

        package var description: String {
            switch self {
            case .noConversation: "no recent conversations to test"
            case .unavailable: "AI temporarily unavailable"
            }
        }
    }

    /// What the analyser would do with it.
    package struct Outcome: Equatable, Sendable {
        package var conversation: String
        package var notifies: Bool
        package var priority: Priority
        package var reason: String
        package var text: String
        package let note = "This is a test: nothing was sent."
    }

    /// The conversation to ask the analyser about.
    package static func conversation(of person: Person) throws(Failure) -> String {
        guard let latest = person.details.analyses.lastConversation else { throw .noConversation }
        return latest
    }

    /// - Parameter answer: what the analyser said; `nil` where it failed or took too long.
    package static func outcome(_ answer: AnalysisAnswered?) throws(Failure) -> Outcome {
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
