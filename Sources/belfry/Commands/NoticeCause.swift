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
    /// Who judged of a conversation, how, and why (`A4`, `A5`); of one that is not to be analysed any more nobody did (`A6`).
    var told: String {
        let choice = notify ? "to tell of \(conversation) (\(priority.name))" : "not to tell of \(conversation)"
        if source == .ai { return "the analyser chose \(choice): \(reason)" }
        switch reason.text {
        case Reason.optedOut.name:
            return "no analysis was wanted any more: told of \(conversation) (\(priority.name), A6)"
        case Reason.missed.name:
            return "no analysis was wanted any more, and what waited in \(conversation) was too old to tell (A6)"
        default: return "there was no analysis, and \(source.name) chose \(choice): \(reason)"
        }
    }
}
