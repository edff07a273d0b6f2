public import CivilTime
public import Notices
internal import Dispatch
internal import Synchronization

/// Where the texts of messages wait for their analysis, and where it is asked for (`N10`).
///
/// ```
/// message_received ─> hear        analysis_requested, durable ─> ask ─> analyser ─> analysis_answered | analysis_failed
///                       └──────────────── texts, in memory ──────┘
/// ```
///
/// Safe to share: the texts are under a lock.
public final class AnalystDesk: Sendable {
    private let analyser: @Sendable () -> Analyser?
    private let memory: Mutex<MessageMemory>
    /// To put a conversation into words takes a while, and whoever wants an analysis must not wait.
    private let queue = DispatchQueue(label: "belfry.analyst")
    private let clock: @Sendable () -> Instant

    /// What all texts take at most.
    public static let usualBytesMax = 16 << 20

    /// - Parameter analyser: who is asked, by the document in force; `nil` where an app answers itself, or nobody does.
    public init(
        _ analyser: @escaping @Sendable () -> Analyser?, bytesMax: Int = usualBytesMax,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.analyser = analyser
        self.clock = clock
        memory = Mutex(MessageMemory(bytesMax: bytesMax))
    }

    /// Whether there is one to ask, by the document in force.
    public var hasAnalyser: Bool { analyser() != nil }

    /// Forgets the texts that somebody was sent.
    public func erase(_ user: String) { memory.withLock { $0.forget(user) } }

    /// A fact that is about to be recorded: the text of a message is kept, and what was read is forgotten.
    public func hear(_ fact: Payload, about user: String) {
        let now = clock()
        switch fact {
        case .messageReceived(let message):
            guard let text = message.messageText?.text, !text.isEmpty, analyser() != nil else { return }
            let heard = HeardMessage(
                message: message.message.text, sender: message.sender?.text, text: text,
                mentionsUser: message.mentionsUser ?? false, at: now)
            memory.withLock { $0.hear(heard, in: .init(user: user, name: message.conversation.text), at: now) }
        case .messagesRead(let read):
            _ = memory.withLock { $0.take(.init(user: user, name: read.conversation.text), at: now) }
        default: break
        }
    }

    /// A fact that was heard and then not recorded: it was refused, or is in the log already.
    public func unhear(_ fact: Payload, about user: String) {
        guard case .messageReceived(let message) = fact else { return }
        memory.withLock { $0.forget(message.message.text, in: .init(user: user, name: message.conversation.text)) }
    }

    /// An analysis is wanted. Answers once, on any thread, with the fact to record, and the texts are forgotten. Where there is
    /// no analyser nobody answers here: an app may.
    public func ask(about conversation: String, of user: String, answer: @escaping @Sendable (Payload) -> Void) {
        guard let analyser = analyser() else { return }
        queue.async { [self] in
            let now = clock()
            let messages = memory.withLock { memory in
                memory.forgetOld(at: now)
                return memory.take(.init(user: user, name: conversation), at: now)
            }
            guard !messages.isEmpty else {
                return answer(Analyser.failure(about: conversation, "the texts are no longer in memory"))
            }
            analyser.ask(about: conversation, messages, answer: answer)
        }
    }

    /// What the analyser would say of what was last written in a conversation (`A7`): nothing is recorded, and the texts stay
    /// for their analysis. Answers once, on any thread.
    public func tryOut(
        _ conversation: String, of user: String,
        answer: @escaping @Sendable (Result<AnalysisTrial.Outcome, AnalysisTrial.Failure>) -> Void
    ) {
        guard let analyser = analyser() else { return answer(.failure(.unavailable)) }
        queue.async { [self] in
            let now = clock()
            let messages = memory.withLock { $0.messages(of: .init(user: user, name: conversation), at: now) }
            // Their texts were analysed already, or nobody wrote within the hour.
            guard !messages.isEmpty else { return answer(.failure(.noConversation)) }
            analyser.ask(about: conversation, messages) { fact in
                var answered: AnalysisAnswered?
                if case .analysisAnswered(let said) = fact { answered = said }
                answer(Result { () throws(AnalysisTrial.Failure) in try AnalysisTrial.outcome(answered) })
            }
        }
    }

    /// How much the texts take now.
    public var bytes: Int { memory.withLock { $0.bytes } }
}
