internal import CivilTime
internal import Dispatch
internal import Notices

// What carriers answer comes to.
extension Courier {
    struct Answered: Sendable {
        var attempt: Attempt
        var order: Order
        var verdict: SenderVerdict
        var took: Duration
    }

    func hear(_ answers: [Answered], at now: Instant) {
        var ofDead: [Answered] = []
        for answer in answers {
            if answer.attempt.target.address == .phone { textsUnderWay -= 1 }
            if answer.isOfDeadDevice {
                ofDead.append(answer)
            } else {
                plan.settle(answer.attempt, answer.order, answer.verdict, at: now)
            }
            let desk = answer.attempt.sink
            note(answer.verdict, of: desk, took: answer.took, answer.order.logged)
            if case .taken = answer.verdict, answer.order.trace != nil {
                log(.debug, "taken", [("sink", desks[desk].name)] + answer.order.logged)
            }
        }
        seekOthers(insteadOf: ofDead)
    }

    /// Counts what a carrier answered, and says what there is to say of it.
    func note(_ verdict: SenderVerdict, of desk: Int, took: Duration, _ what: [(String, String)]) {
        figures.count(desks[desk].label, verdict, took: took)
        desks[desk].silentSince = nil
        for (level, text, fields) in desks[desk].complaint.hear(verdict) {
            log(level, text, [("sink", desks[desk].name)] + what + fields)
        }
    }

    /// How often the book is asked, half a second apart, before a job does without.
    private static let asksMax = 10

    /// A device that is dead may have been registered anew since the job was sent to it: then it goes there (`N2`).
    private func seekOthers(insteadOf dead: [Answered], asked: Int = 1) {
        guard !dead.isEmpty, phase != .stopped, let mail else { return }
        let erasures = erasures
        mail.book(dead.map { (user: $0.order.user ?? "", topic: JobTopic($0.order.job)) }) { contacts in
            self.queue.async {
                guard self.phase != .stopped else { return }
                // It is busy, or what it says may be about somebody who was erased meanwhile.
                guard let contacts, contacts.count == dead.count, self.erasures == erasures else {
                    guard asked < Self.asksMax else {
                        self.settle(dead, nil, mail)
                        return self.goOn()
                    }
                    return self.queue.asyncAfter(deadline: .now() + .milliseconds(500)) {
                        self.seekOthers(insteadOf: dead, asked: asked + 1)
                    }
                }
                self.settle(dead, contacts, mail)
                self.goOn()
            }
        }
    }

    private func settle(_ dead: [Answered], _ contacts: [BookEntry]?, _ mail: Mail) {
        let (now, sorting) = (clock(), sorting(mail))
        for (place, answer) in dead.enumerated() {
            let others = contacts?[place].contact.flatMap { try? sorting.push($0).targets } ?? []
            plan.settle(answer.attempt, answer.order, answer.verdict, insteadOfIt: others, at: now)
        }
    }
}

extension Courier.Answered {
    fileprivate var isOfDeadDevice: Bool {
        guard case .dead = verdict, case .device = attempt.target.address else { return false }
        return true
    }
}
