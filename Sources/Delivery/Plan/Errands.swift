internal import CivilTime

/// What carriers are given beside jobs: before those that wait, and within the same limits (`N5`).
extension DeliveryPlan {
    mutating func lineUp(errand: UInt64, at carrier: Int) { lanes[carrier].append(errand: errand) }

    /// The next whose carrier has room. It is under way until `ended`.
    mutating func nextErrand(at now: Instant) -> (errand: UInt64, carrier: Int)? {
        guard !isClosed else { return nil }
        for carrier in lanes.indices {
            if let errand = lanes[carrier].nextErrand(at: now) { return (errand, carrier) }
        }
        return nil
    }

    /// It makes room. Gives what the answer means for it.
    ///
    /// - Parameter verdict: `nil` where the carrier was given nothing.
    mutating func ended(errandAt carrier: Int, _ verdict: SenderVerdict?, at now: Instant) -> SenderVerdict? {
        guard let verdict else {
            lanes[carrier].left()
            return nil
        }
        return lanes[carrier].ended(verdict, at: now)
    }
}
