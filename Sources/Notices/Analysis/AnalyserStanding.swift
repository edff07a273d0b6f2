internal import CivilTime

/// What a worker knows of the analyser, besides what the log says of a person.
public struct AnalyserHere: Sendable, Equatable {
    /// What came of the last test run (`A7`), which no log tells of.
    public enum Trial: Sendable, Equatable { case none, answered, failed }

    /// Whether one is configured; `nil` where only the log is looked at.
    public var isThere: Bool?
    public var lastTrial: Trial

    public init(isThere: Bool?, lastTrial: Trial = .none) { (self.isThere, self.lastTrial) = (isThere, lastTrial) }

    public static let unknown = AnalyserHere(isThere: nil)
}

/// `A4`: whether the analyser decides about somebody's messages, and why not.
public enum AnalyserStanding: Equatable, Sendable {
    /// Nothing was asked of it yet.
    case untested
    case active
    case usingFallback(String)
    /// No analyser is configured, and no app has answered.
    case off

    public init(of person: Person, _ here: AnalyserHere) {
        let analyses = person.details.analyses
        let wasAsked = analyses.start > .distantPast
        if here.isThere == false, !wasAsked || analyses.fallbackReason != nil {
            self = .off
        } else if let reason = analyses.fallbackReason {
            self = .usingFallback(reason)
        } else if wasAsked {
            self = .active
        } else {
            switch here.lastTrial {
            case .none: self = .untested
            case .answered: self = .active
            case .failed: self = .usingFallback(Reason.aiUnavailable.name)
            }
        }
    }

    public var word: String {
        switch self {
        case .untested: "untested"
        case .active: "active"
        case .usingFallback: "using_fallback"
        case .off: "off"
        }
    }

    public var reason: String? {
        if case .usingFallback(let reason) = self { reason } else { nil }
    }
}
