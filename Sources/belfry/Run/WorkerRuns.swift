import Console
import Dispatch
import Journal
import Notices
import Queueing
import Worker

/// "Run now", of some people or everybody: each partition runs its own, at the same time as the others.
extension WorkerService {
    /// Who is asked about whom; nobody named is everybody.
    private struct Hands {
        var here: [(log: Int, order: RunOrder)] = []
        var elsewhere: [(url: String, order: RunOrder, partitions: [Int])] = []
    }

    private func hands(of request: RunNowRequest) throws(Inability) -> Hands {
        var hands = Hands()
        func order(_ users: [String]) -> RunOrder {
            RunOrder(users: users, kind: request.kind, isForced: request.force)
        }
        let groups = Dictionary(grouping: request.users) { town.place(of: $0) }
        let places =
            if request.users.isEmpty { request.partitions ?? Array(0..<(town.directory.partitions ?? 1)) } else {
                groups.keys.sorted()
            }
        var elsewhere: [String: [Int]] = [:]
        for place in places {
            if town.log(place) != nil {
                hands.here.append((place, order(groups[place] ?? [])))
            } else if !request.isPassedOn, let url = neighbours?.url(ofOwnerOf: place) {
                elsewhere[url, default: []].append(place)
            } else {
                throw .noOwner(place)
            }
        }
        hands.elsewhere = elsewhere.sorted { $0.key < $1.key }.map { (url, places) in
            (url, order(places.flatMap { groups[$0] ?? [] }), places)
        }
        return hands
    }

    func run(_ request: RunNowRequest, _ reply: @escaping @Sendable (RunAnswer) -> Void) {
        let hands: Hands
        do throws(Inability) { hands = try self.hands(of: request) } catch { return reply(.unable(error)) }
        let count = hands.here.count + hands.elsewhere.count
        let gathering = Gathering<RunOutcomes>(count, whole: RunOutcomes()) { [self] outcomes in
            _ = reports.take { reply(answer(outcomes ?? RunOutcomes(), users: request.users)) }
        }
        for (url, order, partitions) in hands.elsewhere {
            neighbours?.run(order, of: partitions, isDry: false, at: url) { result in
                gathering.add { $0.hear(result) }
            }
        }
        for (log, order) in hands.here {
            let heard: Reply<RunReceipt> = { result in gathering.add { $0.hear(result, from: log) } }
            switch town.log(log)?.worker.run(order, reply: heard) ?? .closed {
            case .taken: continue
            // Nothing was begun: it can be asked again.
            case .busy where count == 1: return reply(.unable(.busy))
            case .closed where count == 1: return reply(.unable(.stopping))
            case .busy: gathering.add { $0.hear(busy: log) }
            case .closed: gathering.add { $0.hear(.failure(.journal(.closed)), from: log) }
            }
        }
    }

    private func answer(_ outcomes: RunOutcomes, users: [String]) -> RunAnswer {
        if let refusal = outcomes.refusal { return refusal }
        do throws(JournalError) {
            var report = try report(outcomes.done, users: users)
            for other in outcomes.others { report.add(other) }
            return .done(report)
        } catch {
            return .unable(.failed("\(error)"))
        }
    }

    private func report(
        _ done: [(log: Int, receipt: RunReceipt)], users: [String]
    ) throws(JournalError) -> RunReport {
        var findings = RunFindings()
        for (log, receipt) in done.sorted(by: { $0.log < $1.log }) {
            let jobs = RunJobs(
                firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq, users: users,
                directory: town.directory.log(town.isOne ? .whole : .partition(log)), disk: world.disk)
            try jobs.forEach { findings.take($0.event) }
        }
        guard !town.isOne else {
            let receipt = done.first?.receipt ?? RunReceipt(firstSeq: 1, lastSeq: 0, jobs: 0)
            return findings.report(firstSeq: receipt.firstSeq, lastSeq: receipt.lastSeq)
        }
        var report = findings.report()
        report.partitions = done.sorted { $0.log < $1.log }.map {
            .init(partition: $0.log, firstSeq: $0.receipt.firstSeq, lastSeq: $0.receipt.lastSeq)
        }
        return report
    }

    // MARK: Trying it

    func tryOut(_ request: RunNowRequest, _ asker: Asker, _ reply: @escaping @Sendable (RunAnswer) -> Void) {
        let hands: Hands
        do throws(Inability) { hands = try self.hands(of: request) } catch { return reply(.unable(error)) }
        let room = request.isPassedOn ? partsRoom : questions
        room.take(asker) { [self] in
            var findings = RunFindings()
            for (number, order) in hands.here {
                guard let log = town.log(number) else { return reply(.unable(.noOwner(number))) }
                var place: Int? = 0
                while let from = place {
                    switch waited({ log.worker.tryOut(order, from: from, reply: $0) }) {
                    case .failure(.wrong(let problem)): return reply(.refused(problem))
                    case .failure(.unable(let inability)): return reply(.unable(inability))
                    case .success(let piece):
                        for event in piece.decisions { findings.take(event) }
                        place = piece.next
                    }
                }
            }
            var report = findings.report()
            report.isDry = true
            for (url, order, partitions) in hands.elsewhere {
                let answer = Gathering<Result<RunReport, WorkerRefusal>?>(1, whole: nil) { _ in }
                let isThere = DispatchSemaphore(value: 0)
                neighbours?.run(order, of: partitions, isDry: true, at: url) { result in
                    answer.add { $0 = result }
                    isThere.signal()
                }
                isThere.wait()
                switch answer.whole {
                case .success(let other)?: report.add(other)
                case .failure(.problem(let problem))?: return reply(.refused("\(problem)"))
                case .failure(let refusal)?: return reply(.unable(refusal.inability))
                case nil: return reply(.unable(.stopping))
                }
            }
            reply(.done(report))
        } orElse: {
            reply(.unable($0))
        }
    }
}
