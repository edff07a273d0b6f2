import CivilTime
import Console
import Notices
import Worker

/// Shows what a change of preferences would do (SPEC §3): every value as path, from, to and a sentence, every warning, and
/// what of what waits it would drop, hold or release.
struct PreferencePreview {
    /// What is tried, and what it is for.
    let name: String
    var about = ""
    let trial: PreferenceTrial

    var lines: [String] {
        guard !trial.changes.isEmpty else { return ["\(name) would change nothing"] + rest }
        let width = trial.changes.map(\.sentence.count).max() ?? 0
        return ["\(name)\(about.isEmpty ? "" : " (\(about))") would change:"]
            + trial.changes.map { change in
                let gap = String(repeating: " ", count: width - change.sentence.count + 2)
                return "  \(change.sentence)\(gap)\(change.path): \(change.from.text) → \(change.to.text)"
            } + rest
    }

    private var rest: [String] {
        trial.warnings.map { "warning: \($0.sentence)" }
            + trial.waiting.map { "waiting: \($0.label) (\($0.notice)) \($0.fate.words(in: trial.zone))" }
    }

    var answer: PersonAnswer { PersonAnswer(lines: lines, documents: [document]) }

    private var document: JSONValue {
        .object([
            .init("preferences", trial.document),
            .init("changes", .array(trial.changes.map(\.document))),
            .init("warnings", .array(trial.warnings.map { .string($0.sentence) })),
            .init("waiting", .array(trial.waiting.map(\.document))),
        ])
    }
}

extension Change {
    fileprivate var document: JSONValue {
        .object([
            .init("path", .string(path)), .init("from", from), .init("to", to), .init("sentence", .string(sentence)),
        ])
    }
}

extension PreferenceTrial.Waiting {
    fileprivate var document: JSONValue {
        var members: [JSONValue.Member] = [
            .init("notice", .string(notice)), .init("kind", .string(kind)),
            .init("subject", subject.map { .string($0) } ?? .null), .init("title", title.map { .string($0) } ?? .null),
            .init("raised_at", .string("\(raisedAt)")), .init("fate", .string(fate.word)),
        ]
        if let reason = fate.reason { members.append(.init("reason", .string(reason.name))) }
        switch fate {
        case .held(let until, _): members.append(.init("until", .string("\(until)")))
        case .gathered(let into, _): members.append(.init("into", .string(into)))
        case .released(let channels):
            members.append(.init("channels", .array(channels.map { .string($0.name) })))
        case .dropped, .droppedFromDigest: break
        }
        return .object(members)
    }
}

extension PreferenceTrial.Fate {
    fileprivate var word: String {
        switch self {
        case .dropped: "dropped"
        case .droppedFromDigest: "dropped_from_digest"
        case .held: "held"
        case .gathered: "gathered"
        case .released: "released"
        }
    }

    fileprivate var reason: Reason? {
        switch self {
        case .dropped(let reason), .droppedFromDigest(let reason), .held(_, let reason), .gathered(_, let reason):
            reason
        case .released: nil
        }
    }

    fileprivate func words(in zone: ZoneRules) -> String {
        switch self {
        case .dropped(let reason): "would be dropped: \(reason.words)"
        case .droppedFromDigest(let reason): "would be left out of its digest: \(reason.words)"
        case .held(let until, let reason): "would be held until \(until.told(in: zone)): \(reason.words)"
        case .gathered(let into, let reason): "would be gathered into \(into): \(reason.words)"
        case .released(let channels): "would be sent at once (\(channels.map(\.name).joined(separator: ", ")))"
        }
    }
}

extension PersonAnswers {
    /// What a change would do, as of the end of the log.
    func preview(_ change: PreviewedChange) throws(Unanswered) -> PreferencePreview {
        let (biography, now) = try source.tell(until: .end, zones)
        guard let number = biography.register.number(of: source.user) else { throw .notKnownThen(source.user) }
        let rules = biography.plan.rules
        let fact: Payload
        var (name, about) = ("the patch", "")
        switch change {
        case .patch(let patch):
            if let zone = patch.timezone, biography.plan.zone(zone) == nil {
                throw .refused("patch.timezone: \"\(zone)\" is not a zone of this tz database")
            }
            var changed = PreferencesChanged()
            changed.patch = patch
            fact = .preferencesChanged(changed)
        case .preset(let asked):
            guard let preset = rules.preset(named: asked) else { throw .refused(Self.noPreset(asked, rules)) }
            (name, about) = (asked, preset.about.text)
            var applied = PresetApplied()
            applied.preset = preset.name
            fact = .presetApplied(applied)
        case .reset:
            name = "a reset"
            fact = .preferencesReset(PreferencesReset())
        }
        do throws(FieldError) {
            let trial = try biography.register.trial(of: fact, about: number, user: source.user, at: now)
            return PreferencePreview(name: name, about: about, trial: trial)
        } catch {
            throw .refused("\(error)")
        }
    }

    private static func noPreset(_ name: String, _ rules: Rulebook) -> String {
        let names = rules.policy.presets.map(\.name.text)
        let known = names.isEmpty ? "which has none" : "which has " + names.joined(separator: ", ")
        let nearest = NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
        return "\"\(name)\" is not a preset of the policy \(rules.policy.name), \(known)\(nearest)"
    }
}
