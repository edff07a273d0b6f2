// Who a person is and how they are reached.

/// The rules in force from here on.
package struct PolicyAdopted: Record {
    package static let type = RecordType.fact(16, "policy_adopted", isAboutPerson: false)

    package var policy = JSONDocument.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "policy", &policy)
    }
}

package struct UserEnrolled: Record {
    package static let type = RecordType.fact(17, "user_enrolled")

    package var timezone = ZoneName.start
    package var isMinor: Bool?
    package var email: EmailAddress?
    package var phone: PhoneNumber?
    package var displayName: Text?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "timezone", &timezone)
        try visitor.field(2, "minor", &isMinor)
        try visitor.field(3, "email", &email)
        try visitor.field(4, "phone", &phone)
        try visitor.field(5, "name", &displayName)
    }
}

package struct TimezoneChanged: Record {
    package static let type = RecordType.fact(18, "timezone_changed")

    package var timezone = ZoneName.start
    package var keepsSchedule: Bool?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "timezone", &timezone)
        try visitor.field(2, "keep", &keepsSchedule)
    }
}

package struct ConsentGiven: Record {
    package static let type = RecordType.fact(19, "consent_given")

    package var giver = ConsentGiver.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "by", &giver)
    }
}

package struct ConsentWithdrawn: Record {
    package static let type = RecordType.fact(20, "consent_withdrawn")

    package var giver = ConsentGiver.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "by", &giver)
    }
}

package struct PushPermissionChanged: Record {
    package static let type = RecordType.fact(21, "push_permission_changed")

    package var status = PermissionStatus.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "status", &status)
    }
}

package struct DeviceRegistered: Record {
    package static let type = RecordType.fact(25, "device_registered")

    package var device = Identifier.start
    package var platform = Platform.start
    package var token = Token.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "device", &device)
        try visitor.field(2, "platform", &platform)
        try visitor.field(3, "token", &token)
    }
}

/// Removal needs only the device; senders often repeat the rest.
package struct DeviceRemoved: Record {
    package static let type = RecordType.fact(26, "device_removed")

    package var device = Identifier.start
    package var platform: Platform?
    package var token: Token?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "device", &device)
        try visitor.field(2, "platform", &platform)
        try visitor.field(3, "token", &token)
    }
}

package struct PhoneVerificationRequested: Record {
    package static let type = RecordType.fact(27, "phone_verification_requested")

    package var phone = PhoneNumber.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "phone", &phone)
    }
}

/// The code itself is never in the log (SPEC §11): what is kept is whether it was the right one.
package struct PhoneCodeEntered: Record {
    package static let type = RecordType.fact(28, "phone_code_entered")

    package var code = PhoneCode.start
    package var isCorrect: Bool?

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.transient("code", &code)
        try visitor.derived(1, "correct", &isCorrect)
    }
}
