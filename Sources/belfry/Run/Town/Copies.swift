import CivilTime
import Journal
import Notices
import Worker

/// The facts about everyone as partitions get them (`M6`): in the order of their own log, each under an id that says which it is.
///
/// A copy does not keep its sender's id. Ids are unique within a log, and a fact about a person may have the same one: the
/// partition would take the copy for a duplicate, and go on under another policy than the others.
struct Copies {
    /// A fact about everyone, and its number in their log.
    struct Told: Sendable {
        var seq: UInt64
        var fact: Fact
        /// When, where that was read in their log.
        var at: Instant?

        var copy: Fact {
            var copy = fact
            copy.id = Self.id(of: seq)
            return copy
        }

        static func id(of seq: UInt64) -> String { "\(Deal.copyPrefix)\(seq)" }
    }

    /// Why a partition cannot go on, by what became of a copy that it was given; `nil` where it can. It holds none that it was
    /// not given: where it does, the log of everyone has lost what it was copied from.
    static func failure(of told: Told, in name: LogName, _ receipt: FactReceipt?) -> Failure? {
        switch receipt {
        case .recorded?: nil
        case .duplicate(let seq)?: older(than: seq, of: name, copying: "another fact \(told.seq) about everyone")
        case .refused(let problem)?: refusal(of: told, in: name, problem)
        case .leftOut?, nil: Failure(.environment, "\(name.told) said nothing of fact \(told.seq) about everyone")
        }
    }

    /// Gives a partition what it lacks, before anything else.
    ///
    /// - Parameter failed: is told why it cannot go on, if it cannot.
    static func give(
        _ missing: [Told], to opening: WorkerOpening, _ name: LogName, failed: @escaping @Sendable (Failure) -> Void
    ) {
        guard let first = missing.first else { return }
        opening.core.ask(facts: missing.map(\.copy)) { result in
            switch result {
            case .success(let receipts):
                for (place, told) in missing.enumerated() {
                    let receipt = receipts.indices.contains(place) ? receipts[place] : nil
                    if let failure = failure(of: told, in: name, receipt) { return failed(failure) }
                }
            case .failure(.problem(let problem)): failed(refusal(of: first, in: name, problem))
            // The log takes nothing more, of which whoever keeps it hears.
            case .failure(.journal), .failure(.elsewhere): break
            }
        }
    }

    private static func older(than seq: UInt64, of name: LogName, copying fact: String) -> Failure {
        Failure(
            .damaged,
            "event \(seq) of \(name.told) is the copy of \(fact): the log of everyone is older than it, or was begun anew. Put back the newest copy of \(LogName.everyone.text)"
        )
    }

    static func refusal(of told: Told, in name: LogName, _ problem: FieldError) -> Failure {
        Failure(.environment, "\(name.told) does not take fact \(told.seq) about everyone: \(problem)")
    }

    private(set) var all: [Told] = []

    /// Reads the log of everyone. It holds nobody, so it is short.
    init(in directory: String, on disk: any Disk) throws(JournalError) {
        let log = try LogReader(directory, on: disk)
        guard !log.isEmpty else { return }
        let events = EventReader(log)
        while let event = try events.next() {
            guard event.isFact, event.user == nil else { continue }
            all.append(
                Told(
                    seq: event.seq,
                    fact: Fact(
                        user: nil, id: event.id, at: event.occurredAt, trace: event.trace, payload: event.payload),
                    at: event.at))
        }
    }

    /// The policy that everyone is under, as far as a directory's copy of their log tells; `nil` where it has none.
    static func policy(in directory: DataDirectory, on disk: any Disk) throws(JournalError) -> String? {
        let copies: Copies
        do throws(JournalError) { copies = try Copies(in: directory.everyone, on: disk) } catch .noLog { return nil }
        for told in copies.all.reversed() {
            if case .policyAdopted(let adopted) = told.fact.payload { return adopted.policy.text }
        }
        return nil
    }

    /// That the last copy a partition holds is of a fact that is here. Else everyone is told one policy, and decided about by another.
    func expectSource(of opening: WorkerOpening, _ name: LogName) throws(Failure) {
        let copy: GeneralFact?
        do throws(JournalError) { copy = try opening.lastFact(withIDFrom: Deal.copyPrefix) } catch {
            throw Failure(error)
        }
        guard let copy, let seq = UInt64(copy.id.dropFirst(Deal.copyPrefix.count)) else { return }
        guard let told = all.last(where: { $0.seq == seq }) else {
            throw Self.older(
                than: copy.seq, of: name, copying: "fact \(seq) about everyone, which their log does not hold")
        }
        guard Self.isSame(told.fact.payload, as: copy.payload) else {
            throw Self.older(than: copy.seq, of: name, copying: "another fact \(seq) about everyone")
        }
    }

    /// Of a run a partition keeps less than it was told.
    private static func isSame(_ told: Payload, as copy: Payload) -> Bool {
        if case .policyAdopted(let original) = told, case .policyAdopted(let adopted) = copy {
            return original.policy.text == adopted.policy.text
        }
        return told.type == copy.type
    }

    /// Those that a partition lacks. Copies come in order, so that behind the last one it has there is nothing.
    func missing(in opening: WorkerOpening) throws(JournalError) -> ArraySlice<Told> {
        var first = all.endIndex
        while first > all.startIndex, try !opening.hasFact(Told.id(of: all[first - 1].seq)) { first -= 1 }
        return try all[first...].endingLostRuns(in: opening)
    }
}

extension ArraySlice<Copies.Told> {
    /// A copy of a run that the partition holds under an id which is lost (`WorkerOpening.lostRuns`) only ends that run: it is not made a
    /// second time, and its id is there from now on. Where two runs look alike, the one that is there counts for the first (`G6`).
    fileprivate func endingLostRuns(in opening: WorkerOpening) throws(JournalError) -> Self {
        guard opening.erasedPeople > 0, let first, let at = first.at, RunOrder(forEverybodyBy: first.fact) != nil
        else { return self }
        // The machine that records for everyone may have a clock that is ahead.
        var lost = try opening.lostRuns(since: at.advanced(byHours: -1))[...]
        var copies = self
        for place in copies.indices {
            guard let order = RunOrder(forEverybodyBy: copies[place].fact), let found = lost.firstIndex(of: order)
            else { break }
            lost = lost[(found + 1)...]
            copies[place].fact = copies[place].fact.endOfRun
        }
        return copies
    }
}
