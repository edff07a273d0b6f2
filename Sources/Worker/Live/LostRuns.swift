public import CivilTime
public import Journal
internal import Notices

extension WorkerOpening {
    /// The runs of everybody that the log holds under an id which nobody can read any more, in its order.
    ///
    /// Earlier versions put a run's id on the fact about its last person, sealed with their key. Once that person is erased (`E1`) the log has
    /// the run, and only its facts show that.
    public func lostRuns(since start: Instant) throws(JournalError) -> [RunOrder] {
        let log = try LogReader(core.journal.directory, on: core.journal.disk)
        let scanner = log.scanner(from: log.head(before: start), checksHashes: false)
        var runs = LostRuns()
        while let frame = try scanner.next() {
            var body = CommitBody(frame)
            var events = 0
            do {
                while let item = try body.next() {
                    guard case .event(let event) = item else { continue }
                    events += 1
                    if event.at >= start { try runs.take(event) }
                }
            } catch {
                throw scanner.damage("\(error)")
            }
            try scanner.took(events: events)
        }
        return runs.found
    }
}

/// Knows such a run by its facts: one a person in the order of their numbers, of which the last has an id.
private struct LostRuns {
    private(set) var found: [RunOrder] = []
    /// What everybody is being run for, and whose turn is next.
    private var underway: (order: RunOrder, next: UInt32)?

    mutating func take(_ event: RawEvent) throws(FieldError) {
        guard event.typeNumber == RunRequested.type.number, let person = event.person,
            case .runRequested(let request)? = try event.decoded(), let kind = request.kind
        else { return }
        let order = RunOrder(kind: kind.text, isForced: request.force == true)
        let isNext = underway.map { $0.order == order && $0.next == person } ?? false
        // A fact about one person alone may stand in between.
        guard isNext || person == 0 else { return }
        underway = (order, person + 1)
        guard event.id != nil else { return }
        underway = nil
        if try event.idText() == nil { found.append(order) }
    }
}
