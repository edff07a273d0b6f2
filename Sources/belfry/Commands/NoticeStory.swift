import CivilTime
import Console
import Notices
import Worker

/// Everything that was decided about one notice, each time with the rules as they were asked then.
struct NoticeStory {
    private struct Chapter {
        var event: Event
        var told: String
        var explanation: Explanation?
        /// Where the person was then: what was held until the morning there is told by that morning.
        var zone: ZoneRules
    }

    private let name: String
    private let showsAll: Bool
    private var chapters: [Chapter] = []

    /// - Parameter showsAll: whether the rules without an objection are listed too.
    init(
        _ name: String, showsAll: Bool, until moment: Question.Moment, _ source: StorySource, _ zones: ZoneDatabase
    ) throws(Unanswered) {
        self.name = name
        self.showsAll = showsAll
        let base = name.asRepeat?.base ?? name
        var chapters: [Chapter] = []
        var names: [String] = []
        var known: Set<String> = []
        var carriers = Carriers(of: name)
        var digests = DigestEnds(of: name)
        _ = try source.tell(until: moment, zones) { event, biography in
            for name in Self.named(event.payload, source.user) where known.insert(name).inserted { names.append(name) }
            carriers.note(event.payload)
            digests.note(event, biography) { Self.explanation($0, event, biography) }
            let zone = biography.person?.zone ?? .utc
            guard let told = Self.told(event, of: name, base, zone) ?? carriers.told(event.payload) else { return }
            if let explanation = Self.explanation(name, event, biography) {
                return chapters.append(Chapter(event: event, told: told, explanation: explanation, zone: zone))
            }
            let digest = digests.told(event)
            let remark = digest?.remark ?? DigestEnds.remark(ending: event, biography) ?? ""
            chapters.append(
                Chapter(event: event, told: told + remark, explanation: digest?.explanation, zone: zone))
        }
        guard !chapters.isEmpty else {
            throw Self.unknown(name, of: source.user, moment, among: names)
        }
        self.chapters = chapters
    }

    /// The rules as they were asked then about this notice, also where the decision was about a job that told of others too.
    private static func explanation(_ name: String, _ event: Event, _ biography: Biography) -> Explanation? {
        guard let person = biography.person, event.payload.type.side == .decision else { return nil }
        let waiting = person.details.waiting.first { $0.notice.name == name }
        // A digest or a summary lists what was gathered, and asks it no rule to be sent.
        if case .jobEmitted = event.payload, waiting?.gatheredInto != nil { return nil }
        guard let notice = biography.notice(named: name, decidedBy: event) else { return nil }
        let joins = if case .jobEmitted(let job) = event.payload { job.isBundle && job.job.text != name } else { false }
        guard let explanation = biography.explanation(of: notice, decidedBy: event, joinsAnother: joins)
        else { return nil }
        // The rules were not what ended it: a next slot, an analysis, a digest that was dropped.
        if case .noticeDropped(let dropped) = event.payload, explanation.outcome?.reason != dropped.reason {
            return nil
        }
        return explanation
    }

    private static func named(_ event: Payload, _ user: String) -> [String] {
        switch event {
        case .noticeHeld(let held): [held.notice.text]
        case .noticeGathered(let gathered): [gathered.notice.text]
        case .noticeDropped(let dropped): [dropped.notice.text]
        case .jobEmitted(let job): [job.job.text] + job.notices.map(\.text)
        case .slotsSkipped(let skipped): [skipped.first.text, skipped.last.text].map { skipped.name($0, of: user) }
        default: []
        }
    }

    private static func unknown(
        _ name: String, of user: String, _ moment: Question.Moment, among names: [String]
    ) -> Unanswered {
        let then = if case .end = moment { "" } else { " up to then" }
        let hint =
            NearestName.of(name, among: names).map { "did you mean \($0)?" }
            ?? "`belfry log --user \(user)` lists their decisions"
        return .unknown("the log holds no notice \"\(name)\" of \(user)\(then); \(hint)")
    }

    /// A repeat came because it was asked for, whatever raised what it repeats.
    private static func isCause(_ event: Event, of name: String) -> Bool {
        let name = NoticeName(name)
        return !name.isRepeat && name.cause == event.seq
    }

    /// What an event says of the notice; `nil` where it says nothing.
    private static func told(_ event: Event, of name: String, _ base: String, _ zone: ZoneRules) -> String? {
        if isCause(event, of: name), let raised = event.payload.toldAsCause { return raised }
        switch event.payload {
        case .noticeHeld(let held) where held.notice.text == name:
            return "held until \(held.until.told(in: zone)): \(held.reason.name)"
        case .noticeGathered(let gathered) where gathered.notice.text == name:
            return "gathered into \(gathered.into): \(gathered.reason.name)"
        case .noticeDropped(let dropped) where dropped.notice.text == name:
            return "dropped: \(dropped.reason.name)\(dropped.reason.remark)"
        case .slotsSkipped(let skipped): return skipped.told(of: name, user: event.user ?? "")
        case .jobEmitted(let job) where job.job.text == name:
            return "handed out for \(job.channels.map(\.name).joined(separator: ", ")): “\(job.title)”"
        case .jobDelivered(let outcome) where outcome.job.text == name: return "sent on \(outcome.channel.name)"
        case .deliveryReported(let report) where report.job.text == name:
            return
                "\(report.status.name) on \(report.channel.name)\(report.code.map { ": \($0.text)" } ?? "")\(report.givesWayTo.toldInstead)"
        case .jobRetryRequested(let retry) where retry.job.text == name: return "asked for once more"
        case .jobFailed(let outcome) where outcome.job.text == name && outcome.isUntried == true:
            return "not sent on \(outcome.channel.name): \(outcome.reason.text)"
        case .jobFailed(let outcome) where outcome.job.text == name:
            return "failed on \(outcome.channel.name): \(outcome.reason.text)"
        case .noticeOpened(let answer) where answer.job.text == name: return "opened"
        case .noticeDismissed(let answer) where answer.job.text == name: return "dismissed"
        case .noticeSnoozed(let snooze) where snooze.job.text == name || snooze.job.text == base:
            return "snoozed for \(snooze.minutes) minutes"
        case .feedbackGiven(let feedback) where feedback.job.text == name:
            return feedback.isHelpful ? "found helpful" : "found not helpful"
        default: return nil
        }
    }

    var lines: [String] {
        var lines = [name]
        for chapter in chapters {
            lines.append("  event \(chapter.event.seq), \(chapter.event.at.told(in: chapter.zone)): \(chapter.told)")
            if let explanation = chapter.explanation {
                lines += explanation.lines(in: chapter.zone, showsAll: showsAll)
            }
        }
        return lines
    }

    var document: JSONValue {
        .object([
            .init("notice", .string(name)),
            .init(
                "events",
                .array(
                    chapters.map { chapter in
                        .object([
                            .init("seq", .number("\(chapter.event.seq)")),
                            .init("at", .string("\(chapter.event.at)")),
                            .init("type", .string(chapter.event.payload.type.text)),
                            .init("says", .string(chapter.told)),
                            .init("explanation", chapter.explanation?.document ?? .null),
                        ])
                    })),
        ])
    }
}

extension SlotsSkipped {
    fileprivate func name(_ slot: String, of user: String) -> String {
        ([user, kind.text] + (subject.map { [$0.text] } ?? []) + [slot]).joined(separator: "/")
    }

    /// What is said of a slot that was skipped, called as its notice would have been; `nil` where it is none of them.
    fileprivate func told(of name: String, user: String) -> String? {
        let why = "skipped: \(reason.name) (\(reason.words))"
        if name == self.name(first.text, of: user) || name == self.name(last.text, of: user) {
            return count == 1 ? why : "\(why), one of \(count) from \(first) to \(last)"
        }
        // The record names only the ends.
        let parts = NoticeName(name)
        guard parts.kind == kind.text, parts.subject == subject?.text, !parts.isRepeat,
            let slot = name.split(separator: "/").last.flatMap({ LocalDateTime(String($0)) }),
            let first = LocalDateTime(first.text), let last = LocalDateTime(last.text), first < slot, slot < last
        else { return nil }
        return "\(count) slots from \(first) to \(last) were \(why)"
    }
}

extension [Channel] {
    /// Behind what a provider reported: the channels that the job is tried on instead (`N4`).
    var toldInstead: String { isEmpty ? "" : "; tried on \(map(\.name).joined(separator: ", then ")) instead" }
}

extension Reason {
    /// What a reason means that no rule of the pipeline gives.
    fileprivate var remark: String {
        switch self {
        case .superseded: " (its next slot had come, C4)"
        case .overload: " (\(Self.waitingMost))"
        case .noRuleMatched: " (no mention and no keyword, A5)"
        case .suppressed: " (the person's fallback lets nothing through, A5)"
        default: ""
        }
    }

    /// `P12` drops nothing: an `overload` behind a drop is the limit of what may wait.
    private static let waitingMost = "no more than \(PersonLimits.waiting) notices may wait, G11"

    /// The reason's name in a sentence about what would be dropped.
    var asDropped: String { self == .overload ? "\(name): \(Self.waitingMost)" : name }
}
