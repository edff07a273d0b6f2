import Console
import Delivery
import Dispatch
import Journal
import Notices
import Queueing
import Synchronization
import Worker

/// Orders and questions about several people: what the worker is asked in pieces, and waited for on the questions' threads.
extension WorkerService {
    /// Why there is no answer.
    enum Refusal: Error {
        case wrong(String)
        case unable(Inability)

        var inability: Inability {
            switch self {
            case .wrong(let problem): .failed(problem)
            case .unable(let inability): inability
            }
        }
    }

    /// Waits for the worker's answer, which is durable then. Only for threads that can wait.
    func waited<Value: Sendable>(
        _ ask: (@escaping Reply<Value>) -> LiveWorker.Intake
    ) -> Result<Value, Refusal> {
        let found = Mutex<Result<Value, Refusal>>(.failure(.unable(.stopping)))
        let isThere = DispatchSemaphore(value: 0)
        let intake = ask { result in
            found.withLock {
                $0 = result.mapError { refusal in
                    if case .problem(let problem) = refusal { .wrong("\(problem)") } else { .unable(refusal.inability) }
                }
            }
            isThere.signal()
        }
        if let inability = intake.inability { return .failure(.unable(inability)) }
        isThere.wait()
        return found.withLock { $0 }
    }

    func reader(of log: RunningLog) throws(JournalError) -> LogReader { try LogReader(log.directory, on: world.disk) }

    // MARK: People

    func list(_ question: PeopleQuestion, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        let query = PeopleQuery(
            prefix: question.prefix ?? "", state: question.state.flatMap { PeopleQuery.State(rawValue: $0.rawValue) },
            limit: question.limit ?? PeopleQuery.limitUsual, after: question.after)
        let isTaken = questions.take(asker) { [self] in
            do throws(Refusal) {
                let page = try PeoplePage(query, town.directory) { (name, query) throws(Refusal) in
                    guard let log = town.log(name.number ?? 0) else { throw Refusal.unable(partial) }
                    return try search(log, query, asker)
                }
                var body = PeopleTable(page).answer.body(isJSON: !question.wantsText)
                if !body.isEmpty { body.append(UInt8(ascii: "\n")) }
                reply(.found(body))
            } catch .wrong(let problem) {
                reply(.refused(problem))
            } catch {
                reply(.unable(error.inability))
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    private func search(_ log: RunningLog, _ query: PeopleQuery, _ asker: Asker) throws(Refusal) -> PeopleSearch {
        let candidates: [String]?
        do throws(JournalError) {
            candidates = try query.candidates(in: try reader(of: log), at: world.clock(), isWanted: { !asker.isGone })
        } catch {
            throw .unable(.failed("\(error)"))
        }
        var search = PeopleSearch(query, candidates: candidates)
        while !search.isDone {
            if asker.isGone { throw .unable(.abandoned) }
            let before = search
            search = try waited { log.worker.search(before, reply: $0) }.get()
        }
        return search
    }

    // MARK: Sending again, and samples

    /// Why it is not known what is to be sent once more.
    private enum NoJobs: Error {
        case unanswered(Unanswered)
        case unable(Inability)

        var answer: RetryAnswer {
            switch self {
            case .unable(let inability): .unable(inability)
            case .unanswered(.unknown(let problem)), .unanswered(.refused(let problem)): .unknown(problem)
            case .unanswered(.abandoned): .unable(.abandoned)
            case .unanswered(.failed(let failure)): .unable(.failed(failure.message))
            }
        }
    }

    func retry(_ order: RetryOrder, _ asker: Asker, _ reply: @escaping @Sendable (RetryAnswer) -> Void) {
        let isTaken = questions.take(asker) { [self] in
            do throws(NoJobs) {
                let jobs = try jobs(of: order, asker)
                reply(jobs.isEmpty ? .done([]) : askOnceMore(for: jobs))
            } catch {
                reply(error.answer)
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    private func askOnceMore(for jobs: [NoticeName]) -> RetryAnswer {
        let facts = jobs.map { job in
            var request = JobRetryRequested()
            request.job = job
            return Fact(user: job.user, payload: .jobRetryRequested(request))
        }
        let bytes = jobs.reduce(0) { $0 + $1.text.utf8.count + 64 }
        switch waited({ town.submit(facts, bytes: bytes, reply: $0) }) {
        case .failure(let refusal): return .unable(refusal.inability)
        case .success(let receipts):
            return .done(zip(jobs, receipts).map { RetriedJob(job: $0.text, outcome: .init($1)) })
        }
    }

    private func jobs(of order: RetryOrder, _ asker: Asker) throws(NoJobs) -> [NoticeName] {
        switch order {
        case .job(let name): return [NoticeName(name)]
        case .failedSince(let instant):
            guard town.isWhole else { throw .unable(partial) }
            do throws(JournalError) {
                var names: [NoticeName] = []
                for log in town.logs where names.count < FailedJobs.countMax {
                    names += try FailedJobs(try reader(of: log)).since(instant, isWanted: { !asker.isGone })
                }
                return Array(names.prefix(FailedJobs.countMax))
            } catch {
                throw .unable(.failed("\(error)"))
            }
        case .user(let user):
            guard let log = town.log(of: user) else { throw .unable(.noOwner(town.place(of: user))) }
            switch waited({ log.worker.story(of: user, reply: $0) }) {
            case .failure(let refusal): throw .unable(refusal.inability)
            case .success(nil): throw .unanswered(.nobody(user))
            case .success(let place?): return try failed(of: place, in: log, asker)
            }
        }
    }

    private func failed(
        of place: PersonPlace, in running: RunningLog, _ asker: Asker
    ) throws(NoJobs) -> [NoticeName] {
        let log: LogReader
        do throws(JournalError) { log = try reader(of: running) } catch { throw .unable(.failed("\(error)")) }
        let source = StorySource(at: place, in: log, isWanted: { !asker.isGone })
        do throws(Unanswered) {
            return try FailedOfPerson.jobs(source, zones, at: world.clock())
        } catch {
            throw .unanswered(error)
        }
    }

    func test(_ order: TestOrder, _ reply: @escaping @Sendable (TestAnswer) -> Void) {
        var request = TestRequested()
        request.kind = Identifier(order.kind)
        request.channel = order.channel
        let fact = Fact(user: order.user, payload: .testRequested(request))
        guard let log = town.log(of: order.user) else { return reply(.unable(.noOwner(town.place(of: order.user)))) }
        let intake = log.worker.submit([fact], bytes: 256) { [world, reports] result in
            switch result {
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let receipts):
                guard case .recorded(let seq, warnings: _)? = receipts.first else {
                    if case .refused(let problem)? = receipts.first { return reply(.refused("\(problem)")) }
                    return reply(.unable(.failed("the test was not taken")))
                }
                _ = reports.take {
                    let sample = Sample(seq: seq, user: order.user, kind: order.kind)
                    do throws(JournalError) {
                        let decisions = try sample.decisions(log.directory, world.disk).map(\.event.line)
                        reply(.done(seq: seq, decisions: decisions))
                    } catch {
                        reply(.unable(.failed("\(error)")))
                    }
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }
}

extension RetriedJob.Outcome {
    fileprivate init(_ receipt: FactReceipt) {
        switch receipt {
        case .recorded(let seq, warnings: _), .duplicate(let seq): self = .asked(seq: seq)
        case .refused(let problem): self = .refused("\(problem)")
        case .leftOut: self = .refused("another was refused")
        }
    }
}
