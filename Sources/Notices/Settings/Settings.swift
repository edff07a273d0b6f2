public import CivilTime

/// The settings page of one person as a document (`V3`): every section and field is drawn from the policy in force, so that
/// a page needs no code for a new policy. A pure function of the policy and the person.
///
/// What has no effect under the policy is not in it.
public struct Settings {
    let user: String
    let person: Person
    let plan: Plan
    let seq: UInt64
    let now: Instant
    /// Of each device, what it said it is.
    let platforms: [String: Platform]
    let analyserHere: AnalyserHere

    /// In force, the defaults, and what is stored.
    let document: JSONValue
    let usual: JSONValue
    let stored: JSONValue

    /// - Parameters:
    ///   - platforms: of the devices, by their id; the log has them, the state has not.
    ///   - analyser: whether messages can be analysed here.
    public init(
        of user: String, _ person: Person, _ plan: Plan, seq: UInt64, at now: Instant,
        platforms: [String: Platform] = [:], analyser: AnalyserHere
    ) {
        (self.user, self.person, self.plan, self.seq, self.now) = (user, person, plan, seq, now)
        (self.platforms, self.analyserHere) = (platforms, analyser)
        let saidYes = person.flags.contains(.saidYes)
        let zone = person.hasDetails ? person.details.unknownZone ?? person.zone.name : person.zone.name
        stored = person.hasDetails ? person.details.differences : .emptyObject
        document = plan.rules.document(differing: stored, saidYes: saidYes, timezone: zone)
        usual = plan.rules.document(differing: .emptyObject, saidYes: saidYes, timezone: zone)
    }

    var rules: Rulebook { plan.rules }
    var policy: Policy { plan.policy }

    public var json: JSONValue {
        let details = person.details
        var members: [(String, JSONValue)] = [
            ("user", .string(user)), ("name", .orNull(details.displayName)),
            ("policy", .string(policy.name.text)), ("about", .string(policy.about.text)),
            ("seq", .number("\(seq)")), ("timezone", document["timezone"] ?? .null),
        ]
        members += [
            ("local_time", .string(person.zone.local(at: now).description)), ("clock", person.zone.clock(around: now)),
            ("preset", .orNull(presetInForce)),
            ("preferences", document), ("changed", stored),
            ("warnings", .of(person.preferences.warnings.map { "\($0)" })),
        ]
        members += [
            ("permission", .string(permission)), ("consent", consent), ("sections", .array(sections)),
            ("snoozed", .array(details.snoozes.map(snoozed))), ("waiting", .of(details.waiting.count)),
        ]
        return .of(members)
    }

    private var sections: [JSONValue] {
        [
            section("master", "Notifications", [master, digestMode, zone].compactMap { $0 }), presets,
            section("check_ins", "Check-ins", checkIns), kinds, goals, subjects, channels,
            section("quiet_hours", "Quiet hours", quietHours),
            section("schedule", "Weekly schedule", [schedule]), smart, section("choices", "More", choices),
        ].compactMap { $0 }
    }

    func section(_ name: String, _ label: String, _ fields: [SettingsField]) -> JSONValue? {
        guard !fields.isEmpty else { return nil }
        return .of([
            ("name", .string(name)), ("label", .string(label)), ("fields", .of(fields)),
        ])
    }

    // MARK: Fields

    /// A field whose values stand in the documents at its path.
    func field(
        _ path: [String], _ label: String, _ form: SettingsField.Form, help: String? = nil, whyLocked: String? = nil,
        dependsOn: [String]? = nil
    ) -> SettingsField {
        SettingsField(
            path: path, label: label, help: help, form: form, value: document.at(path) ?? .null,
            usual: usual.at(path) ?? .null, isChanged: stored.at(path).map { $0 != .null } ?? false,
            whyLocked: whyLocked, dependsOn: dependsOn)
    }

    func hasKind(_ isMeant: (KindRule) -> Bool) -> Bool { rules.ownRules.contains(where: isMeant) }

    private var master: SettingsField {
        let locked = rules.ownRules.filter(\.isLocked).map(\.label.text)
        let exception = locked.isEmpty ? nil : "Always sent all the same: " + locked.joined(separator: ", ") + "."
        guard policy.isSmart else { return field(["enabled"], "Notifications", .bool, help: exception) }
        return field(
            ["enabled"], "Smart notifications", .bool,
            help: person.hasConsent
                ? "Only what matters is told. Switched off, you will receive a notice for every message."
                : "Only what matters is told, once you have agreed to it. Until then you receive a notice for every message."
        )
    }

    private var digestMode: SettingsField? {
        guard hasKind(\.isDigestible), hasKind({ $0.digest == .daily }) else { return nil }
        let waiting = rules.ownRules.filter(\.isDigestible).map(\.label.text).joined(separator: ", ")
        return field(
            ["digest_mode"], "One digest a day", .bool, help: "What can wait is gathered into it: \(waiting).",
            dependsOn: ["enabled"])
    }

    private var zone: SettingsField {
        field(["timezone"], "Time zone", .zone, help: "All times here are those of this zone.")
    }

    private var checkIns: [SettingsField] {
        guard hasKind({ $0.schedule == .checkIn }) else { return [] }
        let on = ["check_ins_enabled"]
        return [
            field(
                on, "Check-ins", .bool,
                help: "A word now and then to ask how it goes. None comes on a day on which you were here already."),
            field(
                ["frequency"], "How often",
                .oneOf([
                    .init("daily", "Daily"), .init("few_times_a_week", "Few times a week"), .init("weekly", "Weekly"),
                ]), dependsOn: on),
            field(["check_in_time"], "Time", .time, dependsOn: on),
            field(["check_in_days"], "Days", .days, help: "In place of the days of \"how often\".", dependsOn: on),
        ]
    }

    private var quietHours: [SettingsField] {
        let on = ["quiet_hours", "enabled"]
        let drops = rules.ownRules.filter { $0.inQuietHours == .drop && !$0.isLocked }.map(\.label.text)
        let holds = hasKind { $0.inQuietHours == .hold && !$0.isLocked }
        let words = [
            holds ? "Notices wait and come after their end." : nil,
            drops.isEmpty
                ? nil
                : "Not sent at all while they last: \(drops.joined(separator: ", "))."
                    + (policy.quietPass == .high ? " What is of high priority comes all the same." : ""),
        ].compactMap { $0 }.joined(separator: " ")
        let exceptions =
            [SettingsField.Option.always(Priority.critical.name, "Critical notices")]
            + rules.ownRules.filter { !$0.isLocked && $0.hasChoiceOfChannels }.map {
                .init($0.name.text, $0.label.text)
            }
        return [
            field(on, "Quiet hours", .bool, help: words),
            field(["quiet_hours", "start"], "From", .time, dependsOn: on),
            field(["quiet_hours", "end"], "To", .time, dependsOn: on),
            field(
                ["quiet_hours", "days"], "Days", .days, help: "Of each day on which they begin.", dependsOn: on),
            field(["quiet_hours", "exceptions"], "Exceptions", .some(exceptions), dependsOn: on),
        ]
    }

    private var schedule: SettingsField {
        let urgent = rules.ownRules.filter { $0.isLocked || $0.priority == .critical }.map(\.label.text)
        let exception = urgent.isEmpty ? "" : " These come at any hour: " + urgent.joined(separator: ", ") + "."
        return field(
            ["schedule"], "Hours of the week",
            .schedule(outside: urgent.isEmpty ? "Nothing comes" : "Only what is urgent comes"),
            help: "Where some are set, notices come only in them, and none on a day without any." + exception)
    }

    private var choices: [SettingsField] {
        policy.choices.map { choice in
            let form: SettingsField.Form =
                switch choice.form {
                case .truth: .bool
                case .oneOf(let words): .oneOf(words.map { .init($0.name, $0.label) })
                case .number(let range): .number(range)
                case .time: .time
                case .text(let bytesMax): .text(bytesMax: bytesMax)
                }
            return field(["choices", choice.name.text], choice.label.text, form)
        }
    }

    // MARK: The person

    /// The preset that was applied; for who never applied one that the policy has, the one that their settings are like.
    private var presetInForce: String? {
        if let preset = rules.presetInForce(person.hasDetails ? person.details.preset : nil) { return preset }
        let saidYes = person.flags.contains(.saidYes)
        return policy.presets.first { rules.preview($0, on: stored, saidYes: saidYes).isEmpty }?.name.text
    }

    private var permission: String {
        if person.flags.contains(.permissionGranted) { return "granted" }
        return person.flags.contains(.permissionDenied) ? "denied" : "unknown"
    }

    /// Whose consent is asked for, and whether it is there (`P3`, `A2`).
    private var consent: JSONValue {
        let isMinor = person.flags.contains(.minor)
        let isAsked =
            policy.isSmart || policy.consent == .person || policy.consent == .guardianForMinors && isMinor
        return .of([
            ("asked", .bool(isAsked)), ("by", .string(isMinor ? "guardian" : "user")),
            ("given", .bool(person.hasConsent)),
        ])
    }

    private func snoozed(_ snooze: Snooze) -> JSONValue {
        .of([
            ("notice", .string("\(snooze.base)~\(snooze.number)")), ("due", .string("\(snooze.due)")),
        ])
    }
}

extension JSONValue {
    /// What stands at a path; `nil` where there is nothing.
    fileprivate func at(_ path: [String]) -> JSONValue? {
        var found: JSONValue? = self
        for key in path { found = found?[key] }
        return found
    }
}
