internal import CivilTime

/// `A4`: whether the analyser decides about somebody's messages, and why not.
public enum AnalyserStanding: Equatable, Sendable {
    /// Nothing was asked of it yet.
    case untested
    case active
    case usingFallback(String)
    /// No analyser is configured, and no app has answered.
    case off

    /// - Parameter hasAnalyser: whether one is configured; `nil` where only the log is looked at.
    public init(of person: Person, hasAnalyser: Bool?) {
        let analyses = person.details.analyses
        let wasAsked = analyses.start > .distantPast
        if hasAnalyser == false, !wasAsked || analyses.fallbackReason != nil {
            self = .off
        } else if let reason = analyses.fallbackReason {
            self = .usingFallback(reason)
        } else {
            self = wasAsked ? .active : .untested
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
