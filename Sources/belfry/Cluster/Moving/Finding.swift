import Console
import Delivery
import Dispatch
import Journal
import Notices
import Shared

/// Finding a partition's worker while partitions change hands: whoever asks for it waits for a moment before they are told that
/// nobody has it. A planned move takes less.
extension Neighbours {
    /// Where a partition's owner is reached; `nil` where it is this worker, or nobody.
    func url(ofOwnerOf partition: Int) -> String? {
        if case .other(let url) = owner(of: partition) { url } else { nil }
    }

    enum Whereabouts: Sendable {
        case here(RunningLog)
        /// Where its worker is reached.
        case elsewhere(String)
        case nobody
    }

    private static let findingSeconds = 1.0
    private static let step = 0.02
    /// The database is asked anew who owns what after so many steps.
    private static let stepsToLook = 10
    private static let queue = DispatchQueue(label: "belfry.finding", qos: .userInitiated)

    /// - Parameter isPassedOn: whether another worker believes it to be here; it is passed on no further.
    func find(
        _ partition: Int, in town: Town, isPassedOn: Bool, _ found: @escaping @Sendable (Whereabouts) -> Void
    ) {
        find(partition, in: town, isPassedOn: isPassedOn, .now() + Self.findingSeconds, step: 0, found)
    }

    private func find(
        _ partition: Int, in town: Town, isPassedOn: Bool, _ deadline: DispatchTime, step: Int,
        _ found: @escaping @Sendable (Whereabouts) -> Void
    ) {
        if let log = town.log(partition) { return found(.here(log)) }
        guard partition < town.directory.partitions ?? 1 else { return found(.nobody) }
        let owner = owner(of: partition)
        if case .other(let url) = owner {
            // Who passed it on has seen an older owner, and looks again.
            return found(isPassedOn ? .nobody : .elsewhere(url))
        }
        guard DispatchTime.now() < deadline else { return found(.nobody) }
        if owner == .nobody, step % Self.stepsToLook == 0 { wantEveryone() }
        Self.queue.asyncAfter(deadline: .now() + Self.step) { [self] in
            find(partition, in: town, isPassedOn: isPassedOn, deadline, step: step + 1, found)
        }
    }

    /// What a worker was passed that did not have it is looked for once more; `nil` where that has gone on for long enough.
    func lookAgain(since start: DispatchTime, _ again: @escaping @Sendable () -> Void) -> Bool {
        guard DispatchTime.now() < start + Self.findingSeconds else { return false }
        wantEveryone()
        Self.queue.asyncAfter(deadline: .now() + 5 * Self.step, execute: again)
        return true
    }

    /// As `ask`, and whether there was no answer for so long that the worker may stand still.
    func glance(_ url: String, _ request: HTTPRequest) -> (HTTPResponse, isLate: Bool) {
        let start = ContinuousClock.now
        let answer = ask(url, request, Self.readingPatience)
        let isLate = answer.status == 503 && ContinuousClock.now - start >= .milliseconds(Self.readingPatience.totalMs)
        return (answer, isLate)
    }

    /// After so long it is looked whether somebody else has the partition by now.
    private static let readingPatience = HTTPCall.Patience(connectMs: 2000, totalMs: 8_000)

    /// Waits until each partition that facts are about has a worker; gives one that has none.
    func findAll(
        _ facts: [Fact], in town: Town, isPassedOn: Bool, _ found: @escaping @Sendable (_ nobodys: Int?) -> Void
    ) {
        let places = Set(facts.map { $0.user.map { town.place(of: $0) } ?? Partition.everyone })
            .filter { town.log($0) == nil }
        let gathering = Gathering<Int?>(places.count, whole: nil) { found($0 ?? nil) }
        for place in places {
            find(place, in: town, isPassedOn: isPassedOn) { whereabouts in
                gathering.add { if case .nobody = whereabouts { $0 = $0 ?? place } }
            }
        }
    }
}
