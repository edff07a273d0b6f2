/// One setting as a page draws it: where a merge patch puts its value, what it may be, and what it is now.
struct SettingsField {
    enum Form {
        case bool
        case time
        case days
        case zone
        /// What comes outside its hours, in words.
        case schedule(outside: String)
        case oneOf([Option])
        case number(ClosedRange<Int>)
        case text(bytesMax: Int)
        /// Texts of one's own.
        case list(countMax: Int, bytesMax: Int)
        /// Some out of those there are.
        case some([Option])
        case channels([Channel])
    }

    struct Option {
        let value: JSONValue
        let label: String
        /// Whether it holds for everybody, chosen or not.
        var isAlways = false

        init(_ value: String, _ label: String) { (self.value, self.label) = (.string(value), label) }
        init(_ value: Int, _ label: String) { (self.value, self.label) = (.of(value), label) }

        /// For what nobody can choose otherwise.
        static func always(_ value: String, _ label: String) -> Option {
            var option = Option(value, "\(label) (always)")
            option.isAlways = true
            return option
        }
    }

    let path: [String]
    let label: String
    var help: String?
    let form: Form
    var value: JSONValue
    /// What `null` in a patch comes to.
    var usual: JSONValue
    var isChanged: Bool
    /// Why it cannot be changed; `nil` for what can.
    var whyLocked: String?
    /// The setting that has to be on for it to mean anything.
    var dependsOn: [String]?
    /// Another switch that brings it all the same, also where this one is off.
    var alsoOn: [String]?

    var document: JSONValue {
        var members: [(String, JSONValue)] = [
            ("path", .of(path)), ("label", .string(label)), ("help", .orNull(help)),
            ("type", .string(type)), ("value", value), ("default", usual), ("changed", .bool(isChanged)),
            ("locked", .bool(whyLocked != nil)), ("why_locked", .orNull(whyLocked)),
        ]
        switch form {
        case .oneOf(let options): members.append(("values", Self.values(options)))
        case .some(let options):
            members.append(("values", Self.values(options)))
            members.append(("allowed", .array(options.map(\.value))))
        case .channels(let channels):
            members.append(("values", Self.values(channels.map { Option($0.name, $0.label) })))
            members.append(("allowed", .of(channels.map(\.name))))
        case .number(let range):
            members.append(("range", .array([.of(range.lowerBound), .of(range.upperBound)])))
        case .text(let bytesMax): members.append(("length_max", .of(bytesMax)))
        case .list(let countMax, let bytesMax):
            members += [("count_max", .of(countMax)), ("length_max", .of(bytesMax))]
        case .schedule(let outside): members.append(("outside", .string(outside)))
        case .bool, .time, .days, .zone: break
        }
        if let dependsOn { members.append(("depends_on", .of(dependsOn))) }
        if let alsoOn { members.append(("also_on", .of(alsoOn))) }
        return .of(members)
    }

    private var type: String {
        switch form {
        case .bool: "bool"
        case .time: "time"
        case .days: "days"
        case .zone: "zone"
        case .schedule: "schedule"
        case .oneOf: "one_of"
        case .number: "number"
        case .text: "text"
        case .list, .some: "list"
        case .channels: "channels"
        }
    }

    private static func values(_ options: [Option]) -> JSONValue {
        .array(
            options.map { option in
                .of(
                    [("value", option.value), ("label", .string(option.label))]
                        + (option.isAlways ? [("always", .bool(true))] : []))
            })
    }
}

extension Channel {
    /// What people call it.
    var label: String {
        switch self {
        case .push: "Push"
        case .email: "Email"
        case .sms: "SMS"
        case .inApp: "In the app"
        }
    }
}

extension JSONValue {
    /// A text, or `null`.
    static func orNull(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func orNull(_ field: SettingsField?) -> JSONValue { field?.document ?? .null }

    static func of(_ fields: [SettingsField]) -> JSONValue { .array(fields.map(\.document)) }
}
