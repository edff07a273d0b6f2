public import CivilTime
public import Notices

/// One person's notices and jobs with their outcomes, folded from that person's events in order (SPEC §11).
///
/// It decides nothing, and needs neither policy nor clock. `history_cleared` hides what had come to its end before; what
/// was still waiting then is no history yet.
public struct PersonHistory: Sendable {
    public let user: String
    private var entries: [String: HistoryEntry] = [:]
    private var count = 0
    /// Facts that a notice is named after, until it is decided about.
    private var messages: [UInt64: Instant] = [:]
    public private(set) var clearedAt: Instant?

    public init(of user: String) { self.user = user }

    public mutating func take(_ event: Event) {
        guard event.user == user else { return }
        switch event.payload {
        case .noticeRequested(let request): ask(request, event)
        case .messageReceived, .timezoneChanged: messages[event.seq] = event.at
        case .testRequested(let request):
            add("\(user)/\(request.kind.text)/#\(event.seq)", request.kind.text, nil, .undecided, raisedAt: event.at)
            entries["\(user)/\(request.kind.text)/#\(event.seq)"]?.isTest = true
        case .noticeHeld(let held):
            decide(held.notice, held.kind, held.subject, .held(until: held.until, held.reason), event)
        case .noticeGathered(let gathered):
            let state = HistoryEntry.State.gathered(into: gathered.into.text, gathered.reason)
            decide(gathered.notice, gathered.kind, gathered.subject, state, event)
        case .noticeDropped(let dropped):
            let digest = digestStopping(dropped, at: event.at)
            decide(dropped.notice, dropped.kind, dropped.subject, .dropped(dropped.reason), event)
            entries[dropped.notice.text]?.takenAlongBy = digest
        case .slotsSkipped(let skipped): skip(skipped, event)
        case .jobEmitted(let job): emit(job, event)
        case .historyCleared:
            entries = entries.filter { $0.value.isWaiting }
            clearedAt = event.at
        default: takeAnswer(event)
        }
    }

    /// What a history shows: all that still waits, and what ended since.
    public func report(_ query: HistoryQuery) -> HistoryReport {
        let ordered = entries.values.sorted { ($0.shownAt, $0.order) < ($1.shownAt, $1.order) }
        let recent = ordered.filter { $0.isWaiting || $0.decidedAt >= query.since }
        let isAskedFor = { (entry: HistoryEntry) in query.status == nil || entry.status == query.status }
        let before = ordered.last { isAskedFor($0) && !$0.isWaiting && $0.decidedAt < query.since }
        return HistoryReport(
            query: query, entries: recent.filter(isAskedFor),
            counts: Dictionary(grouping: recent, by: \.status).mapValues(\.count),
            lastBefore: before?.decidedAt, clearedAt: clearedAt)
    }

    // MARK: Notices

    private mutating func ask(_ request: NoticeRequested, _ event: Event) {
        let subject = request.subject.map { "/\($0.text)" } ?? ""
        let name = "\(user)/\(request.kind.text)\(subject)/#\(event.seq)"
        add(name, request.kind.text, request.subject?.text, .undecided, raisedAt: event.at)
        entries[name]?.title = request.title?.text
        entries[name]?.body = request.body?.text
    }

    private mutating func decide(
        _ notice: NoticeName, _ kind: Identifier, _ subject: Identifier?, _ state: HistoryEntry.State, _ event: Event
    ) {
        let name = notice.text
        if entries[name] == nil { add(name, kind.text, subject?.text, state, raisedAt: raised(name, event)) }
        entries[name]?.state = state
        entries[name]?.decidedAt = event.at
    }

    /// The digest that was dropped for the same reason at the same instant as a notice that it had gathered.
    private func digestStopping(_ dropped: NoticeDropped, at instant: Instant) -> String? {
        guard case .gathered(let into, _)? = entries[dropped.notice.text]?.state, let digest = entries[into],
            digest.decidedAt == instant, digest.state == .dropped(dropped.reason)
        else { return nil }
        return into
    }

    private mutating func skip(_ skipped: SlotsSkipped, _ event: Event) {
        let subject = skipped.subject.map { "/\($0.text)" } ?? ""
        let name = "\(user)/\(skipped.kind.text)\(subject)/\(skipped.first.text)"
        let state = HistoryEntry.State.skipped(
            skipped.reason, first: skipped.first.text, last: skipped.last.text, count: skipped.count)
        add(name, skipped.kind.text, skipped.subject?.text, state, raisedAt: event.at)
    }

    private mutating func emit(_ job: JobEmitted, _ event: Event) {
        let name = job.job.text
        var parts: [HistoryEntry.Part] = []
        for notice in job.notices where notice != job.job || job.notices.count > 1 {
            let known = entries[notice.text]
            // What a digest or a bundle lists is told there.
            if notice != job.job { entries[notice.text] = nil }
            // A digest's own notice is the digest itself; a bundle's first is one of those bundled.
            guard notice != job.job || job.summary["notices"] == nil else { continue }
            parts.append(
                HistoryEntry.Part(
                    notice: notice.text, kind: known?.kind ?? job.kind.text, subject: known?.subject,
                    title: known?.title))
        }
        if entries[name] == nil {
            add(name, job.kind.text, job.subject?.text, .emitted, raisedAt: raised(name, event))
        }
        entries[name]?.state = .emitted
        entries[name]?.decidedAt = event.at
        entries[name]?.title = job.title.text
        entries[name]?.body = job.body.text
        entries[name]?.sender = job.data["sender"]?.text
        if job.isTest == true { entries[name]?.isTest = true }
        entries[name]?.channels = job.channels
        entries[name]?.standing = JobStanding(on: job.channels)
        entries[name]?.parts = parts
    }

    private mutating func add(
        _ name: String, _ kind: String, _ subject: String?, _ state: HistoryEntry.State, raisedAt: Instant
    ) {
        count += 1
        entries[name] = HistoryEntry(
            name: name, kind: kind, subject: subject, raisedAt: raisedAt, decidedAt: raisedAt, state: state,
            order: count)
    }

    /// A notice named after a fact was raised by it, others by what was decided first.
    private mutating func raised(_ name: String, _ event: Event) -> Instant {
        guard let mark = name.utf8.lastIndex(of: UInt8(ascii: "#")), let seq = UInt64(name[mark...].dropFirst()),
            let at = messages.removeValue(forKey: seq)
        else { return event.at }
        return at
    }

    // MARK: Outcomes and answers

    private mutating func tell(
        _ event: Event, of job: NoticeName, _ channel: Channel?, _ word: HistoryEntry.Outcome.Word,
        _ providerID: Token? = nil
    ) {
        entries[job.text]?.outcomes.append(
            .init(at: event.at, channel: channel, word: word, providerID: providerID?.text))
        entries[job.text]?.standing.take(event)
    }

    private mutating func takeAnswer(_ event: Event) {
        let at = event.at
        switch event.payload {
        case .jobDelivered(let outcome):
            tell(event, of: outcome.job, outcome.channel, .sent, outcome.providerID)
        // Nobody was sent anything, and nothing failed.
        case .jobFailed(let outcome) where outcome.isUntried == true:
            entries[outcome.job.text]?.standing.take(event)
        case .jobFailed(let outcome):
            let word = HistoryEntry.Outcome.Word.failed(outcome.reason.text, isPermanent: outcome.isPermanent)
            tell(event, of: outcome.job, outcome.channel, word)
        case .deliveryReported(let report):
            let word = HistoryEntry.Outcome.Word.reported(
                report.status, code: report.code?.text, isPermanent: report.isPermanent, device: report.device?.text,
                givesWayTo: report.givesWayTo)
            tell(event, of: report.job, report.channel, word, report.providerID)
        case .jobRetryRequested(let retry): tell(event, of: retry.job, nil, .retried)
        case .noticeOpened(let answer): entries[answer.job.text]?.answers.append(.init(at: at, act: .opened))
        case .noticeDismissed(let answer): entries[answer.job.text]?.answers.append(.init(at: at, act: .dismissed))
        case .noticeSnoozed(let snooze):
            entries[snooze.job.text]?.answers.append(.init(at: at, act: .snoozed(minutes: snooze.minutes)))
        case .feedbackGiven(let feedback):
            entries[feedback.job.text]?.answers.append(
                .init(at: at, act: .judged(isHelpful: feedback.isHelpful)))
        default: break
        }
    }
}

/// A person's history as it was asked for.
public struct HistoryReport: Sendable {
    public let query: HistoryQuery
    /// Those asked for, oldest first.
    public let entries: [HistoryEntry]
    /// Of everything in these days, whatever status was asked for.
    public let counts: [HistoryQuery.Status: Int]
    /// When the last one of those asked for ended that is too old to be shown.
    public let lastBefore: Instant?
    public let clearedAt: Instant?
}
