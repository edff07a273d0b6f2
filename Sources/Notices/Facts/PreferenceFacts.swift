// What a person asked for.

public struct PreferencesChanged: Record {
    public static let type = RecordType.fact(22, "preferences_changed")

    public var patch = PreferencesPatch.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.sealed(1, "patch", &patch)
    }
}

public struct PresetApplied: Record {
    public static let type = RecordType.fact(23, "preset_applied")

    public var preset = Identifier.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "preset", &preset)
    }
}

public struct PreferencesReset: Record {
    public static let type = RecordType.fact(24, "preferences_reset")

    public init() {}
}

/// The person wants no more on a channel, of one kind or of all (`N6`).
public struct Unsubscribed: Record {
    public static let type = RecordType.fact(56, "unsubscribed")

    public var channel = Channel.start
    public var kind: Identifier?
    public var how = Unsubscription.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "channel", &channel)
        try visitor.field(2, "kind", &kind)
        try visitor.field(3, "how", &how)
    }
}
