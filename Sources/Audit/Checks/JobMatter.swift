internal import CivilTime
internal import Notices

/// A job and everything the checks may ask about it: who it reached, under which rules, and what they had said.
///
/// Each check asks it anew, and none of them is given a copy.
final class JobMatter {
    let seq: UInt64
    let at: Instant
    let job: JobEmitted
    let kind: KindDocument
    let policy: PolicyDocument
    let person: AuditedPerson
    let wishes: Wishes
    let clock: ZoneClock
    /// The notices the job is for; of a digest or summary, itself.
    let own: [LiveNotice]
    /// What a digest or summary tells of (D4).
    let carried: [LiveNotice]
    /// Of a repeat, what was asked for (S1).
    let snooze: NoticeLedger.Snooze?
    let isSnooze: Bool
    /// Whether a recorded run asked for it with `force`: then only P1–P7 are asked.
    let isForced: Bool

    /// P13: today's digest, where it is still to come and has something to say.
    let digestToCome: String?

    init(
        seq: UInt64, at: Instant, job: JobEmitted, kind: KindDocument, policy: PolicyDocument, person: AuditedPerson,
        wishes: Wishes, clock: ZoneClock, own: [LiveNotice], carried: [LiveNotice],
        snooze: NoticeLedger.Snooze?, isSnooze: Bool, isForced: Bool, digestToCome: String?
    ) {
        (self.seq, self.at, self.job, self.kind, self.policy) = (seq, at, job, kind, policy)
        (self.person, self.wishes, self.clock) = (person, wishes, clock)
        (self.own, self.carried, self.digestToCome) = (own, carried, digestToCome)
        (self.snooze, self.isSnooze, self.isForced) = (snooze, isSnooze, isForced)
    }

    // What most checks ask again, looked up once a job.
    lazy var notices: [LiveNotice] = own + carried
    lazy var unlocked: [LiveNotice] = notices.filter { !isLocked($0) }
    /// Of a repeat, those of its notices that may still come; P6 and P7 may stop some of them.
    lazy var openNotices: [LiveNotice] = notices.filter { isOpen($0) }
    lazy var isLocked: Bool = own.allSatisfy { isLocked($0) } && !own.isEmpty
    /// Locked and critical notices, repeats the person asked for, forced runs and what is shown in the app alone pass
    /// P8–P13 (P14, P15, S1, §13).
    lazy var passesLaterRules: Bool = isLocked || priority == .critical || isSnooze || isForced || isInAppOnly
    /// P8 and P9: a repeat that was held comes at no hour that the person asked for. Of several it hangs on those that are open.
    lazy var passesHours: Bool = passesLaterRules && !isHeldRepeat
    private var isHeldRepeat: Bool {
        snooze?.hold != nil && own.count == 1 && !isLocked && priority != .critical && !isInAppOnly
    }
    /// Of a repeat, the event that asked for it (S1).
    var snoozedBy: UInt64? { snooze?.seq }
    var isGathering: Bool { kind.isGathering }
    /// P15, P17: a job that is on none of the other channels counts for nothing.
    var isInAppOnly: Bool { !job.channels.contains { $0 != .inApp } }

    /// P14.
    func isLocked(_ notice: LiveNotice) -> Bool {
        guard let kind = policy.kinds[notice.kind], kind.isLocked else { return false }
        return notice.subtype.flatMap { kind.subtypes[$0] }?.isLocked ?? true
    }

    /// P19: what goes with another's job needs no cooldown and no place under the cap of its own, and that other may be locked or
    /// critical.
    lazy var passesCooldownAndCap: Bool =
        passesLaterRules || own.contains { isLocked($0) || believedPriority(of: $0) == .critical }

    /// The least priority among the notices. A job may not give itself a higher one than its notices have.
    var priority: Priority {
        own.map { believedPriority(of: $0) }.min { $0.rawValue < $1.rawValue } ?? job.priority
    }

    private func believedPriority(of notice: LiveNotice) -> Priority {
        guard let own = notice.priority, own.rawValue < job.priority.rawValue else { return job.priority }
        return own
    }

    var localTime: String { clock.shown(at: at) }
}
