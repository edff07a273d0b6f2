public import CivilTime

// What else Belfry concluded.

public struct PhoneVerified: Record {
    public static let type = RecordType.decision(107, "phone_verified")

    public var phone = PhoneTail.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.sealed(1, "phone", &phone)
    }
}

public struct PhoneLocked: Record {
    public static let type = RecordType.decision(108, "phone_locked")

    public var phone = PhoneTail.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.sealed(1, "phone", &phone)
    }
}

public struct WorkerStarted: Record {
    public static let type = RecordType.decision(109, "worker_started", isAboutPerson: false)

    public var version = Text.start
    public var tzdb = Text.start
    public var policy = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "version", &version)
        try visitor.field(2, "tzdb", &tzdb)
        try visitor.field(3, "policy", &policy)
    }
}

/// From here on another worker decides in this log of a cluster (`M2`). It decides nothing itself.
public struct PartitionTaken: Record {
    public static let type = RecordType.decision(110, "partition_taken", isAboutPerson: false)

    /// −1 for the log of everyone.
    public var partition = 0
    public var epoch = 0
    /// The life of a worker that it is.
    public var worker = Text.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "partition", &partition)
        try visitor.field(2, "epoch", &epoch)
        try visitor.field(3, "worker", &worker)
    }
}

/// What people were told before a moment is erased, because the policy keeps it no longer: it says so before the keys are
/// destroyed that open it. About a person it decides nothing.
public struct TextsErased: Record {
    public static let type = RecordType.decision(112, "texts_erased", isAboutPerson: false)

    /// The beginning of a week (`TextWeek`).
    public var before = Instant.start
    /// As many as the policy says.
    public var afterDays = 0

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "before", &before)
        try visitor.field(2, "after_days", &afterDays)
    }
}

/// How far the worker has come in applying a policy to the people there were when it was adopted: a piece at a time, since
/// there may be millions. It decides nothing itself; without it a policy was applied to everybody in the commit that adopted it.
public struct PolicyApplied: Record {
    public static let type = RecordType.decision(111, "policy_applied", isAboutPerson: false)

    /// The number of the fact that adopted it.
    public var policy = 0
    /// It has been applied to everybody whose number in the log is below this one.
    public var people = 0
    /// How many there were.
    public var of = 0

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "policy", &policy)
        try visitor.field(2, "people", &people)
        try visitor.field(3, "of", &of)
    }
}
