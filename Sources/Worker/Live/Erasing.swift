public import CivilTime
public import Journal
internal import Notices

/// What the policy keeps for some time alone.
extension WorkerCore {
    /// To be called before the commit in the making is written: has its texts sealed as the policy wants it, and tells of those whom
    /// retention erases with it.
    func beginCommit() throws(JournalError) {
        draft.textsByWeek = decider.plan.policy.keepsTextsForAWhile
        guard let willErase, decider.plan.policy.retention != nil else { return }
        let users = draft.erasedByRetention
        if !users.isEmpty { try willErase(users) }
    }

    // MARK: Texts

    /// Has texts erased whose time is over: says so in the log, behind which their keys are destroyed.
    func eraseTexts(at now: Instant) throws(JournalError) {
        guard !isClosing, let due = textsDue, due <= now, let days = decider.plan.policy.retention?.textsAfterDays
        else { return }
        // All weeks whose time is over by now, not the first alone.
        let before = TextWeek(
            of: now.advanced(byMilliseconds: -Self.textHour(of: journal.identity))
                .advanced(byDays: -Int64(days) - 1)
        ).start
        var note = TextsErased()
        (note.before, note.afterDays) = (before, days)
        draft.events.append(Event(seq: decider.nextSequence, at: now, user: nil, payload: .textsErased(note)))
        decider.nextSequence += 1
        try append(at: now)
        forgetting = Forgetting(before: before)
    }

    /// Before when the log says that texts are erased; `nil` where it says so of none since an instant. To be asked at the start, since it
    /// reads the log.
    public func textsErasedBefore(saidSince instant: Instant) throws(JournalError) -> Instant? {
        guard journal.seals != nil else { return nil }
        let log = try LogReader(journal.directory, on: journal.disk)
        return try log.lastTextsErased(in: journal.generalCommits, saidSince: instant)?.start
    }

    /// When the first texts that are kept for some time alone are to be erased; `nil` where there are none. Each log has an hour of its own:
    /// a machine with many would have all of them to do at once.
    var textsDue: Instant? {
        guard let retention = decider.plan.policy.retention, retention.textsAfterDays != nil,
            let first = journal.seals?.firstTextWeek,
            // Those of which the log says so already lose their key when it is durable.
            forgetting.map({ $0.before <= first.start }) ?? true
        else { return nil }
        return retention.end(ofTextsIn: first)?.advanced(byMilliseconds: Self.textHour(of: journal.identity))
    }

    /// In milliseconds.
    public static func textHour(of log: LogIdentity) -> Int64 { Int64(log.words.0 % 86_400_000) }

    /// Has some people forget texts that are erased. Returns whether there are more.
    func goOnForgetting() -> Bool {
        guard var forgetting, forgetting.next < decider.register.people.count else { return false }
        beginShare()
        repeat {
            let end = min(decider.register.people.count, forgetting.next + Forgetting.peopleAtOnce)
            for number in forgetting.next..<end { decider.register[number].forgetTexts(before: forgetting.before) }
            forgetting.next = end
        } while forgetting.next < decider.register.people.count && !hasLasted
        self.forgetting = forgetting
        return forgetting.next < decider.register.people.count
    }

    /// How far people have forgotten what the log last said to be erased. A state that comes from the log has nothing to forget.
    struct Forgetting {
        let before: Instant
        /// By their number in the register.
        var next = 0

        static let peopleAtOnce = 256
    }
}
