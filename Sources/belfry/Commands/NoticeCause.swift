import Notices

extension Payload {
    /// What is said of an event by a notice that it raised and that is named after it; `nil` for what raises none.
    var toldAsCause: String? {
        switch self {
        case .noticeRequested: "asked for by the app"
        case .testRequested: "a test was asked for (N8)"
        case .messageReceived: "a message came"
        case .analysisConcluded(let conclusion): conclusion.told
        case .sessionCompleted: "they completed a session (S4)"
        case .timezoneChanged, .preferencesChanged: "they came into another time zone (T9)"
        case .goalStarted: "the goal started (C7)"
        case .goalEnded(let end): "the goal ended: \(end.outcome.name) (C7)"
        case .checkedIn: "they checked in (C7)"
        case .pointsEarned(let earned): "they earned \(counted(earned.points, "point")) (C7)"
        default: nil
        }
    }
}

extension AnalysisConcluded {
    /// Who judged of a conversation, how, and why (`A4`, `A5`).
    var told: String {
        let choice = notify ? "to tell of \(conversation) (\(priority.name))" : "not to tell of \(conversation)"
        return source == .ai
            ? "the analyser chose \(choice): \(reason)"
            : "there was no analysis, and \(source.name) chose \(choice): \(reason)"
    }
}
