internal import CivilTime

/// One that a carrier is given.
struct ErrandTurn: Equatable {
    var errand: UInt64
    var carrier: Int
    /// Its number among attempts with jobs: whether it was given to whoever takes them now hangs on that.
    var attempt: UInt64
}

/// What carriers are given beside jobs: before those that wait, and within the same limits (`N5`).
extension DeliveryPlan {
    mutating func lineUp(errand: UInt64, at carrier: Int) { lanes[carrier].append(errand: errand) }

    /// The next whose carrier has room. It is under way until `ended`.
    mutating func nextErrand(at now: Instant) -> ErrandTurn? {
        guard !isClosed else { return nil }
        for carrier in lanes.indices {
            guard let errand = lanes[carrier].nextErrand(at: now) else { continue }
            attempts += 1
            return ErrandTurn(errand: errand, carrier: carrier, attempt: attempts)
        }
        return nil
    }

    /// It makes room. Gives what the answer means for it.
    ///
    /// - Parameter verdict: `nil` where the carrier was given nothing.
    mutating func ended(_ turn: ErrandTurn, _ verdict: SenderVerdict?, at now: Instant) -> SenderVerdict? {
        guard let verdict else {
            lanes[turn.carrier].left()
            return nil
        }
        return lanes[turn.carrier].ended(verdict, of: turn.attempt, at: now)
    }
}
