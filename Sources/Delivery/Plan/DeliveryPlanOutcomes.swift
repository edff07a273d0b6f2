public import CivilTime
public import Notices

// What is said of jobs: to the log, to whoever reads the worker's own, and to the ledger of texts.
extension DeliveryPlan {
    mutating func record(_ facts: [Fact], of order: Order) {
        tell(Outbox.Word(facts: facts, place: order.place))
    }

    /// Of a log that is another worker's it is kept until that comes back.
    mutating func tell(_ word: Outbox.Word) {
        if let log = heldLog(word.place.position), held[log].isElsewhere {
            held[log].words.append(word)
        } else {
            outbox.append(word)
        }
    }

    mutating func tellDead(_ attempt: Attempt, _ order: Order, _ reason: String) {
        guard case .device(_, let registration) = attempt.target.address else { return }
        let device = DeadDevice(user: order.user, registration: registration)
        if toldDead.insert(device) { tell(order, attempt.target.isDead(reason)) }
    }

    mutating func tell(_ order: Order, _ word: Payload?) {
        if let word { record([order.fact(word)], of: order) }
    }

    /// Jobs that a carrier has failed with for good, since this was asked last.
    public mutating func takeGivenUp() -> [GivenUp] {
        defer { givenUp = [] }
        return givenUp
    }

    /// Jobs whose text was surely not taken, or whose outcome is in the log, since this was asked last.
    public mutating func takeEndedTexts() -> [JobPlace] {
        defer { endedTexts = [] }
        return endedTexts
    }

    /// Whether every outcome is in the log.
    var isRecorded: Bool { outbox.count == 0 }

    /// Outcomes to record now; answer with `offered`.
    public mutating func offer(at now: Instant) -> [Fact]? { outbox.offer(at: now) }

    public mutating func offered(isRecorded: Bool, at now: Instant) {
        for word in outbox.answered(isRecorded: isRecorded, at: now) where word.channels.contains(ChannelSet(.sms)) {
            endedTexts.append(word.place)
        }
    }
}
