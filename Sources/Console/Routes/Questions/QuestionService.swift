public import CivilTime
public import Notices

/// What is asked about people.
public struct QuestionService: Sendable {
    /// A question may take long, so whoever works on the answer asks now and then whether the asker still waits for it.
    /// Who has gone need not be replied to.
    public var ask: @Sendable (Question, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// Lists whom the log knows; bounded like a question.
    public var people: @Sendable (PeopleQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void

    public init(
        ask: @escaping @Sendable (Question, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        people: @escaping @Sendable (PeopleQuestion, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    ) {
        self.ask = ask
        self.people = people
    }
}

// MARK: Asking who is there

public struct PeopleQuestion: Sendable, Equatable {
    public var prefix: String?
    public var state: PersonState?
    public var limit: Int?
    public var after: String?
    /// The readable form rather than JSON.
    public var wantsText: Bool
}

/// What somebody can be found by.
public enum PersonState: String, Sendable, CaseIterable {
    case waiting, snoozed, failed
    case optedOut = "opted_out"
    case unreachable, warned
}

// MARK: Asking about one person

public struct Question: Sendable, Equatable {
    public enum Subject: Sendable, Equatable {
        case state(at: Moment)
        case explain(Explained, wantsAll: Bool, at: Moment)
        case history(status: HistoryStatus?, days: Int?)
        /// What the settings page shows (`V3`).
        case settings
        /// Everything that is known of the person (`E2`'s other side).
        case export
        /// What a change of preferences would do.
        case preview(PreviewedChange)
    }

    /// What is to be explained.
    public enum Explained: Sendable, Equatable {
        /// One line for every kind.
        case everyKind
        case kind(Imagined)
        /// A notice or job that the log knows.
        case notice(String)
    }

    /// A notice as it might be raised.
    public struct Imagined: Sendable, Equatable {
        public var kind: String
        public var subject: String?
        /// In place of the kind's own.
        public var priority: Priority?

        public init(kind: String, subject: String? = nil, priority: Priority? = nil) {
            (self.kind, self.subject, self.priority) = (kind, subject, priority)
        }
    }

    /// As of which place in the log, included.
    public enum Moment: Sendable, Equatable {
        case end
        case seq(UInt64)
        case instant(Instant)
    }

    public var subject: Subject
    public var user: String
    /// The readable form rather than JSON.
    public var wantsText: Bool
}

/// How a notice or job in a person's history ended up (SPEC §11).
public enum HistoryStatus: String, Sendable, CaseIterable {
    case sent, delivered, failed, queued, blocked
}

public enum Answer: Sendable {
    /// Rendered as the question wanted it.
    case found([UInt8])
    /// The log holds nothing about this person or notice.
    case unknown(String)
    case refused(String)
    case unable(Inability)
}
