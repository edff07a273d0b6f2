public import CivilTime
public import Notices

/// What a person may say of themselves.
public struct PersonService: Sendable {
    /// What is wrong with a zone's name; `nil` for one that the tz database has (`G6`).
    public var zoneProblem: @Sendable (String) -> String?
    public var append: @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void
    /// Hears how many facts were refused before they came to anybody, by type.
    public var refused: @Sendable ([String: Int]) -> Void
    /// What the worker has of somebody at hand; `nil` for whom it does not know. Asked behind what was appended before.
    public var card: @Sendable (String, @escaping @Sendable (Result<PersonCard?, Inability>) -> Void) -> Void
    /// What the analyser would say of the person's latest conversation (`A7`).
    public var tryAnalysis: @Sendable (String, @escaping @Sendable (AnalysisTrialAnswer) -> Void) -> Void
    /// Whether a code that is asked for is sent: some sender has texts.
    public var sendsTexts: @Sendable () -> Bool
    /// How fast each person tells facts of themselves.
    public var pace: Pace
    /// What each number was sent.
    public var codes: AskTally
    /// The test runs of the analyser that each person asked for.
    public var trials: AskTally
    public var clock: @Sendable () -> Instant

    public init(
        zoneProblem: @escaping @Sendable (String) -> String?,
        append: @escaping @Sendable (AppendOrder, @escaping @Sendable (AppendAnswer) -> Void) -> Void,
        refused: @escaping @Sendable ([String: Int]) -> Void,
        card: @escaping @Sendable (String, @escaping @Sendable (Result<PersonCard?, Inability>) -> Void) -> Void,
        tryAnalysis: @escaping @Sendable (String, @escaping @Sendable (AnalysisTrialAnswer) -> Void) -> Void,
        sendsTexts: @escaping @Sendable () -> Bool, pace: Pace, codes: AskTally, trials: AskTally,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.zoneProblem = zoneProblem
        self.append = append
        self.refused = refused
        self.card = card
        self.tryAnalysis = tryAnalysis
        self.sendsTexts = sendsTexts
        self.pace = pace
        self.codes = codes
        self.trials = trials
        self.clock = clock
    }
}

public enum AnalysisTrialAnswer: Sendable {
    case done(AnalysisTrial.Outcome)
    case failed(AnalysisTrial.Failure)
    /// The log knows nobody of that name.
    case unknown
    case unable(Inability)
}
