// What a person asked for.

package struct PreferencesChanged: Record {
    package static let type = RecordType.fact(22, "preferences_changed")

    package var patch = PreferencesPatch.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "patch", &patch)
    }
}

package struct PresetApplied: Record {
    package static let type = RecordType.fact(23, "preset_applied")

    package var preset = Identifier.start

    package init() {}

    package mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(FieldError) {
        try visitor.field(1, "preset", &preset)
    }
}

package struct PreferencesReset: Record {
    package static let type = RecordType.fact(24, "preferences_reset")

    package init() {}
}
