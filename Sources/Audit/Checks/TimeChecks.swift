internal import Notices

/// P8 and P9: nobody is rung at a time they asked to be left alone.
extension JobMatter {
    var quietHoursFinding: Finding {
        guard !passesHours, mindsQuietHours, let quiet = wishes.quietHours else { return .notAsked }
        return quiet.window.contains(at, on: clock)
            ? .broken("\(localTime) is in the quiet hours \(quiet.window.shown)") : .kept
    }

    /// P14: a priority may pass them, and the person may except kinds.
    var mindsQuietHours: Bool {
        priority.rawValue < policy.quietPass.rawValue && wishes.quietHours?.exceptions.contains(kind.name) != true
    }

    var scheduleFinding: Finding {
        guard !passesHours, let slots = wishes.schedule else { return .notAsked }
        return slots.contains { $0.contains(at, on: clock) }
            ? .kept : .broken("\(localTime) is outside the weekly schedule")
    }

    var digestModeFinding: Finding {
        guard !passesLaterRules, !isGathering, let digest = wishes.digest(for: kind, of: policy) else {
            return .notAsked
        }
        return .broken("\(kind.name) belongs in the \(digest.rawValue) digest, as the person wants it")
    }
}
