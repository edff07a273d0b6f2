import CivilTime
import Console
import Journal
import Notices
import Worker

/// Answers a running worker's clients about one person, out of what is durable, in the words of the command line.
///
/// It reads the log like any other reader and asks nothing more of the worker, so it may run on any thread and several
/// times at once.
struct StoryService: Sendable {
    let directory: String
    let world: World
    let zones: ZoneDatabase
    /// Whether messages can be analysed here (`A4`).
    let analyserHere: AnalyserHere
    /// Whose numbers the events have, where the worker keeps several logs.
    let partition: Int?

    /// - Parameters:
    ///   - place: what the worker gave just now; `nil` for somebody it does not know.
    ///   - asker: once they have gone, no more of the log is read.
    func answer(_ question: Question, from place: PersonPlace?, for asker: Asker) -> Answer {
        do throws(Unanswered) {
            guard let place else { throw .nobody(question.user) }
            let log: LogReader
            do throws(JournalError) { log = try LogReader(directory, on: world.disk) } catch {
                throw .failed(Failure(error))
            }
            let source = StorySource(at: place, in: log, isWanted: { !asker.isGone })
            let answers = PersonAnswers(
                source: source, zones: zones, clock: world.clock, analyser: analyserHere,
                partition: partition)
            var body = try answer(question.subject, answers).body(isJSON: !question.wantsText)
            // Of a history without entries there is nothing to say to a machine, not even a line's end.
            if !body.isEmpty { body.append(UInt8(ascii: "\n")) }
            return .found(body)
        } catch {
            switch error {
            case .unknown(let problem): return .unknown(problem)
            case .refused(let problem): return .refused(problem)
            case .abandoned: return .unable(.abandoned)
            case .failed(let failure): return .unable(.failed(failure.message))
            }
        }
    }

    private func answer(
        _ subject: Question.Subject, _ answers: PersonAnswers
    ) throws(Unanswered) -> PersonAnswer {
        switch subject {
        case .state(let moment): try answers.state(at: moment)
        case .explain(let asked, let wantsAll, let moment):
            try answers.explain(asked, showsAll: wantsAll, at: moment)
        case .history(let status, let days):
            try answers.history(
                status: status.flatMap { HistoryQuery.Status(rawValue: $0.rawValue) },
                days: days ?? HistoryQuery.daysUsual, at: .end)
        case .settings: try answers.settings()
        case .export: try answers.export()
        case .preview(let change):
            try answers.preview(change).answer
        }
    }
}
