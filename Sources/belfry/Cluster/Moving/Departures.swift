import Delivery
import Shared

/// Partitions that are about to be handed over: what is being sent of their jobs is answered and recorded first, since whoever has
/// a partition next hands out again all that has no outcome in it.
///
/// Facts are taken all the while. It is the membership thread's own, but for what deliveries tell.
final class Departures {
    /// What it asks of whoever hands out jobs.
    struct Deliveries: Sendable {
        /// Begins no more of a partition's jobs; told, on any thread, when none is under way.
        var hold: @Sendable (_ partition: Int, _ done: @escaping @Sendable () -> Void) -> Void
        /// Another worker has it.
        var forget: @Sendable (_ partition: Int) -> Void
        /// It stays here.
        var resume: @Sendable (_ partition: Int) -> Void
    }

    private struct Departure {
        let isAtRest = Flag()
        let deadline: BootInstant
    }

    /// A provider that does not answer for longer keeps no partition here: what it was given goes out again elsewhere.
    static let patience = Duration.seconds(5)

    private let deliveries: Deliveries
    private let log: RunLog
    private var leaving: [Int: Departure] = [:]

    init(_ deliveries: Deliveries, _ log: RunLog) { (self.deliveries, self.log) = (deliveries, log) }

    /// Whether a partition can go. The first time it is asked it lets what is under way come to its end.
    ///
    /// - Parameter wake: called when it can go after all.
    func mayGo(_ partition: Int, at now: BootInstant, _ wake: @escaping @Sendable () -> Void) -> Bool {
        if let known = leaving[partition] { return known.isAtRest.isRaised || now >= known.deadline }
        let departure = Departure(deadline: now + Self.patience)
        leaving[partition] = departure
        log.debug("what is being sent ends before a partition goes", ("partition", "\(partition)"))
        deliveries.hold(partition) { [flag = departure.isAtRest] in
            flag.raise()
            wake()
        }
        return false
    }

    /// It is given away.
    func went(_ partition: Int) {
        guard leaving.removeValue(forKey: partition) != nil else { return }
        deliveries.forget(partition)
    }

    /// Of all others nothing is to go any more.
    func keep(allBut going: Set<Int>) {
        for partition in leaving.keys where !going.contains(partition) { stay(partition) }
    }

    /// It is another's, or may be: what waits of it here is handed out there, and should it come back the log says what has no outcome.
    /// What was kept would go out after others have sent it. Whatever is under way is answered.
    func lost(_ partition: Int) {
        leaving[partition] = nil
        deliveries.hold(partition) {}
        deliveries.forget(partition)
    }

    /// It stays.
    func stay(_ partition: Int) {
        guard leaving.removeValue(forKey: partition) != nil else { return }
        deliveries.resume(partition)
    }
}

extension Departures.Deliveries {
    init(_ courier: Courier) {
        hold = { courier.hold(TownPlace.places(in: $0), done: $1) }
        forget = { courier.forget(TownPlace.places(in: $0)) }
        resume = { courier.resume(TownPlace.places(in: $0)) }
    }
}
