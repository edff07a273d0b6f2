import CivilTime
import Console
import Journal
import Notices
import Worker

/// The answers to what can be asked about one person, the same from the command line and from a running worker.
struct PersonAnswers {
    let source: StorySource
    let zones: ZoneDatabase
    /// What `history` counts its days back from where no moment is named.
    let clock: @Sendable () -> Instant
    /// Whether messages can be analysed here (`A4`); unknown where only the log is looked at.
    var analyser = AnalyserHere.unknown
    /// Whose numbers the person's events have, where a worker keeps several logs.
    var partition: Int?

    func state(at moment: Question.Moment) throws(Unanswered) -> PersonAnswer {
        let (biography, now) = try source.tell(until: moment, zones)
        guard let person = biography.settled(), let last = biography.last else { throw .notKnownThen(source.user) }
        // Of a moment in the past the log alone tells: what is set up here, and what a test run came to, is of today.
        let analyserThen = if case .end = moment { analyser } else { AnalyserHere.unknown }
        let report = StateReport(
            user: source.user, person: person, plan: biography.plan, seq: last.seq, now: now,
            analyserHere: analyserThen, partition: partition, decidedUntil: decided(of: person, at: moment))
        return PersonAnswer(lines: report.lines, documents: [report.document])
    }

    func explain(
        _ asked: Question.Explained, showsAll: Bool, at moment: Question.Moment
    ) throws(Unanswered) -> PersonAnswer {
        var imagined: Question.Imagined?
        switch asked {
        case .notice(let name):
            let story = try NoticeStory(name, showsAll: showsAll, until: moment, source, zones)
            return PersonAnswer(lines: story.lines, documents: [story.document])
        case .kind(let kind): imagined = kind
        case .everyKind: break
        }
        let outlook = try Outlook(imagined, showsAll: showsAll, at: moment, source, zones)
        return PersonAnswer(lines: outlook.lines, documents: [outlook.document])
    }

    func history(
        status: HistoryQuery.Status?, days: Int, at moment: Question.Moment
    ) throws(Unanswered) -> PersonAnswer {
        var history = PersonHistory(of: source.user)
        let (biography, then) = try source.tell(until: moment, zones) { event, _ in history.take(event) }
        guard let person = biography.settled() else { throw .notKnownThen(source.user) }
        let now = if case .end = moment { clock() } else { then }
        let query = HistoryQuery(user: source.user, status: status, days: days, now: now)
        let report = history.report(query)
        let occasion = Occasion(0, now, user: source.user, biography.plan)
        let failed = report.entries.filter { $0.status == .failed }
            .map { ($0.name, person.retryStanding(of: $0.name, on: occasion)) }
        let table = HistoryTable(
            report: report, zone: person.zone, displayName: person.details.displayName,
            retries: Dictionary(failed) { first, _ in first }, nameOfSubject: person.knownName)
        let undecided = decided(of: person, at: moment).map {
            "not decided: \($0.undecidedBehind(in: person.zone))"
        }
        return PersonAnswer(lines: table.lines + [undecided].compactMap(\.self), documents: table.documents)
    }

    /// Where the log ends, if somebody asks about a moment behind that by which something falls due for the person: what is told of
    /// that moment is what was decided until then.
    private func decided(of person: Person, at moment: Question.Moment) -> Instant? {
        guard case .instant(let instant) = moment, instant > source.head.at, person.nextWake <= instant
        else { return nil }
        return source.head.at
    }
}

/// An answer for people and for machines.
struct PersonAnswer {
    let lines: [String]
    let documents: [JSONValue]

    /// As it is printed, a document a line, without the last line's end. What others wrote is made visible here and not
    /// only where the command prints: whoever asks the API shows this on a terminal too.
    func body(isJSON: Bool) -> [UInt8] {
        guard isJSON else { return Array(lines.map(Visible.line).joined(separator: "\n").utf8) }
        var buffer = ByteBuffer()
        for (place, document) in documents.enumerated() {
            if place > 0 { buffer.append(UInt8(ascii: "\n")) }
            document.write(into: &buffer)
        }
        return Array(buffer.bytes)
    }
}
