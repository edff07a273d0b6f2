internal import CivilTime
internal import Dispatch

/// What a sender is given that is no job: a code for a phone (`N9`).
public struct Errand: Sendable {
    /// Its turn: gives the sender what there is to give, and answers once; `nil` where that is nothing any more.
    let turn: @Sendable (_ answer: @escaping @Sendable (SenderVerdict?) -> Void) -> Void
    /// Told once what the sender's answer means for it.
    let ended: @Sendable (SenderVerdict) -> Void

    public init(
        turn: @escaping @Sendable (_ answer: @escaping @Sendable (SenderVerdict?) -> Void) -> Void,
        ended: @escaping @Sendable (SenderVerdict) -> Void
    ) {
        (self.turn, self.ended) = (turn, ended)
    }
}

extension Courier {
    /// Sends a text when the sender of texts has room for it: before the jobs that wait for that, and within its limits (`N5`). Whoever
    /// is stopping begins none.
    public func sendText(_ errand: Errand) {
        queue.async {
            guard self.phase != .stopped, let mail = self.mail else { return }
            self.errandsMade += 1
            self.errands[self.errandsMade] = errand
            self.plan.lineUp(errand: self.errandsMade, at: self.carrier(for: .sms, mail.office))
            self.goOn()
        }
    }

    func run(errandsAt now: Instant) {
        while let turn = plan.nextErrand(at: now) {
            guard let errand = errands.removeValue(forKey: turn.errand) else { continue }
            let begun = ContinuousClock.now
            errand.turn { verdict in
                let took = ContinuousClock.now - begun
                self.queue.async {
                    if let verdict { self.note(verdict, of: turn.carrier, took: took, []) }
                    if let verdict = self.plan.ended(turn, verdict, at: self.clock()) { errand.ended(verdict) }
                    self.goOn()
                }
            }
        }
    }
}
