public import Measuring
internal import Synchronization

/// What sinks and senders have done since the start: counted where answers come in, to be asked from any thread.
///
/// It grows with carriers, never with people or jobs.
public final class CarrierFigures: Sendable {
    /// What became of a try.
    public enum Result: String, Sendable, CaseIterable {
        case taken, dead, stopped, misconfigured, waited, transient, refused

        init(_ verdict: SenderVerdict) {
            self =
                switch verdict {
                case .taken: .taken
                case .dead: .dead
                case .stopped: .stopped
                case .misconfigured: .misconfigured
                case .wait: .waited
                case .transient, .renew: .transient
                case .final: .refused
                }
        }
    }

    public struct Carrier: Sendable {
        public var label: String
        public var tries: [Result: Int] = [:]
        public var durations = Durations(upTo: CarrierFigures.boundsMs)
        /// Addresses that the provider said are dead, by its words for it.
        public var dead: [String: Int] = [:]
    }

    static let boundsMs: [Double] = [5, 25, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]
    /// Providers have few words for it; beyond these they count as others.
    private static let reasonsMax = 20

    private let carriers = Mutex<[Carrier]>([])

    init() {}

    public var all: [Carrier] { carriers.withLock { $0 } }

    func count(_ label: String, _ verdict: SenderVerdict, took: Duration) {
        carriers.withLock { carriers in
            let place: Int
            if let known = carriers.firstIndex(where: { $0.label == label }) {
                place = known
            } else {
                place = carriers.count
                carriers.append(Carrier(label: label))
            }
            carriers[place].tries[Result(verdict), default: 0] += 1
            carriers[place].durations.add(milliseconds: took / .milliseconds(1))
            if case .dead(let reason) = verdict {
                let isKnown = carriers[place].dead[reason] != nil || carriers[place].dead.count < Self.reasonsMax
                carriers[place].dead[isKnown ? reason : "other", default: 0] += 1
            }
        }
    }
}
