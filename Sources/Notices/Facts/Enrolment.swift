// Who a person is and how they are reached.

/// The rules in force from here on.
public struct PolicyAdopted: Record {
    public static let type = RecordType.fact(16, "policy_adopted", isAboutPerson: false)

    public var policy = JSONDocument.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "policy", &policy)
    }
}

public struct UserEnrolled: Record {
    public static let type = RecordType.fact(17, "user_enrolled", version: 2)

    public var timezone = ZoneName.start
    public var isMinor: Bool?
    public var email: EmailAddress?
    public var phone: PhoneNumber?
    public var displayName: Text?
    /// Which of the numbers it is that were known of the person.
    public var phoneIs: KnownPhone?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "timezone", &timezone)
        try visitor.field(2, "minor", &isMinor)
        try visitor.sealed(3, "email", &email)
        try visitor.sealed(4, "phone", &phone)
        try visitor.sealed(5, "name", &displayName)
        try visitor.derived(6, "phone_is", &phoneIs)
    }
}

/// What is left out stays as it was; `null` is none any more.
public struct ContactChanged: Record {
    public static let type = RecordType.fact(59, "contact_changed", version: 2)

    public var email = Erasable<EmailAddress>.leftOut
    public var phone = Erasable<PhoneNumber>.leftOut
    /// The app has verified it itself.
    public var isPhoneVerified: Bool?
    public var displayName: Text?
    /// Which of the numbers it is that were known of the person.
    public var phoneIs: KnownPhone?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.sealed(1, "email", &email)
        try visitor.sealed(2, "phone", &phone)
        try visitor.field(3, "phone_verified", &isPhoneVerified)
        try visitor.sealed(4, "name", &displayName)
        try visitor.derived(5, "phone_is", &phoneIs)
    }
}

public struct TimezoneChanged: Record {
    public static let type = RecordType.fact(18, "timezone_changed")

    public var timezone = ZoneName.start
    public var keepsSchedule: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "timezone", &timezone)
        try visitor.field(2, "keep", &keepsSchedule)
    }
}

public struct ConsentGiven: Record {
    public static let type = RecordType.fact(19, "consent_given")

    public var giver = ConsentGiver.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "by", &giver)
    }
}

public struct ConsentWithdrawn: Record {
    public static let type = RecordType.fact(20, "consent_withdrawn")

    public var giver = ConsentGiver.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "by", &giver)
    }
}

public struct PushPermissionChanged: Record {
    public static let type = RecordType.fact(21, "push_permission_changed")

    public var status = PermissionStatus.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "status", &status)
    }
}

public struct DeviceRegistered: Record {
    public static let type = RecordType.fact(25, "device_registered", version: 2)

    public var device = Identifier.start
    public var platform = Platform.start
    public var token = Token.start
    /// By platform, unless given.
    public var provider: PushProvider?
    /// What the token is (Firebase).
    public var address: AddressForm?
    public var environment: PushEnvironment?
    /// The bundle id, which is the topic at Apple.
    public var app: Identifier?
    public var browserKey: Token?
    public var browserSecret: Token?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "device", &device)
        try visitor.field(2, "platform", &platform)
        try visitor.sealed(3, "token", &token)
        try visitor.field(4, "provider", &provider)
        try visitor.field(5, "address", &address)
        try visitor.field(6, "environment", &environment)
        try visitor.field(7, "app", &app)
        try visitor.sealed(8, "p256dh", &browserKey)
        try visitor.sealed(9, "auth", &browserSecret)
    }
}

/// Removal needs only the device; senders often repeat the rest. The reason is there when a provider said that it is dead.
public struct DeviceRemoved: Record {
    public static let type = RecordType.fact(26, "device_removed", version: 3)

    public var device = Identifier.start
    public var platform: Platform?
    public var token: Token?
    public var reason: Text?
    /// The event that registered the address that is dead: a later registration stays (`N3`).
    public var registration: Int?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "device", &device)
        try visitor.field(2, "platform", &platform)
        try visitor.sealed(3, "token", &token)
        try visitor.sealed(4, "reason", &reason)
        try visitor.derived(5, "registration", &registration)
    }
}

public struct PhoneVerificationRequested: Record {
    public static let type = RecordType.fact(27, "phone_verification_requested", version: 2)

    public var phone = PhoneNumber.start
    /// Which of the numbers it is that were known of the person.
    public var phoneIs: KnownPhone?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.sealed(1, "phone", &phone)
        try visitor.derived(2, "phone_is", &phoneIs)
    }
}

/// The code itself is never in the log (SPEC §11): what is kept is whether it was the right one.
public struct PhoneCodeEntered: Record {
    public static let type = RecordType.fact(28, "phone_code_entered")

    public var code = PhoneCode.start
    public var isCorrect: Bool?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.transient("code", &code)
        try visitor.derived(1, "correct", &isCorrect)
    }
}

/// Nothing of the person may be known any more (`E1`). Recorded by Belfry alone; their key is destroyed once this is durable.
public struct PersonErased: Record {
    public static let type = RecordType.fact(60, "person_erased", version: 2)

    /// A decision: the policy keeps nobody of whom nothing was heard for so long.
    public var isDerived: Bool?
    /// The days that the policy said.
    public var afterDays: Int?

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.derived(1, "derived", &isDerived)
        try visitor.derived(2, "after_days", &afterDays)
    }
}

extension Payload {
    public var isErasure: Bool { if case .personErased = self { true } else { false } }
}
