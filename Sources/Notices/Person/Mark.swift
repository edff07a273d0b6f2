package import CivilTime

/// What a person's past must be remembered for: a slot that fired or was skipped (`T8`), a job that caps and cooldowns
/// count and that may be snoozed.
package struct Mark: Sendable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A job was emitted, which is named after its slot or has a memo.
        package static let job = Flags(rawValue: 1)
        /// On push, email or sms (`P11`, `P12`).
        package static let ringing = Flags(rawValue: 2)
        /// Counts for the cap (`P17`).
        package static let counted = Flags(rawValue: 4)
        /// A slot of this kind has come to its end or waits.
        package static let slot = Flags(rawValue: 8)
    }

    package var at: Instant
    package var date: LocalDate
    package var minute: UInt16
    package var kind: UInt8
    package var flags: Flags
    package var memo: Memo?

    /// What a job or slot needs beyond its kind and time.
    package final class Memo: Sendable {
        package let subject: String?
        package let job: JobMemo?

        package init(subject: String?, job: JobMemo? = nil) {
            self.subject = subject
            self.job = job
        }
    }

    /// Whether it is of a slot, and of this kind's for this subject.
    func names(_ kind: Int, _ subject: String?) -> Bool {
        guard self.kind == kind, flags.contains(.slot) else { return false }
        return memo == nil ? subject == nil : memo?.subject == subject
    }
}

extension Mark.Flags {
    /// `P17`: on push, email or sms; counted unless of a locked kind or critical.
    init(job channels: ChannelSet, _ kind: Kind, _ priority: Priority) {
        self = .job
        guard !channels.isDisjoint(with: .ringing) else { return }
        insert(.ringing)
        if !kind.isLocked, priority != .critical { insert(.counted) }
    }
}

/// A job as it was, to be sent again by a snooze.
package final class JobMemo: Sendable {
    package let name: String
    package let raisedAt: Instant
    package let date: LocalDate
    package let subjects: [String]
    package let priority: Priority
    package let title: String
    package let body: String
    package let data: FlatMap<Text>
    package let expiresAt: Instant?
    package let subtype: String?

    package init(
        name: String, raisedAt: Instant, date: LocalDate, subjects: [String], priority: Priority, title: String,
        body: String, data: FlatMap<Text>,
        expiresAt: Instant?, subtype: String?
    ) {
        self.name = name
        self.raisedAt = raisedAt
        self.date = date
        self.subjects = subjects
        self.priority = priority
        self.title = title
        self.body = body
        self.data = data
        self.expiresAt = expiresAt
        self.subtype = subtype
    }
}
