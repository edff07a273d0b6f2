internal import CivilTime

/// Says in one sentence what a changed value of the preferences means to the person.
struct ChangeSentences {
    let rules: Rulebook
    let before: PreferenceFields
    let after: PreferenceFields
    /// What subjects are called, those of goals among them.
    let names: [String: String]

    func sentence(_ path: [String], _ old: JSONValue, _ new: JSONValue) -> String {
        DocumentField(named: path[0])?.declaration.sentence(self, path, old, new) ?? "Changes \(path[0])"
    }

    func channel(_ name: String, _ new: JSONValue) -> String { "\(turns(new)) notices by \(Self.words[name] ?? name)" }

    func quietHours(_ name: String, _ old: JSONValue, _ new: JSONValue) -> String {
        switch name {
        case "enabled": "\(turns(new)) quiet hours"
        case "start": "Quiet hours start at \(shown(new)) instead of \(shown(old))"
        case "end": "Quiet hours end at \(shown(new)) instead of \(shown(old))"
        case "days": "Quiet hours are kept on \(days(new)) instead of \(days(old))"
        default:
            new.elements?.isEmpty == true
                ? "Quiet hours make no exception but for what is critical"
                : "Quiet hours make an exception for \(exceptions(new))"
        }
    }

    func kind(_ path: [String], _ old: JSONValue, _ new: JSONValue) -> String {
        let rule = rules.vocabulary.place(ofKind: path[1]).map { rules.kinds[$0] }
        let label = Self.inSentence(rule?.label.text ?? path[1])
        switch (path.dropFirst(2).first, path.dropFirst(3).first) {
        case ("subtypes", let subtype?):
            let name = rule?.subtypes.first { $0.name.text == subtype }?.label.text ?? subtype
            return "\(turns(new)) “\(name)” in \(label)"
        case ("digest", _):
            return switch new.string.flatMap(DigestWish.init) {
            case .daily?: "Gathers \(label) for the daily digest"
            case .weekly?: "Gathers \(label) for the weekly digest"
            case .some(.none), nil: "Sends \(label) at once"
            }
        case ("channels", _):
            return new.elements?.isEmpty == true
                ? "Sends \(label) by no channel"
                : "Sends \(label) by \(list(new, "and")) instead of \(list(old, "and"))"
        default: return "\(turns(new)) \(label)"
        }
    }

    func choice(_ name: String, _ old: JSONValue, _ new: JSONValue) -> String {
        guard let rule = rules.vocabulary.choice(named: name) else { return "Changes \(name)" }
        if case .truth = rule.form { return "\(turns(new)) \(Self.inSentence(rule.label.text))" }
        return "Sets \(Self.inSentence(rule.label.text)) to \(rule.shown(new)) instead of \(rule.shown(old))"
    }

    // MARK: Words

    func turns(_ value: JSONValue) -> String { value.bool == true ? "Turns on" : "Turns off" }

    func shown(_ value: JSONValue) -> String {
        guard let text = value.string else { return value.text }
        return Self.words[text] ?? text
    }

    func days(_ value: JSONValue) -> String {
        let days = (value.elements ?? []).compactMap { $0.string.flatMap(Weekday.init(name:)) }
        return WeekdaySet(days).inWords
    }

    private func exceptions(_ value: JSONValue) -> String {
        let names = (value.elements ?? []).compactMap(\.string).map { name in
            if name == Priority.critical.name { return "critical notices" }
            return rules.vocabulary.place(ofKind: name).map { Self.inSentence(rules.kinds[$0].label.text) } ?? name
        }
        return Self.joined(names, "and")
    }

    func list(_ value: JSONValue, _ last: String? = nil) -> String {
        let names = (value.elements ?? []).compactMap(\.string)
        guard !names.isEmpty else { return "none" }
        guard let last else { return names.map { quoted($0) }.joined(separator: ", ") }
        return Self.joined(names.map { Self.words[$0] ?? $0 }, last)
    }

    static func joined(_ names: [String], _ last: String) -> String {
        guard names.count > 1, let end = names.last else { return names.first ?? "none" }
        return names.dropLast().joined(separator: ", ") + " \(last) \(end)"
    }

    /// A label inside a sentence; one that begins with several capitals stays as it is.
    static func inSentence(_ label: String) -> String {
        if label.dropFirst().first?.isUppercase == true { return label }
        return label.prefix(1).lowercased() + label.dropFirst()
    }

    private static let words = [
        "daily": "daily", "few_times_a_week": "a few times a week", "weekly": "weekly",
        "push": "push", "email": "email", "sms": "SMS", "in_app": "in the app",
        "simple_rules": "mentions and keywords decide", "notify_all": "every message is told of",
        "suppress_all": "no message is told of",
    ]
}

extension String {
    var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
