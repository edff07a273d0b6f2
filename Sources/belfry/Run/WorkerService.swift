import CivilTime
import Console
import Delivery
import Foundation
import Journal
import Notices
import Worker

/// What the API asks, answered by the worker.
struct WorkerService: Sendable {
    let worker: LiveWorker
    let courier: Courier
    let policy: PolicyKeeper
    let directory: String
    let world: World
    let zones: ZoneDatabase
    let startedAt: Instant
    let isStopping: @Sendable () -> Bool

    /// Questions about people read the log; they do it here, not on the worker's queue.
    private static let reading = DispatchQueue(label: "belfry.reading", attributes: .concurrent)
    /// What was answered is put into words here, for the same reason: it may be 65,536 lines.
    private static let wording = DispatchQueue(label: "belfry.wording", attributes: .concurrent)

    var doors: Service {
        Service(
            zoneProblem: { [zones] in zones.problem(with: $0) },
            append: { append($0, $1) }, runNow: { run($0, $1) }, ask: { ask($0, $1) }, health: { health })
    }

    private func append(_ order: AppendOrder, _ reply: @escaping @Sendable (AppendAnswer) -> Void) {
        let policies = order.facts.enumerated().compactMap { place, fact -> (place: Int, text: String)? in
            guard case .policyAdopted(let adopted) = fact.payload else { return nil }
            return (place, adopted.policy.text)
        }
        let intake = worker.submit(order.facts, bytes: order.bytes, allOrNothing: order.isAllOrNothing) {
            [policy] result in
            Self.wording.async {
                if case .success(let receipts) = result {
                    for (place, text) in policies { policy.hear(text, receipts[place]) }
                }
                reply(result.map { $0.map(\.answer) }.mapError(\.inability))
            }
        }
        if let inability = intake.inability { reply(.failure(inability)) }
    }

    private func run(_ order: RunNowRequest, _ reply: @escaping @Sendable (RunAnswer) -> Void) {
        let users = order.users
        let order = RunOrder(users: users, kind: order.kind, isForced: order.force)
        let intake = worker.run(order) { [directory, world] result in
            switch result {
            case .failure(.problem(let problem)): reply(.refused("\(problem)"))
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let receipt):
                Self.reading.async {
                    var report = RunReport(
                        jobs: [], jobCount: 0, firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq)
                    do throws(JournalError) {
                        if receipt.jobs > 0 {
                            let jobs = RunJobs(
                                firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq, users: users,
                                directory: directory, disk: world.disk)
                            report = try jobs.report()
                        }
                        reply(.done(report))
                    } catch {
                        reply(.unable(.failed("\(error)")))
                    }
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    private func ask(_ question: Question, _ reply: @escaping @Sendable (Answer) -> Void) {
        let intake = worker.story(of: question.user) { result in
            switch result {
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let place):
                Self.reading.async { [self] in
                    reply(PersonService(directory: directory, world: world, zones: zones).answer(question, from: place))
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    private var health: Health {
        let standing = worker.standing
        var whyNot: String?
        if let failure = standing.failure { whyNot = "\(failure)" } else if isStopping() { whyNot = "it is stopping" }
        return Health(
            version: Belfry.version, lastSeq: standing.durable.lastSeq, recordedAt: standing.durable.at,
            people: standing.people, waitingJobs: courier.waiting,
            uptimeSeconds: Int(world.clock().milliseconds(since: startedAt) / 1000), whyNotReady: whyNot)
    }
}

extension FactReceipt {
    fileprivate var answer: FactAnswer {
        switch self {
        case .recorded(let seq, let warnings): .recorded(seq: seq, warnings: warnings.map(\.sentence))
        case .duplicate(let seq): .duplicate(of: seq)
        case .refused(let problem): .refused("\(problem)")
        case .leftOut: .withheld
        }
    }
}

extension WorkerRefusal {
    fileprivate var inability: Inability {
        switch self {
        case .problem(let problem): .failed("\(problem)")
        case .journal(.closed): .stopping
        case .journal(let error): .failed("\(error)")
        }
    }
}

extension LiveWorker.Intake {
    fileprivate var inability: Inability? {
        switch self {
        case .taken: nil
        case .busy: .busy
        case .closed: .stopping
        }
    }
}
