/// What stands at the top of a preferences document (SPEC §3), in its order, but for the zone, which is kept on the person (`T9`).
///
/// None of them hangs on another: what is said of one can be read, laid and compared by itself.
enum DocumentField: UInt8, CaseIterable {
    case enabled
    case checkInsEnabled
    case frequency
    case checkInTime
    case checkInDays
    case quietHours
    case schedule
    case digestMode
    case channels
    case kinds
    case reminderTime
    case goals
    case subjects
    case choices
    case pauseThreshold
    case activeConversationThreshold
    case priorityKeywords
    case maxAnalysesPerHour
    case fallback

    static let inOrder = allCases

    var name: String {
        switch self {
        case .enabled: "enabled"
        case .checkInsEnabled: "check_ins_enabled"
        case .frequency: "frequency"
        case .checkInTime: "check_in_time"
        case .checkInDays: "check_in_days"
        case .quietHours: "quiet_hours"
        case .schedule: "schedule"
        case .digestMode: "digest_mode"
        case .channels: "channels"
        case .kinds: "kinds"
        case .reminderTime: "reminder_time"
        case .goals: "goals"
        case .subjects: "subjects"
        case .choices: "choices"
        case .pauseThreshold: "pause_threshold_seconds"
        case .activeConversationThreshold: "active_conversation_threshold"
        case .priorityKeywords: "priority_keywords"
        case .maxAnalysesPerHour: "max_analyses_per_hour"
        case .fallback: "fallback_strategy"
        }
    }

    private static let named = Dictionary(uniqueKeysWithValues: inOrder.map { ($0.name, $0) })

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
