/// The closed vocabularies of facts and decisions. Numbers are what the log holds: append, never reorder.

package enum ConsentGiver: Int, Enumeration {
    case user = 1, guardian
    package static let names = ["user", "guardian"]
}

/// Declared from the most reserved so that a number this version does not know never means "send" (`G6`).
package enum PermissionStatus: Int, Enumeration {
    case denied = 1, notNow, granted
    package static let names = ["denied", "not_now", "granted"]
}

package enum Platform: Int, Enumeration {
    case ios = 1, android, web
    package static let names = ["ios", "android", "web"]
}

package enum GoalOutcome: Int, Enumeration {
    case completed = 1, failed, cancelled
    package static let names = ["completed", "failed", "cancelled"]
}

/// Declared from the lowest so that a number this version does not know reads as the least intrusive (`G6`).
package enum Priority: Int, Enumeration {
    case low = 1, medium, high, critical
    package static let names = ["low", "medium", "high", "critical"]
}

package enum Channel: Int, Enumeration {
    case push = 1, email, sms, inApp
    package static let names = ["push", "email", "sms", "in_app"]
}

package enum AnalysisTrigger: Int, Enumeration {
    case pause = 1, threshold
    package static let names = ["pause", "threshold"]
}

package enum AnalysisSource: Int, Enumeration {
    case ai = 1, simpleRules, notifyAll, suppressAll
    package static let names = ["ai", "simple_rules", "notify_all", "suppress_all"]
}

/// Why a notice was held, gathered, dropped or skipped. These words and no others (`P20`).
package enum Reason: Int, Enumeration {
    case expired = 1, settled, noConsent, optedOut, kindOff, noChannel, viewing
    case quietHours, outsideSchedule, digestMode, cooldown, overload, dailyCap
    case alreadyActiveToday, superseded, missed
    case analysisLimit, aiUnavailable, noRuleMatched, suppressed
    package static let names = [
        "expired", "settled", "no_consent", "opted_out", "kind_off", "no_channel", "viewing",
        "quiet_hours", "outside_schedule", "digest_mode", "cooldown", "overload", "daily_cap",
        "already_active_today", "superseded", "missed",
        "analysis_limit", "ai_unavailable", "no_rule_matched", "suppressed",
    ]
}
