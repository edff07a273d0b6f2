import CivilTime
import Console
import Journal
import Notices
import Worker

/// `belfry retry`: what failed is sent once more, as the same job (`N7`).
enum RetryCommand: Command {
    private static let job = CommandSpec.Option(name: "--job", value: "J", help: "this job")
    private static let user = CommandSpec.Option(
        name: "--user", value: "U", help: "everything of this person that failed in the last 7 days")
    private static let since = CommandSpec.Option(
        name: "--failed-since", value: "T", help: "everything that failed since, such as 2026-03-02T14:00:00Z")

    static let spec = CommandSpec(
        name: "retry", summary: "Sends what failed once more, under the same job id.", positional: nil,
        options: [job, user, since, CommandSpec.data, CommandSpec.json],
        notes: """
            Takes one of --job, --user and --failed-since. A job is sent once more if its not_after allows; a
            refusal is printed with its reason. The request is a fact in the log, and the history shows every try.
            If no worker runs, the next one sends it. At most \(FailedJobs.countMax) jobs at once, the next
            when it is asked again; exit 1 if one was refused. \(WorkerClient.patienceNote)
            \(LoneWorker.decidingNote)
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let (order, isJSON) = (try order(arguments), arguments.has(CommandSpec.json))
        // Beside a worker of a cluster, others know the rest of what failed.
        if try world.directory(arguments).isCopy, let worker = WorkerClient(World.dataDirectory(arguments)) {
            return try tell(try worker.retry(order), world.output, isJSON)
        }
        let jobs = try jobs(of: order, arguments, world)
        guard !jobs.isEmpty else { return try tell(RetryReport([]), world.output, isJSON) }
        if case .job = order, let problem = try objection(to: jobs[0], arguments, world) {
            let refused = RetriedJob(job: jobs[0].text, outcome: .refused(problem))
            return try tell(RetryReport([refused]), world.output, isJSON)
        }
        var (retried, isThere): ([RetriedJob], Bool) = ([], true)
        try FactTaking.with(World.dataDirectory(arguments), command: "retry", world) {
            (taker, isRunning) throws(Failure) in
            let outcomes = try OwnFacts(taker: taker).append(jobs.map(fact))
            retried = zip(jobs, outcomes).map { RetriedJob(job: $0.text, outcome: .init($1)) }
            isThere = isRunning
        }
        try tell(RetryReport(retried), isRunning: isThere, world.output, isJSON)
    }

    private static func tell(
        _ report: RetryReport, isRunning: Bool = true, _ output: Output, _ isJSON: Bool
    ) throws(Failure) {
        guard report.retried + report.refused > 0 else {
            if !isJSON { output.line("nothing failed that could be sent once more") }
            return
        }
        for job in report.jobs { tell(job, output, isJSON) }
        if report.unlisted > 0 {
            complain(
                "note: the worker listed the first \(report.jobs.count) jobs; \(report.unlisted) more are not printed")
        }
        let refused = report.refused
        if !isJSON {
            let sent = counted(report.retried, "job")
            output.line(
                "\(sent) to be sent once more\(isRunning ? "" : "; the next `belfry run` sends")"
                    + (refused == 0 ? "" : ", \(refused) refused"))
        }
        if refused > 0 { throw Failure(.no, counted(refused, "job was", "jobs were") + " refused") }
    }

    private static func order(_ arguments: Arguments) throws(Failure) -> RetryOrder {
        switch (arguments[job], arguments[user], arguments[since]) {
        case (let name?, nil, nil):
            guard NoticeName.isAccepted(name) else {
                throw .usage("--job takes a job's id, such as anna/check_in/2026-03-02T09:00, not \"\(name)\"", spec)
            }
            return .job(name)
        case (nil, let user?, nil): return .user(user)
        case (nil, nil, let word?):
            guard let instant = try? Instant(rfc3339: word) else {
                throw .usage("--failed-since takes an instant such as 2026-03-02T14:00:00Z, not \"\(word)\"", spec)
            }
            return .failedSince(instant)
        default: throw .usage("retry takes one of --job, --user and --failed-since", spec)
        }
    }

    private static func jobs(
        of order: RetryOrder, _ arguments: Arguments, _ world: World
    ) throws(Failure) -> [NoticeName] {
        switch order {
        case .job(let name):
            let job = NoticeName(name)
            let log = try world.log(arguments, of: job.user)
            do throws(Unanswered) { _ = try StorySource(of: job.user, in: log) } catch {
                guard case .unknown = error else { throw Failure(error) }
                throw Failure(
                    Failure(error).code,
                    "no job has the id \(quoted(name)); `belfry history --user U` lists those of a person")
            }
            return [job]
        case .user(let user):
            let log = try world.log(arguments, of: user)
            do throws(Unanswered) {
                return try FailedOfPerson.jobs(try StorySource(of: user, in: log), try zones(world), at: world.clock())
            } catch {
                throw Failure(error)
            }
        case .failedSince(let instant):
            let directory = try world.directory(arguments).whole()
            var names: [NoticeName] = []
            for name in directory.names where names.count < FailedJobs.countMax {
                let log = try world.log(at: directory.log(name))
                do throws(JournalError) {
                    names += try FailedJobs(log).since(instant, most: FailedJobs.countMax - names.count)
                } catch {
                    throw Failure(error)
                }
            }
            return names
        }
    }

    private static func objection(
        to job: NoticeName, _ arguments: Arguments, _ world: World
    ) throws(Failure) -> String? {
        let log = try world.log(arguments, of: job.user)
        do throws(Unanswered) {
            return try FailedOfPerson.objection(
                to: job, try StorySource(of: job.user, in: log), try zones(world), at: world.clock())
        } catch {
            throw Failure(error)
        }
    }

    private static func zones(_ world: World) throws(Unanswered) -> ZoneDatabase {
        do throws(Failure) { return try world.zones() } catch { throw .failed(error) }
    }

    private static func fact(_ job: NoticeName) -> JSONValue {
        OwnFacts.fact("job_retry_requested", about: job.user, [.init("job", .string(job.text))])
    }

    private static func tell(_ retried: RetriedJob, _ output: Output, _ isJSON: Bool) {
        guard !isJSON else { return output.line { retried.document.write(into: &$0) } }
        switch retried.outcome {
        case .asked: output.line("\(retried.job)  asked for once more")
        case .refused(let problem): output.line("\(retried.job)  refused: \(problem)")
        }
    }
}

/// One person's jobs that failed and can be sent once more.
enum FailedOfPerson {
    static func jobs(
        _ source: StorySource, _ zones: ZoneDatabase, at now: Instant
    ) throws(Unanswered) -> [NoticeName] {
        var history = PersonHistory(of: source.user)
        _ = try source.tell(until: .end, zones) { event, _ in history.take(event) }
        let query = HistoryQuery(user: source.user, status: .failed, days: Int(FailedJobs.days), now: now)
        return history.report(query).entries.map { NoticeName($0.name) }
    }

    /// Why a job is not to be sent once more although a failure was told last: it happened before the delivery (`N3`).
    static func objection(
        to job: NoticeName, _ source: StorySource, _ zones: ZoneDatabase, at now: Instant
    ) throws(Unanswered) -> String? {
        var history = PersonHistory(of: source.user)
        _ = try source.tell(until: .end, zones) { event, _ in history.take(event) }
        let query = HistoryQuery(user: source.user, status: .delivered, days: Int(FailedJobs.days), now: now)
        let isDelivered = history.report(query).entries.contains { $0.name == job.text && $0.isDelivered }
        return isDelivered ? "\(quoted(job.text)) was delivered: there is nothing to send again" : nil
    }
}
