internal import CivilTime

/// What stands at the top of a preferences document (SPEC §3), in its order, but for the zone, which is kept on the person (`T9`).
///
/// None of them hangs on another: what is said of one can be read, laid and compared by itself.
enum DocumentField: UInt8, CaseIterable {
    case enabled, checkInsEnabled, frequency, checkInTime, checkInDays
    case quietHours, schedule, digestMode, channels, kinds
    case reminderTime, goals, subjects, choices
    case pauseThreshold, activeConversationThreshold, priorityKeywords, maxAnalysesPerHour, fallback

    static let inOrder = allCases

    /// What it is. Said once; a new preference is a case, its value in `PreferenceFields`, and what stands here.
    private var declared: PreferenceDeclaration {
        switch self {
        case .enabled:
            .one("enabled", \.isEnabled, .flag) {
                "\($0.turns($2)) \($0.rules.policy.isSmart ? "smart notifications" : "all notices")"
            }
        case .checkInsEnabled: .one("check_ins_enabled", \.checkInsEnabled, .flag) { "\($0.turns($2)) check-ins" }
        case .frequency:
            .one("frequency", \.frequency, .frequency) { "Check-ins come \($0.shown($2)) instead of \($0.shown($1))" }
        case .checkInTime:
            .one("check_in_time", \.checkInTime, .time) {
                "Check-ins come at \($0.shown($2)) instead of \($0.shown($1))"
            }
        case .checkInDays:
            .one("check_in_days", \.checkInDays, .days) {
                $2 == .null ? "Check-ins come on the days of their frequency" : "Check-ins come on \($0.days($2))"
            }
        case .quietHours:
            .object(
                "quiet_hours", \.quietHours, .quietHours, lay: { $0.layQuietHours($1) },
                json: { PreferenceDeclaration.difference($0.quietHours, $2?.quietHours, \.json) },
                { $0.quietHours($1[1], $2, $3) })
        case .schedule:
            .object(
                "schedule", \.schedule, .schedule, lay: { $0.laySchedule($1) },
                json: { fields, _, base in fields.scheduleJSON(beside: base) },
                { ScheduleSentence(from: $2, to: $3).text })
        case .digestMode:
            .one("digest_mode", \.digestMode, .flag) {
                $2.bool == true
                    ? "Gathers what can wait into a digest" : "Sends what could wait at once instead of in a digest"
            }
        case .channels:
            .object(
                "channels", \.channels, .channels, lay: { $0.layChannels($1) },
                json: { PreferenceDeclaration.difference($0.channels, $2?.channels, \.switches) },
                { $0.channel($1[1], $3) })
        case .kinds:
            .object(
                "kinds", \.kinds, .each(.kind), lay: { $0.layKinds($1) }, json: { $0.kindsJSON($1, beside: $2) },
                { $0.kind($1, $2, $3) })
        case .reminderTime:
            PreferenceDeclaration.one(
                "reminder_time", \.reminderTime,
                PreferenceForm(shape: .time, read: { $0.time }, json: { $0?.json ?? .null })
            ) { "Reminders of goals come at \($0.shown($2)) instead of \($0.shown($1))" }
            .written { $0.reminderTimeJSON($1, beside: $2) }
        case .goals:
            .object(
                "goals", \.goals, .each(.goal), lay: { $0.layGoals($1) }, json: { $0.goalsJSON($1, beside: $2) },
                { sentences, path, _, _ in sentences.goal(path[1]) })
        case .subjects:
            .object(
                "subjects", \.subjects, .each(.subject), lay: { $0.laySubjects($1) },
                json: { $0.subjectsJSON($1, beside: $2) }, { sentences, path, _, _ in sentences.subject(path[1]) })
        case .choices:
            .object(
                "choices", \.choices, .each(.scalar), lay: { $0.layChoices($1) },
                json: { fields, _, base in fields.choicesJSON(beside: base) }, { $0.choice($1[1], $2, $3) })
        case .pauseThreshold:
            .one(
                "pause_threshold_seconds", \.pauseThresholdSeconds,
                .number(1...86_400, within: \.pauseThresholdSeconds)
            ) { "A conversation is looked at after \($0.shown($2)) seconds of pause instead of \($0.shown($1))" }
        case .activeConversationThreshold:
            .one(
                "active_conversation_threshold", \.activeConversationThreshold,
                .number(1...1_000, within: \.activeConversationThreshold)
            ) { "A busy conversation is looked at every \($0.shown($2)) messages instead of \($0.shown($1))" }
        case .priorityKeywords:
            .one("priority_keywords", \.priorityKeywords, .words(countMax: 100, bytesMax: 200)) {
                "Priority keywords are \($0.list($2)) instead of \($0.list($1))"
            }
        case .maxAnalysesPerHour:
            .one(
                "max_analyses_per_hour", \.maxAnalysesPerHour, .number(0...1_000, within: \.maxAnalysesPerHour)
            ) { "Conversations are looked at \($0.shown($2)) times an hour at most instead of \($0.shown($1))" }
        case .fallback:
            .one("fallback_strategy", \.fallback, .fallback) {
                "Without the analysis, \($0.shown($2)) instead of \($0.shown($1))"
            }
        }
    }

    private static let declarations = allCases.map(\.declared)
    private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    var declaration: PreferenceDeclaration { Self.declarations[Int(rawValue)] }
    var name: String { declaration.name }

    init?(named name: String) {
        guard let field = Self.named[name] else { return nil }
        self = field
    }
}

/// Some of a document's fields, which are gone through in the document's order.
struct DocumentFields: Sequence {
    private var bits: UInt32 = 0

    /// Those that a document says something of.
    init(in document: JSONValue) {
        guard case .object(let members) = document else { return }
        for place in members.indices {
            if let field = DocumentField(named: members[place].key) { insert(field) }
        }
    }

    mutating func insert(_ field: DocumentField) { bits |= 1 << UInt32(field.rawValue) }

    func contains(_ field: DocumentField) -> Bool { bits & 1 << UInt32(field.rawValue) != 0 }

    struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt32

        mutating func next() -> DocumentField? {
            guard bits != 0 else { return nil }
            defer { bits &= bits - 1 }
            return DocumentField(rawValue: UInt8(bits.trailingZeroBitCount))
        }
    }

    func makeIterator() -> Iterator { Iterator(bits: bits) }
}
