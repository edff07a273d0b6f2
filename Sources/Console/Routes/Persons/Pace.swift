internal import CivilTime
internal import Synchronization

/// How fast each person tells facts of themselves through this worker's door (`G11`). Whatever is told is in the log for as long as
/// that lives, so a phone that tells without end would fill the disk for everybody.
///
/// In memory, until a restart: a burst of facts, and then some a minute.
public final class Pace: Sendable {
    /// As many as somebody may tell at once who has told none for a while: an app that comes back with a day's answers.
    static let burst = 300
    /// Then one more in so long.
    static let refillMilliseconds: Int64 = 2_000

    private struct Told {
        /// How many of a burst are used up.
        var count: Int
        /// Since when one of them has been coming back.
        var since: Instant
    }

    /// By a hash that no other process computes alike.
    private let told = Mutex<[Int: Told]>([:])
    private let keysMax: Int

    public convenience init() { self.init(keysMax: 65_536) }

    /// - Parameter keysMax: of how many it is remembered; beyond, all begin anew who have told little.
    init(keysMax: Int) { self.keysMax = keysMax }

    /// Counts one. Returns how many seconds to wait, where it was too fast.
    func take(_ person: String, at now: Instant) -> Int64? {
        told.withLock { told in
            let key = person.hashValue
            var own = told[key].map { Self.rested($0, at: now) } ?? Told(count: 0, since: now)
            guard own.count < Self.burst else {
                let left = Self.refillMilliseconds - max(0, now.milliseconds(since: own.since))
                return max(1, (left + 999) / 1000)
            }
            if told[key] == nil, told.count >= keysMax { Self.forget(&told, at: now) }
            own.count += 1
            told[key] = own
            return nil
        }
    }

    private static func rested(_ told: Told, at now: Instant) -> Told {
        // A clock that was set back brings nothing back, and takes nothing away.
        let elapsed = max(0, now.milliseconds(since: told.since))
        let back = Int(clamping: elapsed / refillMilliseconds)
        guard back < told.count else { return Told(count: 0, since: now) }
        return Told(
            count: told.count - back, since: told.since.advanced(byMilliseconds: Int64(back) * refillMilliseconds))
    }

    /// Those who have rested, or else all but the fastest.
    private static func forget(_ told: inout [Int: Told], at now: Instant) {
        let count = told.count
        told = told.filter { rested($0.value, at: now).count > 0 }
        if told.count > count / 2 { told = told.filter { $0.value.count >= burst } }
        if told.count > count / 2 { told = [:] }
    }
}
