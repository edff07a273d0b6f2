public import CivilTime
public import Notices

/// Follows every notice from its raising to its end, and what else must hold of any log (P20, T7, T8).
public struct Ledger {
    public private(set) var problems: [String] = []
    /// Raised and not at its end, since when.
    private var open: [String: Instant] = [:]
    /// Gathered for a slot that lies days ahead, and until when it may wait for that digest or the next (D7).
    private var patience: [String: Instant] = [:]
    /// Held, and until when.
    private var ends: [String: Instant] = [:]
    private var ended: Set<String> = []
    private var jobs: Set<String> = []
    private var slots: Set<String> = []
    private var last: (seq: UInt64, at: Instant) = (0, .distantPast)

    public init(_ commits: [[Event]]) {
        for commit in commits {
            var asked: [String] = []
            for event in commit {
                take(event)
                if case .noticeRequested(let request) = event.payload, let user = event.user {
                    let subject = request.subject.map { "/\($0.text)" } ?? ""
                    asked.append("\(user)/\(request.kind.text)\(subject)/#\(event.seq)")
                }
            }
            for name in asked where open[name] == nil && !ended.contains(name) {
                problems.append("\(name) was asked for and nothing was decided")
            }
        }
    }

    /// Those still waiting that have done so since before an instant.
    public func waiting(since instant: Instant) -> [String] {
        open.filter { name, since in since < instant && (patience[name] ?? .distantPast) < instant }.map(\.key).sorted()
    }

    /// Those held until an instant that has come.
    public func overslept(at instant: Instant) -> [String] {
        open.keys.filter { ends[$0].map { $0 <= instant } ?? false }.sorted()
    }

    private mutating func take(_ event: Event) {
        if event.seq != last.seq + 1 { problems.append("event \(event.seq) after \(last.seq)") }
        if event.at < last.at { problems.append("event \(event.seq) goes back to \(event.at)") }
        last = (event.seq, event.at)
        switch event.payload {
        case .noticeHeld(let held):
            wait(held.notice.text, event)
            ends[held.notice.text] = held.until
            expect(held.reason, of: [.quietHours, .outsideSchedule, .cooldown, .overload, .dailyCap], event)
            if held.until <= event.at {
                problems.append("event \(event.seq) holds until \(held.until), which has passed")
            }
        case .noticeGathered(let gathered):
            wait(gathered.notice.text, event)
            ends[gathered.notice.text] = nil
            if gathered.into.text.contains("/weekly"),
                let date = LocalDate(String(gathered.into.text.suffix(16).prefix(10)))
            {
                patience[gathered.notice.text] = Instant(seconds: Int64(date.daysSince1970) * 86_400).advanced(
                    byDays: 9)
            }
            expect(gathered.reason, of: [.digestMode, .overload, .dailyCap], event)
        case .noticeDropped(let dropped):
            end(dropped.notice.text, event)
            expect(dropped.reason, of: Self.endings, event)
        case .slotsSkipped(let skipped): expect(skipped.reason, of: [.missed, .alreadyActiveToday], event)
        case .jobEmitted(let job): emit(job, event)
        case .personErased: forget(event.user ?? "")
        default: break
        }
    }

    /// All that waited has stopped (`E1`), and who comes with that id is somebody new (`E4`).
    private mutating func forget(_ user: String) {
        func isTheirs(_ name: String) -> Bool { name.hasPrefix("\(user)/") }
        for name in open.keys where isTheirs(name) { open[name] = nil }
        (ended, jobs, slots) = (
            ended.filter { !isTheirs($0) }, jobs.filter { !isTheirs($0) }, slots.filter { !isTheirs($0) }
        )
    }

    private static let endings: Set<Reason> = [
        .expired, .settled, .noConsent, .optedOut, .kindOff, .noChannel, .viewing, .quietHours, .dailyCap, .superseded,
        .noRuleMatched, .suppressed,
    ]

    private mutating func expect(_ reason: Reason, of words: Set<Reason>, _ event: Event) {
        if !words.contains(reason) { problems.append("event \(event.seq) gives the reason \(reason.name)") }
    }

    private mutating func wait(_ name: String, _ event: Event) {
        if ended.contains(name) { problems.append("event \(event.seq) lets \(name) wait, which has ended") }
        if open[name] == nil { open[name] = event.at }
    }

    private mutating func end(_ name: String, _ event: Event) {
        open[name] = nil
        if !ended.insert(name).inserted { problems.append("event \(event.seq) ends \(name) again") }
    }

    private mutating func emit(_ job: JobEmitted, _ event: Event) {
        if !jobs.insert(job.job.text).inserted { problems.append("event \(event.seq) emits \(job.job.text) again") }
        for notice in job.notices { end(notice.text, event) }
        if job.channels.isEmpty { problems.append("event \(event.seq) is on no channel") }
        // Two slots before deadlines may have one local time, and the second is then named by its instant (`T8`).
        guard let slot = job.slot, !job.job.text.hasSuffix("Z") else { return }
        let name = "\(event.user ?? "")/\(job.kind.text)/\(job.subject?.text ?? job.job.text)/\(slot.text)"
        if !slots.insert(name).inserted { problems.append("event \(event.seq) fires \(name) again") }
    }
}
