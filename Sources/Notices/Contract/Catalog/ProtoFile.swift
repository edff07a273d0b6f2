internal import CivilTime

/// The whole contract in protobuf's own language (proto3), so that any language can decode the log.
///
/// It is made of the same field lists that encode and decode; `events/catalog/belfry.proto` is its committed text.
public enum ProtoFile {
    public static func text() -> String {
        var parts = [head, envelope()]
        parts += enumerations().map(enumeration)
        parts += Payload.all.map(message)
        return parts.joined(separator: "\n")
    }

    private static let head = """
        // The contract of Belfry's log. Written by ops/catalog from the field lists in Sources/Notices; not edited.
        //
        // Numbers are for ever and fields are only added. Wherever a number of an enumeration is not known, its first
        // word is meant (number 1); 0 is never written.
        //
        // A log whose segments say that it has seals keeps what tells who a person is, or what they were told, sealed with a key
        // of theirs: under the field's number + 1000 stand the bytes that would else stand in the message, tag and all, sealed
        // as Sources/Sealing/FORMAT.md says. Whoever has the key puts what is opened in the place of the sealed field and has
        // the message as it was. A name of a notice of the event's own person stands under its number + 2000, without the
        // person and the slash behind them.
        syntax = "proto3";

        package belfry;

        """

    // MARK: Commit and event

    private static func envelope() -> String {
        var lines = [
            "// One cause and everything decided because of it: the body of one frame of the log.",
            "message Commit {",
            "  // The ids of people the log had not met before. People are numbered from 0 in this order.",
            "  repeated string new_person = 1;",
            "  // The same, sealed: their numbers go on, and sequence and field are 0 in the associated data.",
            "  repeated bytes new_person_sealed = 1001;",
            "  // Numbered from the frame's first event number, and all at the frame's instant.",
            "  repeated Event event = 2;",
            "}",
            "",
            "// A fact or a decision. Numbers below 16 belong to the event, 16 to 99 to facts, 100 and up to decisions.",
            "message Event {",
            "  // The number of the person it is about.",
            "  optional uint32 person = 1;",
            "  // How many times eight bytes before this commit that person's previous commit begins.",
            "  optional uint64 back = 2;",
            "  // The sender's idempotency key.",
            "  optional string id = 3;",
            "  // The same, sealed as a field around the payload.",
            "  optional bytes id_sealed = 1003;",
            "  // When the sender says it happened: \(Instant.protoNote ?? "").",
            "  optional int64 occurred_at = 4;",
            "  // The trace that a fact belongs to (W3C Trace Context): its id (16 bytes), its parent's (8) and its flags (1).",
            "  optional bytes trace = 5;",
            "  oneof payload {",
        ]
        for type in Payload.all.map(\.type) {
            lines.append("    \(messageName(type)) \(type.text) = \(type.number);")
        }
        lines += ["  }", "}", ""]
        return lines.joined(separator: "\n")
    }

    // MARK: Enumerations

    /// Those that any field uses, in the order of first use.
    private static func enumerations() -> [any Enumeration.Type] {
        var found: [any Enumeration.Type] = []
        for field in Payload.all.flatMap(\.schema) where field.origin != .transient {
            guard let type = field.elementType as? any Enumeration.Type else { continue }
            if !found.contains(where: { $0.protoName == type.protoName }) { found.append(type) }
        }
        return found
    }

    private static func enumeration(_ type: any Enumeration.Type) -> String {
        let prefix = constantCase(type.protoName)
        var lines = ["enum \(type.protoName) {", "  \(prefix)_UNSPECIFIED = 0;"]
        for (index, name) in type.names.enumerated() {
            lines.append("  \(prefix)_\(name.uppercased()) = \(index + 1);")
        }
        lines += ["}", ""]
        return lines.joined(separator: "\n")
    }

    // MARK: Records

    private static func message(_ payload: Payload) -> String {
        let type = payload.type
        let side = type.side == .fact ? "a fact" : "a decision"
        let fields = payload.schema.filter { $0.origin != .transient }
        let title = "// \(type.text), version \(type.version): \(side)."
        guard !fields.isEmpty else { return "\(title)\nmessage \(messageName(type)) {}\n" }
        var lines = [title, "message \(messageName(type)) {"]
        for field in fields {
            if let note = note(field) { lines.append("  // \(note)") }
            let packing = field.isRepeated && !field.elementType.isLengthDelimited ? " [packed = false]" : ""
            lines.append("  \(field.valueType.protoType) \(field.name) = \(field.number)\(packing);")
            if let other = otherForm(of: field) { lines.append("  \(other)") }
        }
        lines += ["}", ""]
        return lines.joined(separator: "\n")
    }

    /// What stands in a log that has seals instead of the field, or beside it.
    private static func otherForm(of field: FieldSchema) -> String? {
        let sealed = "bytes \(field.name)_sealed = \(field.number + FieldForm.sealed.rawValue);"
        switch field.keeping {
        case .clear: return nil
        case .sealed: return sealed
        case .names:
            let type = field.isRepeated ? "repeated string" : "optional string"
            return "\(type) own_\(field.name) = \(field.number + FieldForm.own.rawValue);\n  \(sealed)"
        }
    }

    private static func note(_ field: FieldSchema) -> String? {
        var notes = field.valueType.protoNote.map { [$0] } ?? []
        if field.limit != .none { notes.append(field.allowed) }
        if field.origin == .derived { notes.append("worked out by Belfry, never given by a sender") }
        guard var note = notes.first.map({ _ in notes.joined(separator: "; ") }) else { return nil }
        note = note.prefix(1).uppercased() + note.dropFirst()
        return note + "."
    }

    // MARK: Names

    /// `policy_adopted` → `PolicyAdopted`.
    private static func messageName(_ type: RecordType) -> String {
        type.text.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `GoalOutcome` → `GOAL_OUTCOME`.
    private static func constantCase(_ name: String) -> String {
        var text = ""
        for character in name {
            if character.isUppercase, !text.isEmpty { text.append("_") }
            text += character.uppercased()
        }
        return text
    }
}
