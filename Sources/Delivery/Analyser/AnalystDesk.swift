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
    private let lend: @Sendable () -> Analyser.Loan?
    private let contents: Mutex<Contents>
    /// To put a conversation into words takes a while, and whoever wants an analysis must not wait.
    private let queue = DispatchQueue(label: "belfry.analyst")
    private let clock: @Sendable () -> Instant
    /// What came of the last test run, and of which analyser: another document may have another.
    private let trial = Mutex<(of: Analyser, hasAnswered: Bool)?>(nil)
    /// Why it did not answer the last question, if it did not.
    private let problem = Mutex<String?>(nil)
    private let log: @Sendable (Courier.LogLevel, String, [(String, String)]) -> Void
    /// What it has answered since the start, as senders are counted.
    public let figures = CarrierFigures()

    private static let label = "analyser"

    private struct Contents: Sendable {
        var memory: MessageMemory
        /// About whom each question is that is not answered yet.
        var asked: [UInt64: String] = [:]
        var lastQuestion: UInt64 = 0
        /// For whom a test run is under way (`A7`).
        var trying: Set<String> = []

        mutating func ask(about user: String) -> UInt64 {
            lastQuestion += 1
            asked[lastQuestion] = user
            return lastQuestion
        }
    }

    /// What all texts take at most.
    public static let usualBytesMax = 16 << 20

    /// - Parameter lend: who is asked, by the document in force; `nil` where an app answers itself, or nobody does.
    public init(
        _ lend: @escaping @Sendable () -> Analyser.Loan?, bytesMax: Int = usualBytesMax,
        clock: @escaping @Sendable () -> Instant,
        log: @escaping @Sendable (Courier.LogLevel, String, [(String, String)]) -> Void = { _, _, _ in }
    ) {
        self.lend = lend
        self.clock = clock
        self.log = log
        contents = Mutex(Contents(memory: MessageMemory(bytesMax: bytesMax)))
    }

    /// Who would be asked now.
    private var analyser: Analyser? {
        guard let loan = lend() else { return nil }
        loan.giveBack()
        return loan.analyser
    }

    /// What is known of it beside the log (`A4`).
    public var here: AnalyserHere {
        guard let analyser else { return AnalyserHere(isThere: false) }
        let known = trial.withLock { trial in trial.flatMap { $0.of === analyser ? $0.hasAnswered : nil } }
        return AnalyserHere(isThere: true, lastTrial: known.map { $0 ? .answered : .failed } ?? .none)
    }

    /// What an analyser said to a test run, or to an analysis after one.
    private func note(_ fact: Payload, of analyser: Analyser, isTrial: Bool) {
        guard case .analysisAnswered = fact else {
            if isTrial { trial.withLock { $0 = (analyser, false) } }
            return
        }
        trial.withLock { trial in if isTrial || trial != nil { trial = (analyser, true) } }
    }

    /// How it stands, for those who look after the senders; `nil` where there is none.
    public var standing: CarrierStanding? {
        guard analyser != nil else { return nil }
        return CarrierStanding(
            name: Self.label, waiting: contents.withLock { $0.asked.count }, isBroken: false,
            problem: problem.withLock { $0 })
    }

    /// That it does not answer is said once, and once that it does again.
    private func count(_ fact: Payload, took: Duration) {
        var why: String?
        if case .analysisFailed(let failure) = fact { why = failure.reason.text }
        figures.count(Self.label, why.map { .transient(reason: $0) } ?? .taken(providerID: nil), took: took)
        let before = problem.withLock { problem in
            defer { problem = why }
            return problem
        }
        if before == nil, let why { log(.warning, "an analysis failed, and the fallback decides: \(why)", []) }
        if before != nil, why == nil { log(.info, "the analyser answers again", []) }
    }

    /// Forgets the texts that somebody was sent (`E1`). What waits for its turn is not asked; what was asked is answered to nobody,
    /// since somebody else may have the id by then (`E4`).
    public func erase(_ user: String) {
        contents.withLock { contents in
            contents.memory.forget(user)
            contents.asked = contents.asked.filter { $0.value != user }
        }
    }

    /// A fact that is about to be recorded: the text of a message is kept, and what was read is forgotten.
    public func hear(_ fact: Payload, about user: String) {
        let now = clock()
        switch fact {
        case .messageReceived(let message):
            guard let text = message.messageText?.text, !text.isEmpty, analyser != nil else { return }
            let heard = HeardMessage(
                message: message.message.text, sender: message.sender?.text, text: text,
                mentionsUser: message.mentionsUser ?? false, at: now)
            contents.withLock { $0.memory.hear(heard, in: .init(user: user, name: message.conversation.text), at: now) }
        case .messagesRead(let read):
            _ = contents.withLock { $0.memory.take(.init(user: user, name: read.conversation.text), at: now) }
        default: break
        }
    }

    /// A fact that was heard and then not recorded: it was refused, or is in the log already.
    public func unhear(_ fact: Payload, about user: String) {
        guard case .messageReceived(let message) = fact else { return }
        let conversation = MessageMemory.Conversation(user: user, name: message.conversation.text)
        contents.withLock { $0.memory.forget(message.message.text, in: conversation) }
    }

    /// An analysis is wanted. Answers once, on any thread, with the fact to record, and the texts are forgotten. Where there is
    /// no analyser nobody answers here: an app may. About somebody who is erased meanwhile nothing is answered.
    public func ask(about conversation: String, of user: String, answer: @escaping @Sendable (Payload) -> Void) {
        guard let loan = lend() else { return }
        let question = contents.withLock { $0.ask(about: user) }
        queue.async { [self] in
            let now = clock()
            let messages = contents.withLock { contents in
                contents.memory.forgetOld(at: now)
                return isOpen(question, contents)
                    ? contents.memory.take(.init(user: user, name: conversation), at: now) : []
            }
            guard !messages.isEmpty else {
                loan.giveBack()
                guard close(question) else { return }
                return answer(Analyser.failure(about: conversation, "the texts are no longer in memory"))
            }
            let begun = ContinuousClock.now
            loan.analyser.ask(about: conversation, messages, isWanted: { self.isOpen(question) }) { fact in
                defer { loan.giveBack() }
                guard self.close(question) else { return }
                self.count(fact, took: ContinuousClock.now - begun)
                self.note(fact, of: loan.analyser, isTrial: false)
                answer(fact)
            }
        }
    }

    /// What the analyser would say of what was last written in a conversation (`A7`): nothing is recorded, and the texts stay
    /// for their analysis. Answers once, on any thread. It is not made beside another of the same person, nor where it would have to
    /// wait for its turn.
    public func tryOut(
        _ conversation: String, of user: String,
        answer: @escaping @Sendable (Result<AnalysisTrial.Outcome, AnalysisTrial.Failure>) -> Void
    ) {
        guard let loan = lend() else { return answer(.failure(.unavailable)) }
        let isAlone = contents.withLock { $0.trying.insert(user).inserted }
        guard isAlone, loan.analyser.beginTrial() else {
            if isAlone { _ = contents.withLock { $0.trying.remove(user) } }
            loan.giveBack()
            return answer(.failure(.unavailable))
        }
        tryOut(conversation, of: user, with: loan) { [self] outcome in
            loan.analyser.endTrial()
            _ = contents.withLock { $0.trying.remove(user) }
            loan.giveBack()
            answer(outcome)
        }
    }

    private func tryOut(
        _ conversation: String, of user: String, with loan: Analyser.Loan,
        answer: @escaping @Sendable (Result<AnalysisTrial.Outcome, AnalysisTrial.Failure>) -> Void
    ) {
        let question = contents.withLock { $0.ask(about: user) }
        queue.async { [self] in
            let now = clock()
            let messages = contents.withLock { contents in
                isOpen(question, contents)
                    ? contents.memory.messages(of: .init(user: user, name: conversation), at: now) : []
            }
            // Their texts were analysed already, or nobody wrote within the hour.
            guard !messages.isEmpty else {
                _ = close(question)
                return answer(.failure(.noConversation))
            }
            loan.analyser.ask(about: conversation, messages, isTrial: true, isWanted: { self.isOpen(question) }) {
                fact in
                guard self.close(question) else { return answer(.failure(.noConversation)) }
                self.note(fact, of: loan.analyser, isTrial: true)
                var answered: AnalysisAnswered?
                if case .analysisAnswered(let said) = fact { answered = said }
                answer(Result { () throws(AnalysisTrial.Failure) in try AnalysisTrial.outcome(answered) })
            }
        }
    }

    /// How much the texts take now.
    public var bytes: Int { contents.withLock { $0.memory.bytes } }

    private func isOpen(_ question: UInt64) -> Bool { contents.withLock { isOpen(question, $0) } }

    private func isOpen(_ question: UInt64, _ contents: borrowing Contents) -> Bool { contents.asked[question] != nil }

    /// Whether it was still to be answered.
    private func close(_ question: UInt64) -> Bool {
        contents.withLock { $0.asked.removeValue(forKey: question) != nil }
    }
}
