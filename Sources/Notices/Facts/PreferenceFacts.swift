// What a person asked for.

public struct PreferencesChanged: Record {
    public static let type = RecordType.fact(22, "preferences_changed")

    public var patch = PreferencesPatch.start

    public init() {}

    public mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "patch", &patch)
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
