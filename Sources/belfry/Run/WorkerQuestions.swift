import CivilTime
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

    func reader(of log: RunningLog) throws(JournalError) -> LogReader { try LogReader(log.directory, on: world.disk) }

    // MARK: People

    func list(_ question: PeopleQuestion, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        let query = PeopleQuery(
            prefix: question.prefix ?? "", state: question.state.flatMap { PeopleQuery.State(rawValue: $0.rawValue) },
            limit: question.limit ?? PeopleQuery.limitUsual, after: question.after)
        questions.take(asker) { [self] in
            do throws(Refusal) {
                let names = PeoplePage.names(query, town.directory).map { $0.number ?? 0 }
                let leaves = try gather(PeopleParts(query), over: names, asker).flatMap(\.self)
                let page = PeoplePage(query, leaves, town.directory)
                var body = PeopleTable(page).answer.body(isJSON: !question.wantsText)
                if !body.isEmpty { body.append(UInt8(ascii: "\n")) }
                reply(.found(body))
            } catch .wrong(let problem) {
                reply(.refused(problem))
            } catch {
                reply(.unable(error.inability))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    func search(_ log: RunningLog, _ query: PeopleQuery, _ asker: Asker) throws(Refusal) -> PeopleSearch {
        let candidates: Set<String>?
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

    // MARK: Samples

    func test(_ order: TestOrder, _ reply: @escaping @Sendable (TestAnswer) -> Void) {
        var request = TestRequested()
        request.kind = Identifier(order.kind)
        request.channel = order.channel
        var fact = Fact(user: order.user, id: order.id, payload: .testRequested(request))
        fact.isTheirOwn = order.isTheirOwn
        guard let log = town.log(of: order.user) else { return reply(.unable(.noOwner(town.place(of: order.user)))) }
        let intake = log.worker.submit([fact], bytes: 256) { [world, reports] result in
            switch result {
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let receipts):
                let asked: (seq: UInt64, isNew: Bool)
                switch receipts.first {
                case .recorded(let number, warnings: _)?: asked = (number, true)
                case .duplicate(let number)?: asked = (number, false)
                case .refused(let problem)?:
                    guard let opens = problem.opens else { return reply(.refused("\(problem)")) }
                    return reply(.tooMany(retryAfterSeconds: opens.wholeSeconds(after: world.clock())))
                case .leftOut?, nil: return reply(.unable(.failed("the test was not taken")))
                }
                _ = reports.take {
                    let sample = Sample(seq: asked.seq, user: order.user)
                    do throws(JournalError) {
                        let decisions = try sample.decisions(log.directory, world.disk).map(\.event.line)
                        reply(.done(seq: asked.seq, decisions: decisions, isNew: asked.isNew))
                    } catch {
                        reply(.unable(.failed("\(error)")))
                    }
                }
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }
}

/// Waits for the worker's answer, which is durable then. Only for threads that can wait.
func waited<Value: Sendable>(
    _ ask: (@escaping Reply<Value>) -> LiveWorker.Intake
) -> Result<Value, WorkerService.Refusal> {
    let found = Mutex<Result<Value, WorkerService.Refusal>>(.failure(.unable(.stopping)))
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
