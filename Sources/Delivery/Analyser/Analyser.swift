public import Notices
internal import Synchronization

/// An OpenAI-compatible endpoint that says whether messages are worth a notice (`A4`, `N10`).
///
/// It makes at most the configured number of calls at a time, and as many wait; beyond that the fallback decides at once.
public final class Analyser: Sendable {
    public struct Settings: Sendable, Equatable {
        /// Of `chat/completions`.
        public var url: String
        public var model: String
        public var key: String?
        public var caFile: String?
        public var calls: Int

        public init(url: String, model: String, key: String? = nil, caFile: String? = nil, calls: Int = usualCalls) {
            self.url = url
            self.model = model
            self.key = key
            self.caFile = caFile
            self.calls = calls
        }

        public static let usualCalls = 4
    }

    /// An analyser that is being asked. Whoever lent it does not close it before it is given back.
    public struct Loan: Sendable {
        public let analyser: Analyser
        public let giveBack: @Sendable () -> Void

        public init(_ analyser: Analyser, giveBack: @escaping @Sendable () -> Void) {
            (self.analyser, self.giveBack) = (analyser, giveBack)
        }
    }

    private let settings: Settings
    /// What is shown of it: a path or a query may hold a secret.
    let origin: String
    private let pool: HTTPPool
    private let load = Mutex(Load())

    private struct Load: Sendable {
        /// Under way and waiting.
        var analyses = 0
        var trials = 0
    }

    /// From the question to the last byte of the answer (`A4`).
    private static let patience = HTTPCall.Patience(connectMs: 3000, totalMs: 10_000)
    private static let answerBytesMax = 256 << 10

    /// - Precondition: the URL is one.
    public init(_ settings: Settings) {
        guard let address = HTTPAddress(settings.url) else { preconditionFailure("an analyser without a URL") }
        self.settings = settings
        origin = address.origin
        pool = HTTPPool(concurrency: settings.calls, waitingMax: settings.calls)
    }

    /// Whether a test run (`A7`) may be made now, to be ended later. It never waits for its turn, and half of the calls are left to what
    /// people wait for.
    func beginTrial() -> Bool {
        load.withLock { load in
            guard load.analyses + load.trials < settings.calls, load.trials < max(1, settings.calls / 2) else {
                return false
            }
            load.trials += 1
            return true
        }
    }

    func endTrial() { load.withLock { $0.trials -= 1 } }

    /// Asks about some messages and answers exactly once, on any thread, with the fact to be recorded.
    ///
    /// - Parameters:
    ///   - isTrial: whether it is a test run, which was let in (`beginTrial`).
    ///   - isWanted: is asked when the question's turn comes, which otherwise nobody hears of.
    public func ask(
        about conversation: String, _ messages: [HeardMessage], isTrial: Bool = false,
        isWanted: @escaping @Sendable () -> Bool = { true }, answer: @escaping @Sendable (Payload) -> Void
    ) {
        if !isTrial { load.withLock { $0.analyses += 1 } }
        var headers = [("Content-Type", "application/json"), ("User-Agent", "belfry")]
        if let key = settings.key { headers.append(("Authorization", "Bearer \(key)")) }
        var call = HTTPCall(
            .post, settings.url, headers: headers.map { (name: $0.0, value: $0.1) },
            body: AnalystQuestion(model: settings.model, messages: messages).body, patience: Self.patience,
            answerBytesMax: Self.answerBytesMax)
        call.route = HTTPCall.Route(caFile: settings.caFile)
        call.isWanted = isWanted
        pool.ask(call) { [self] result in
            if !isTrial { load.withLock { $0.analyses -= 1 } }
            do throws(AnalystAnswer.Problem) {
                answer(try Self.read(result).fact(about: conversation))
            } catch {
                answer(Self.failure(about: conversation, error.words))
            }
        }
    }

    private static func read(_ result: Result<HTTPAnswer, HTTPFailure>) throws(AnalystAnswer.Problem) -> AnalystAnswer {
        switch result {
        case .failure(let failure) where failure.status != nil && failure.status != 200:
            throw .init(words: "answered \(failure.status ?? 0)")
        case .failure(let failure) where failure.reason == .busy:
            throw .init(words: "too many questions wait for the analyser")
        case .failure(let failure): throw .init(words: failure.phrase)
        case .success(let said):
            guard said.status == 200 else {
                let words = (300...399).contains(said.status) ? "; redirects are not followed" : ""
                throw .init(words: "answered \(said.status)\(words)")
            }
            let limits = JSONLimits(bytesMax: answerBytesMax, depthMax: 32)
            let document = said.body.withUnsafeBytes { bytes in
                bytes.isEmpty ? nil : (try? JSONTape(limits: limits).parse(bytes)).map { JSONValue($0) }
            }
            guard let document else { throw .init(words: "answered no JSON") }
            return try AnalystAnswer(completion: document)
        }
    }

    /// A fact: the fallback decides at once (`A5`).
    static func failure(about conversation: String, _ reason: String) -> Payload {
        var failed = AnalysisFailed()
        failed.conversation = Identifier(conversation)
        failed.reason = Text(reason)
        return .analysisFailed(failed)
    }

    /// Gives up what is under way; `done` is called when that is over.
    public func close(_ done: @escaping @Sendable () -> Void) { pool.stop(done) }
}

extension HTTPFailure {
    /// Why, without the library's words: those may name the address.
    fileprivate var phrase: String {
        switch reason {
        case .badCall: "the analyser cannot be asked"
        case .cannotFind: "the analyser was not found"
        case .cannotConnect: "the analyser could not be reached"
        case .untrusted: "the analyser could not be trusted"
        case .forbidden: "the analyser is not on the public internet"
        case .timedOut, .tooLate: "no answer within 10 s"
        case .tooLarge: "answered too much"
        case .broken: "the connection broke off"
        case .cancelled: "the worker is stopping"
        case .busy: "too many questions wait for the analyser"
        }
    }
}
