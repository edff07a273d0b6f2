internal import CivilTime
public import Notices

/// A person's feed, folded from their own events in order (`V4`): the newest items in front of a place, and how many are
/// unseen.
///
/// It keeps as many items as are asked for, and the names of those unseen up to a limit, however long the story is.
public struct Feed: Sendable {
    /// What a fact or decision has changed.
    public struct Change: Sendable {
        /// The items that are not as they were, oldest first.
        public var items: [FeedItem] = []
        /// Everything was taken away.
        public var isCleared = false

        public var isEmpty: Bool { items.isEmpty && !isCleared }
    }

    public let user: String
    private let before: UInt64
    private let limit: Int
    /// The newest in front of `before`, oldest first.
    private var kept: ArraySlice<FeedItem> = []
    /// Whether there were older ones.
    public private(set) var hasOlder = false
    /// The `history_cleared` that last took everything away.
    public private(set) var clearedBy: UInt64?
    /// Jobs that were not seen, of all there are, with the event of each.
    private var unseenJobs: [String: UInt64] = [:]

    /// Beyond it nobody counts.
    public static let unseenMax = 1000

    public init(of user: String, before: UInt64 = .max, limit: Int) {
        self.user = user
        self.before = before
        self.limit = limit
    }

    /// Newest first.
    public var items: [FeedItem] { kept.reversed() }
    public var unseen: Int { min(unseenJobs.count, Self.unseenMax) }

    /// Takes in one of the person's events; others change nothing.
    public mutating func take(_ event: Event) -> Change {
        guard event.user == user else { return Change() }
        switch event.payload {
        case .jobEmitted(let job): return emit(job, event)
        case .feedSeen: return seeAll(event)
        case .historyCleared:
            let hadAny = !kept.isEmpty || hasOlder
            (kept, hasOlder, unseenJobs) = ([], false, [:])
            if hadAny { clearedBy = event.seq }
            return Change(isCleared: hadAny)
        case .personErased: return clear()
        case .noticeOpened(let answer): return see(answer.job.text, event) { $0.isOpened = true }
        case .noticeDismissed(let answer): return see(answer.job.text, event) { $0.isDismissed = true }
        case .noticeSnoozed(let snooze):
            let until = event.at.advanced(byMinutes: Int64(snooze.minutes))
            return change(event) {
                $0.job.job == snooze.job
            } by: {
                $0.snoozedUntil = until
            }
        case .noticeHeld(let held):
            // A repeat that came late, and waits for an hour that suits.
            guard let repeated = held.notice.text.asRepeat else { return Change() }
            return change(event) {
                $0.base == repeated.base && $0.snoozedUntil != nil
            } by: {
                $0.snoozedUntil = held.until
            }
        case .noticeDropped(let dropped):
            // A repeat that does not come after all.
            guard let repeated = dropped.notice.text.asRepeat else { return Change() }
            return change(event) {
                $0.base == repeated.base && $0.snoozedUntil != nil
            } by: {
                $0.snoozedUntil = nil
            }
        case .jobDelivered(let outcome): return tell(outcome.job, event)
        case .jobFailed(let outcome): return tell(outcome.job, event)
        case .deliveryReported(let report): return tell(report.job, event)
        case .jobRetryRequested(let retry): return tell(retry.job, event)
        default: return Change()
        }
    }

    /// The person was erased: whoever reads their feed has to forget it too (`E1`).
    public mutating func clear() -> Change {
        (kept, hasOlder, unseenJobs) = ([], false, [:])
        return Change(isCleared: true)
    }

    private mutating func emit(_ job: JobEmitted, _ event: Event) -> Change {
        // Its words were erased (`texts_erased`): nobody can make anything of it.
        if job.tellsErased { return Change() }
        var changed = Change()
        var item = FeedItem(job, event)
        // A test counts for nothing (`N8`), and so among the unseen neither.
        if job.isTest == true { item.isSeen = true }
        if item.base != job.job.text {
            // It is there once: what comes again takes the place of what came before (`D8`).
            changed = see(item.base, event) { $0.snoozedUntil = nil }
        }
        if job.isTest != true {
            unseenJobs[item.base] = event.seq
            if unseenJobs.count > 2 * Self.unseenMax { forgetOldUnseen() }
        }
        guard event.seq < before else { return changed }
        kept.append(item)
        if kept.count > limit {
            kept.removeFirst()
            hasOlder = true
            if kept.startIndex > 1024 { kept = ArraySlice(Array(kept)) }
        }
        changed.items.append(item)
        return changed
    }

    private mutating func forgetOldUnseen() {
        let newest = unseenJobs.sorted { $0.value > $1.value }.prefix(Self.unseenMax)
        unseenJobs = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }

    private mutating func seeAll(_ event: Event) -> Change {
        unseenJobs = [:]
        return change(event) {
            !$0.isSeen
        } by: {
            $0.isSeen = true
        }
    }

    /// Somebody has dealt with a job: it was seen, in whichever of its repeats.
    private mutating func see(_ name: String, _ event: Event, _ mark: (inout FeedItem) -> Void) -> Change {
        let base = name.asRepeat?.base ?? name
        unseenJobs[base] = nil
        return change(event) {
            $0.base == base
        } by: { item in
            item.isSeen = true
            if item.job.job.text == name || item.job.job.text == base { mark(&item) }
        }
    }

    private mutating func tell(_ job: NoticeName, _ event: Event) -> Change {
        change(event) {
            $0.job.job == job
        } by: {
            $0.standing.take(event)
        }
    }

    private mutating func change(
        _ event: Event, where isMeant: (FeedItem) -> Bool, by change: (inout FeedItem) -> Void
    ) -> Change {
        var changed = Change()
        for place in kept.indices where isMeant(kept[place]) {
            change(&kept[place])
            kept[place].changedBy = event.seq
            changed.items.append(kept[place])
        }
        return changed
    }
}
