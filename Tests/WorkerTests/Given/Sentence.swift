import CivilTime
import Notices

/// A decision in one line, such as `held reminder/#3 until 2026-03-03T08:00+01:00 quiet_hours`.
///
/// Names go without `anna/`; instants are in the person's own zone; a job's priority is told where it is not its
/// kind's, its notices where they are more than the one it is named after.
struct Sentence {
    private let event: Event
    private let zone: ZoneRules
    private let plan: Plan

    init(_ event: Event, _ zone: ZoneRules, _ plan: Plan) {
        self.event = event
        self.zone = zone
        self.plan = plan
    }

    var text: String {
        switch event.payload {
        case .noticeHeld(let held):
            "held \(short(held.notice)) until \(held.until.local(in: zone)) \(held.reason.name)"
        case .noticeGathered(let gathered):
            "gathered \(short(gathered.notice)) into \(short(gathered.into)) \(gathered.reason.name)"
        case .noticeDropped(let dropped): "dropped \(short(dropped.notice)) \(dropped.reason.name)"
        case .slotsSkipped(let skipped): skip(skipped)
        case .jobEmitted(let job): emission(job)
        case .sessionCompleted(let session): "completed a session in \(session.conversation?.text ?? "?")"
        case .analysisRequested(let request): "asks about \(request.conversation.text) \(request.trigger.name)"
        case .analysisConcluded(let end): conclusion(end)
        case .phoneVerified(let phone): "verified \(phone.phone.text)"
        case .phoneLocked(let phone): "locked \(phone.phone.text)"
        default: event.payload.type.text
        }
    }

    private func short(_ name: NoticeName) -> String {
        name.text.hasPrefix("anna/") ? String(name.text.dropFirst("anna/".count)) : name.text
    }

    private func skip(_ skipped: SlotsSkipped) -> String {
        let whose = event.user == "anna" ? "" : "\(event.user ?? "")/"
        let subject = skipped.subject.map { "/\($0.text)" } ?? ""
        let slots =
            skipped.count == 1
            ? skipped.first.text : "\(skipped.first.text)…\(skipped.last.text) (\(skipped.count))"
        return "skipped \(whose)\(skipped.kind.text)\(subject) \(slots) \(skipped.reason.name)"
    }

    private func emission(_ job: JobEmitted) -> String {
        var parts = ["emitted \(short(job.job))"]
        if job.notices != [job.job] { parts.append("(\(job.notices.map(short).joined(separator: ", ")))") }
        parts.append("[\(job.channels.map(\.name).joined(separator: ", "))]")
        let usual = plan.rules.place(of: job.kind.text).map { plan.rules.kinds[$0].priority }
        if job.priority != usual { parts.append(job.priority.name) }
        let counts = job.summary.entries.filter { $0.value != 0 }.map { "\($0.key) \($0.value)" }
        if !counts.isEmpty { parts.append("{\(counts.joined(separator: ", "))}") }
        return parts.joined(separator: " ")
    }

    private func conclusion(_ end: AnalysisConcluded) -> String {
        let verdict = end.notify ? "notify \(end.priority.name)" : "be silent"
        return "concluded \(end.conversation.text) by \(end.source.name): \(verdict), \(end.reason.text)"
    }
}

extension Instant {
    /// RFC 3339 with the person's own offset, without the seconds where they are none.
    func local(in zone: ZoneRules) -> String {
        let offset = Int64(zone.offsetSeconds(at: self))
        var wall = String(advanced(bySeconds: offset).description.dropLast())
        for zeros in [".000", ":00"] where wall.hasSuffix(zeros) {
            guard zeros == ".000" || wall.utf8.count == "2026-03-02T09:00:00".utf8.count else { continue }
            wall = String(wall.dropLast(zeros.utf8.count))
        }
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = abs(offset) / 60
        return wall + (offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))")
    }

    /// RFC 3339, where the seconds may be left out.
    init(local text: String) {
        let minute = "2026-03-02T09:00".utf8.count
        let rest = text.dropFirst(minute)
        let whole = rest.hasPrefix(":") ? text : "\(text.prefix(minute)):00\(rest)"
        do { try self.init(rfc3339: whole) } catch { preconditionFailure("\(text): \(error)") }
    }
}

/// The millisecond before an instant.
func justBefore(_ text: String) -> String { Instant(local: text).advanced(byMilliseconds: -1).description }

/// The millisecond after an instant.
func justAfter(_ text: String) -> String { Instant(local: text).advanced(byMilliseconds: 1).description }
