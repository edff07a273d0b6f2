internal import Notices

/// P8 and P9: nobody is rung at a time they asked to be left alone.
extension JobMatter {
    var quietHoursFinding: Finding {
        guard !passesLaterRules, let quiet = wishes.quietHours else { return .notAsked }
        guard priority.rawValue < policy.quietPass.rawValue, !quiet.exceptions.contains(kind.name) else {
            return .notAsked
        }
        return quiet.window.contains(at, on: clock)
            ? .broken("\(localTime) is in the quiet hours \(quiet.window.shown)") : .kept
    }

    var scheduleFinding: Finding {
        guard !passesLaterRules, let slots = wishes.schedule else { return .notAsked }
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
