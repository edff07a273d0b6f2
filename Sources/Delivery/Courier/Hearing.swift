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
            figures.count(desks[desk].name, answer.verdict, took: answer.took)
            for (level, text, fields) in desks[desk].complaint.hear(answer.verdict) {
                log(level, text, [("sink", desks[desk].name)] + answer.order.logged + fields)
            }
            if case .taken = answer.verdict, answer.order.trace != nil {
                log(.debug, "taken", [("sink", desks[desk].name)] + answer.order.logged)
            }
        }
        seekOthers(insteadOf: ofDead)
    }

    /// A device that is dead may have been registered anew since the job was sent to it: then it goes there (`N2`).
    private func seekOthers(insteadOf dead: [Answered]) {
        guard !dead.isEmpty, let mail else { return }
        let erasures = erasures
        mail.book(dead.map { (user: $0.order.user ?? "", topic: JobTopic($0.order.job)) }) { contacts in
            self.queue.async {
                guard self.phase != .stopped else { return }
                self.settle(dead, self.erasures == erasures ? contacts : nil, mail)
                self.goOn()
            }
        }
    }

    private func settle(_ dead: [Answered], _ contacts: [Contact?]?, _ mail: Mail) {
        let (now, sorting) = (clock(), sorting(mail))
        for (place, answer) in dead.enumerated() {
            // Where nobody knows of others there are none.
            let contact = contacts.flatMap { place < $0.count ? $0[place] : nil }
            let others = contact.flatMap { try? sorting.push($0).targets } ?? []
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
