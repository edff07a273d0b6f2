import Console
import Journal
import Notices
import Worker

/// "Send once more what failed" (`N7`): each worker sees to the people of its own partitions.
extension WorkerService {
    /// Why it is not known what is to be sent once more.
    private enum NoJobs: Error {
        case unanswered(Unanswered)
        case unable(Inability)
        case refused(NoticeName, String)

        var answer: RetryAnswer {
            switch self {
            case .unable(let inability): .unable(inability)
            case .refused(let job, let problem):
                .done(RetryReport([RetriedJob(job: job.text, outcome: .refused(problem))]))
            case .unanswered(.unknown(let problem)), .unanswered(.refused(let problem)): .unknown(problem)
            case .unanswered(.abandoned): .unable(.abandoned)
            case .unanswered(.failed(let failure)): .unable(.failed(failure.message))
            }
        }
    }

    func retry(_ request: RetryRequest, _ asker: Asker, _ reply: @escaping @Sendable (RetryAnswer) -> Void) {
        let room = request.isPassedOn ? partsRoom : questions
        room.take(asker) { [self] in
            do throws(NoJobs) {
                let urls = try owners(of: request)
                let answers = neighbours?.retry(request.order, at: urls.elsewhere)
                var whole = RetryAnswer.done(RetryReport([]))
                if urls.isHereToo {
                    let jobs = try jobs(of: request.order, asker)
                    if !jobs.isEmpty { whole = askOnceMore(for: jobs) }
                }
                for answer in answers?.wait() ?? [] { whole.add(answer) }
                reply(whole)
            } catch {
                reply(error.answer)
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    /// Whose workers have what is to be sent once more.
    private func owners(of request: RetryRequest) throws(NoJobs) -> (isHereToo: Bool, elsewhere: [String]) {
        let places: [Int]
        switch request.order {
        case .job(let name): places = [town.place(of: NoticeName(name).user)]
        case .user(let user): places = [town.place(of: user)]
        case .failedSince where request.isPassedOn: return (true, [])
        case .failedSince: places = Array(0..<(town.directory.partitions ?? 1))
        }
        var owners: (isHereToo: Bool, elsewhere: Set<String>) = (false, [])
        for place in places {
            if town.log(place) != nil {
                owners.isHereToo = true
            } else if !request.isPassedOn, let url = neighbours?.url(ofOwnerOf: place) {
                owners.elsewhere.insert(url)
            } else {
                throw .unable(.noOwner(place))
            }
        }
        return (owners.isHereToo, owners.elsewhere.sorted())
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
            return .done(RetryReport(zip(jobs, receipts).map { RetriedJob(job: $0.text, outcome: .init($1)) }))
        }
    }

    private func jobs(of order: RetryOrder, _ asker: Asker) throws(NoJobs) -> [NoticeName] {
        switch order {
        case .job(let name):
            let job = NoticeName(name)
            let found = try place(of: job.user)
            let problem = try story(found.place, in: found.log, asker) { (source) throws(Unanswered) in
                try FailedOfPerson.objection(to: job, source, zones, at: world.clock())
            }
            if let problem { throw .refused(job, problem) }
            return [job]
        case .failedSince(let instant):
            var names: [NoticeName] = []
            do throws(JournalError) {
                for log in town.logs where names.count < FailedJobs.countMax {
                    names += try FailedJobs(try reader(of: log)).since(
                        instant, most: FailedJobs.countMax - names.count, isWanted: { !asker.isGone })
                }
            } catch {
                throw .unable(.failed("\(error)"))
            }
            // What was found by then may have got through behind what was read.
            if asker.isGone { throw .unable(.abandoned) }
            return names
        case .user(let user):
            let found = try place(of: user)
            return try story(found.place, in: found.log, asker) { (source) throws(Unanswered) in
                try FailedOfPerson.jobs(source, zones, at: world.clock())
            }
        }
    }

    private func place(of user: String) throws(NoJobs) -> (log: RunningLog, place: PersonPlace) {
        guard let log = town.log(of: user) else { throw .unable(.noOwner(town.place(of: user))) }
        switch waited({ log.worker.story(of: user, reply: $0) }) {
        case .failure(let refusal): throw .unable(refusal.inability)
        case .success(nil): throw .unanswered(.nobody(user))
        case .success(let place?): return (log, place)
        }
    }

    private func story<Found>(
        _ place: PersonPlace, in running: RunningLog, _ asker: Asker,
        _ look: (StorySource) throws(Unanswered) -> Found
    ) throws(NoJobs) -> Found {
        let log: LogReader
        do throws(JournalError) { log = try reader(of: running) } catch { throw .unable(.failed("\(error)")) }
        do throws(Unanswered) {
            return try look(StorySource(at: place, in: log, isWanted: { !asker.isGone }))
        } catch {
            throw .unanswered(error)
        }
    }
}

extension RetryAnswer {
    /// What another worker has done besides; together they list no more than one does. Where one did nothing, that is the
    /// answer: to ask again does no harm.
    mutating func add(_ other: RetryAnswer) {
        switch (self, other) {
        case (.done(var report), .done(let more)):
            report.add(more, listing: FailedJobs.countMax)
            self = .done(report)
        case (.done, _): self = other
        default: break
        }
    }
}

extension RetriedJob.Outcome {
    init(_ receipt: FactReceipt) {
        switch receipt {
        case .recorded(let seq, warnings: _), .duplicate(let seq): self = .asked(seq: seq)
        case .refused(let problem): self = .refusal(ofFact: "\(problem)")
        case .leftOut: self = .refused("another was refused")
        }
    }
}
