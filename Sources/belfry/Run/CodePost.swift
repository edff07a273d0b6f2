import CivilTime
import Delivery
import Dispatch
import Worker

/// Sends the codes that a worker has decided to send (`N9`).
struct CodePost: Sendable {
    private let office: PostOffice
    private let desk: CodeDesk
    private let log: RunLog

    init(_ office: PostOffice, _ courier: Courier, clock: @escaping @Sendable () -> Instant, _ log: RunLog) {
        (self.office, self.log) = (office, log)
        desk = CodeDesk(
            clock: clock,
            later: { milliseconds, then in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds)), execute: then)
            },
            lineUp: { courier.sendText($0) },
            send: { office.send(code: $0, to: $1, goodForSeconds: $2, answer: $3) })
    }

    /// - Parameter isOurs: whether their log is surely here.
    func send(_ orders: [CodeOrder], while isOurs: @escaping @Sendable () -> Bool) {
        guard let made = office.codes else { return }
        for order in orders {
            let code = made.text(user: order.user, phone: order.phone, request: order.request)
            desk.send(code, to: order.phone, of: order.user, request: order.request, while: isOurs) { [log] verdict in
                let fields = [("request", "\(order.request)")]
                switch verdict {
                case .taken: log.say(.debug, "a code was sent", fields)
                // What it says of the sender is said once, of that (`SinkComplaint`).
                case .misconfigured(let problem):
                    log.say(.info, "a code could not be sent: \(problem.reason)", fields)
                case .dead(let reason), .stopped(let reason), .transient(let reason, _), .final(let reason),
                    .renew(let reason), .wait(_, let reason, _):
                    log.say(.info, "a code could not be sent: \(reason)", fields)
                }
            }
        }
    }

    /// What is still to be sent to somebody is not.
    func erase(_ user: String) { desk.erase(user) }
}
