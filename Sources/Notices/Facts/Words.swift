/// The closed vocabularies of facts and decisions. Numbers are what the log holds: append, never reorder.

public enum ConsentGiver: Int, Enumeration {
    case user = 1, guardian
    public static let names = ["user", "guardian"]
}

/// Declared from the most reserved so that a number this version does not know never means "send" (`G6`).
public enum PermissionStatus: Int, Enumeration {
    case denied = 1, notNow, granted
    public static let names = ["denied", "not_now", "granted"]
}

public enum Platform: Int, Enumeration {
    case ios = 1, android, web
    public static let names = ["ios", "android", "web"]
}

public enum PushProvider: Int, Enumeration {
    case apns = 1, fcm, webpush
    public static let names = ["apns", "fcm", "webpush"]
}

public enum AddressForm: Int, Enumeration {
    case token = 1, fid
    public static let names = ["token", "fid"]
}

public enum PushEnvironment: Int, Enumeration {
    case production = 1, sandbox
    public static let names = ["production", "sandbox"]
}

/// Declared from the one that claims least: a number this version does not know is no delivery.
public enum ReportStatus: Int, Enumeration {
    case failed = 1, bounced, expired, complained, delivered
    public static let names = ["failed", "bounced", "expired", "complained", "delivered"]

    /// Whether it came to the person: whoever complains has read it.
    public var isGood: Bool {
        switch self {
        case .delivered, .complained: true
        case .failed, .bounced, .expired: false
        }
    }
}

public enum Unsubscription: Int, Enumeration {
    case link = 1, oneClick, stop, complaint
    public static let names = ["link", "one_click", "stop", "complaint"]
}

public enum GoalOutcome: Int, Enumeration {
    case completed = 1, failed, cancelled
    public static let names = ["completed", "failed", "cancelled"]
}

/// Declared from the lowest so that a number this version does not know reads as the least intrusive (`G6`).
public enum Priority: Int, Enumeration {
    case low = 1, medium, high, critical
    public static let names = ["low", "medium", "high", "critical"]
}

public enum Channel: Int, Enumeration {
    case push = 1, email, sms, inApp
    public static let names = ["push", "email", "sms", "in_app"]
}

public enum AnalysisTrigger: Int, Enumeration {
    case pause = 1, threshold
    public static let names = ["pause", "threshold"]
}

public enum AnalysisSource: Int, Enumeration {
    case ai = 1, simpleRules, notifyAll, suppressAll
    public static let names = ["ai", "simple_rules", "notify_all", "suppress_all"]
}

/// Why a notice was held, gathered, dropped or skipped. These words and no others (`P20`).
public enum Reason: Int, Enumeration {
    case expired = 1, settled, noConsent, optedOut, kindOff, noChannel, viewing
    case quietHours, outsideSchedule, digestMode, cooldown, overload, dailyCap
    case alreadyActiveToday, superseded, missed
    case analysisLimit, aiUnavailable, noRuleMatched, suppressed
    public static let names = [
        "expired", "settled", "no_consent", "opted_out", "kind_off", "no_channel", "viewing",
        "quiet_hours", "outside_schedule", "digest_mode", "cooldown", "overload", "daily_cap",
        "already_active_today", "superseded", "missed",
        "analysis_limit", "ai_unavailable", "no_rule_matched", "suppressed",
    ]
}

/// Which of a person's numbers one is that is told: what follows from it hangs on that, and not on the number (`E2`).
public enum KnownPhone: Int, Enumeration {
    /// The person's.
    case theirs = 1
    /// The one that a code was sent to.
    case asked
    /// Both.
    case theirsAndAsked
    public static let names = ["theirs", "asked", "theirs_and_asked"]
}
