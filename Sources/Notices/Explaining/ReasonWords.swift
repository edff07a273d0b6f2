extension Reason {
    /// The reason as it is told to whoever asks for it, for a sentence such as "held until 08:00: quiet hours".
    public var words: String {
        switch self {
        case .expired: "it had expired"
        case .settled: "what it was about was settled already"
        case .noConsent: "there is no consent"
        case .optedOut: "they have switched everything off"
        case .kindOff: "this kind is switched off for them"
        case .noChannel: "no channel is both chosen and reachable"
        case .viewing: "they were looking at the conversation"
        case .quietHours: "quiet hours"
        case .outsideSchedule: "outside the hours of their schedule"
        case .digestMode: "they want digests"
        case .cooldown: "one of its kind came shortly before"
        // Too many jobs within an hour (P12), or too many that wait already (G11).
        case .overload: "too many at once"
        case .dailyCap: "the day's limit is reached"
        case .alreadyActiveToday: "they had been active that day"
        case .superseded: "the next one of its kind had come"
        case .missed: "its time had passed when it was looked at, too long ago or with a later one in its place"
        case .analysisLimit: "the hour's analyses were used up"
        case .aiUnavailable: "the analysis was not available"
        case .noRuleMatched: "no mention and no keyword"
        case .suppressed: "their fallback lets nothing through"
        }
    }
}
