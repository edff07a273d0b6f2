import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry history`: what came to one person, what waits and what was withheld (SPEC §11, §13).
enum HistoryCommand: Command {
    private static let status = CommandSpec.Option(
        name: "--status", value: "S", help: "only those: sent, delivered, failed, queued or blocked",
        completion: .words(HistoryQuery.Status.allCases.map(\.rawValue)))
    private static let days = CommandSpec.Option(
        name: "--days", value: "N", help: "how many days back (default \(HistoryQuery.daysUsual))")
    private static let at = CommandSpec.Option(
        name: PersonCommands.at.name, value: "T|SEQ",
        help: "as it was at an instant or an event's number (default: now)")

    static let spec = CommandSpec(
        name: "history", summary: "Lists one person's notices and jobs with what became of them.",
        positional: nil,
        options: [PersonCommands.user, status, days, at, CommandSpec.data, CommandSpec.json],
        notes: """
            sent: a channel's provider took it. delivered: the provider reported later that it arrived. failed: no
            channel took it, or it came back; the reason is shown. queued: it is held, gathered for a digest, or
            handed out with no word of it yet. blocked: it was dropped, or its slot was skipped; the reason is
            shown. Every try and every report is told. What a digest or a bundle holds is listed under it.

            Days are counted back from now, or from --at. What still waits is always listed. What came before the
            person cleared their history is hidden; the log keeps it.
            \(PersonCommands.atNote)
            \(PersonCommands.endNote)
            """, needs: [PersonCommands.user])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let user = try PersonCommands.user(arguments, spec)
        let moment = try Question.Moment(arguments, at, spec)
        let status = try status(arguments[status])
        let days = try days(arguments[days])
        let path = PathAndQuery("history", about: user, [("status", status?.rawValue), ("days", "\(days)")])
        // A worker tells of now.
        let isOfNow = if case .end = moment { true } else { false }
        try PersonCommands.answer(isOfNow ? path : nil, about: user, arguments, world) {
            (answers) throws(Unanswered) in
            try answers.history(status: status, days: days, at: moment)
        }
    }

    private static func status(_ word: String?) throws(Failure) -> HistoryQuery.Status? {
        guard let word else { return nil }
        guard let status = HistoryQuery.Status(rawValue: word) else {
            throw .usage("--status takes sent, delivered, failed, queued or blocked, not \"\(word)\"", spec)
        }
        return status
    }

    private static func days(_ word: String?) throws(Failure) -> Int {
        guard let word else { return HistoryQuery.daysUsual }
        let allowed = HistoryQuery.daysAllowed
        guard let days = Int(word), allowed.contains(days) else {
            throw .usage(
                "--days takes a number from \(allowed.lowerBound) to \(allowed.upperBound), not \"\(word)\"", spec)
        }
        return days
    }
}
