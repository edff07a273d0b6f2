// What else Belfry concluded.

package struct PhoneVerified: Record {
    package static let type = RecordType.decision(107, "phone_verified")

    package var phone = PhoneTail.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "phone", &phone)
    }
}

package struct PhoneLocked: Record {
    package static let type = RecordType.decision(108, "phone_locked")

    package var phone = PhoneTail.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "phone", &phone)
    }
}

package struct WorkerStarted: Record {
    package static let type = RecordType.decision(109, "worker_started", isAboutPerson: false)

    package var version = Text.start
    package var tzdb = Text.start
    package var policy = Text.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "version", &version)
        try visitor.field(2, "tzdb", &tzdb)
        try visitor.field(3, "policy", &policy)
    }
}
