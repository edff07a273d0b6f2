public import CivilTime
public import Notices

/// The policy in force, others that might be, and what they would have changed.
public struct PolicyService: Sendable {
    public var inForce: @Sendable (Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// The document of one that comes with Belfry; `nil` for a name that is none's.
    public var shipped: @Sendable (String) -> JSONValue?
    /// Whether a document may be adopted, and what is wrong with it.
    public var check: @Sendable (_ document: String) -> JSONValue
    /// Holds a policy against what happened, in the background.
    public var beginWhatIf: @Sendable (WhatIfOrder) -> WhatIfBeginning
    public var whatIf: @Sendable (_ id: String) -> WhatIfStanding?
    /// `false` where there is none of this name.
    public var stopWhatIf: @Sendable (_ id: String) -> Bool

    public init(
        inForce: @escaping @Sendable (Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        shipped: @escaping @Sendable (String) -> JSONValue?, check: @escaping @Sendable (String) -> JSONValue,
        beginWhatIf: @escaping @Sendable (WhatIfOrder) -> WhatIfBeginning,
        whatIf: @escaping @Sendable (String) -> WhatIfStanding?, stopWhatIf: @escaping @Sendable (String) -> Bool
    ) {
        (self.inForce, self.shipped, self.check) = (inForce, shipped, check)
        (self.beginWhatIf, self.whatIf, self.stopWhatIf) = (beginWhatIf, whatIf, stopWhatIf)
    }
}

/// A policy to be compared with what happened.
public struct WhatIfOrder: Sendable, Equatable {
    /// Its document.
    public var policy: String
    public var from: Instant?
    public var to: Instant?

    public init(policy: String, from: Instant? = nil, to: Instant? = nil) {
        (self.policy, self.from, self.to) = (policy, from, to)
    }
}

public enum WhatIfBeginning: Sendable, Equatable {
    case begun(id: String)
    /// One at a time.
    case busy(with: String)
    /// The order makes no sense to this log.
    case refused(FieldError)
    case unable(Inability)
}

public enum WhatIfStanding: Sendable {
    /// How far it is, from 0 to 1.
    case running(Double)
    case done(WhatIfOutcome)
    case failed(String)
}

/// What another policy would have changed, ready to be shown.
public struct WhatIfOutcome: Sendable, Equatable {
    public var document: JSONValue

    public init(_ document: JSONValue) { self.document = document }
}
