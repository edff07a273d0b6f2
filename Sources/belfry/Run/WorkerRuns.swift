import Console
import Journal
import Notices
import Queueing
import Worker

/// "Run now", of some people or everybody: each partition runs its own, at the same time as the others.
extension WorkerService {
    /// What the partitions have said so far.
    private struct Outcomes: Sendable {
        var done: [(log: Int, receipt: RunReceipt)] = []
        var refusal: WorkerRefusal?
    }

    /// Whom each partition is asked about; nobody named is everybody.
    private func hands(of request: RunNowRequest) -> [(log: Int, order: RunOrder)] {
        func order(_ users: [String]) -> RunOrder {
            RunOrder(users: users, kind: request.kind, isForced: request.force)
        }
        guard !request.users.isEmpty else { return town.logs.indices.map { ($0, order([])) } }
        let groups = Dictionary(grouping: request.users) { town.log(of: $0).name.number ?? 0 }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, order($0.value)) }
    }

    func run(_ request: RunNowRequest, _ reply: @escaping @Sendable (RunAnswer) -> Void) {
        let hands = hands(of: request)
        let gathering = Gathering<Outcomes>(hands.count, whole: Outcomes()) { [self] outcomes in
            _ = reports.take { reply(answer(outcomes ?? Outcomes(), users: request.users)) }
        }
        for (log, order) in hands {
            let intake = town.logs[log].worker.run(order) { result in
                gathering.add { outcomes in
                    switch result {
                    case .success(let receipt): outcomes.done.append((log, receipt))
                    case .failure(let refusal): outcomes.refusal = outcomes.refusal ?? refusal
                    }
                }
            }
            switch intake {
            case .taken: continue
            // Nothing was begun: it can be asked again.
            case .busy where hands.count == 1: return reply(.unable(.busy))
            case .closed where hands.count == 1: return reply(.unable(.stopping))
            case .busy:
                gathering.add { $0.refusal = $0.refusal ?? .problem(FieldError("partition \(log) is busy; ask again")) }
            case .closed: gathering.add { $0.refusal = $0.refusal ?? .journal(.closed) }
            }
        }
    }

    private func answer(_ outcomes: Outcomes, users: [String]) -> RunAnswer {
        switch outcomes.refusal {
        case .problem(let problem)?:
            return .refused("\(problem)" + (outcomes.done.isEmpty ? "" : "; the people of other partitions were run"))
        case let refusal?: return .unable(refusal.inability)
        case nil: break
        }
        do throws(JournalError) { return .done(try report(outcomes.done, users: users)) } catch {
            return .unable(.failed("\(error)"))
        }
    }

    private func report(
        _ done: [(log: Int, receipt: RunReceipt)], users: [String]
    ) throws(JournalError) -> RunReport {
        var printed = PrintedEvents()
        for (log, receipt) in done.sorted(by: { $0.log < $1.log }) where receipt.jobs > 0 {
            let jobs = RunJobs(
                firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq, users: users, directory: town.logs[log].directory,
                disk: world.disk)
            try jobs.forEach { if case .job(let job) = $0 { printed.add(job) } }
        }
        guard !town.isOne else {
            let receipt = done.first?.receipt ?? RunReceipt(firstSeq: 1, lastSeq: 0, jobs: 0)
            return RunReport(
                jobs: printed.lines, jobCount: printed.count, firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq)
        }
        var report = RunReport(jobs: printed.lines, jobCount: printed.count, firstSeq: 1, lastSeq: 0)
        report.partitions = done.sorted { $0.log < $1.log }.map {
            .init(partition: $0.log, firstSeq: $0.receipt.firstSeq, lastSeq: $0.receipt.lastSeq)
        }
        return report
    }

    // MARK: Trying it

    func tryOut(_ request: RunNowRequest, _ reply: @escaping @Sendable (RunAnswer) -> Void) {
        let isTaken = questions.take(Asker()) { [self] in
            var (jobs, unsent) = (PrintedEvents(), PrintedEvents())
            for (log, order) in hands(of: request) {
                var place: Int? = 0
                while let from = place {
                    switch waited({ town.logs[log].worker.tryOut(order, from: from, reply: $0) }) {
                    case .failure(.wrong(let problem)): return reply(.refused(problem))
                    case .failure(.unable(let inability)): return reply(.unable(inability))
                    case .success(let piece):
                        for event in piece.decisions {
                            if case .jobEmitted = event.payload { jobs.add(event) } else { unsent.add(event) }
                        }
                        place = piece.next
                    }
                }
            }
            var report = RunReport(jobs: jobs.lines, jobCount: jobs.count, firstSeq: 1, lastSeq: 0)
            report.unsent = unsent.lines
            reply(.done(report))
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }
}
