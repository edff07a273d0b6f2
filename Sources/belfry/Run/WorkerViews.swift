import CivilTime
import Console
import Delivery
import Journal
import Measuring
import Notices
import Reports
import Shared
import Worker

/// What the operators' pages ask, answered by the worker and its log: on the questions' threads, in pieces where it is about
/// everybody.
struct WorkerViews: Sendable {
    let service: WorkerService
    let runs: WhatIfRuns

    var sight: SightService {
        SightService(now: { now }, day: { day(of: $0, $1, $2, $3) }, agenda: { agenda($0, $1, $2) })
    }

    var policies: PolicyService {
        PolicyService(
            inForce: { policy($0, $1) },
            shipped: { ShippedPolicies.text(of: $0).flatMap { JSONValue(parsing: $0) } },
            check: { [zones = service.zones] text in
                PolicyCheckReport(of: text, zoneProblem: { zones.problem(with: $0) }).document
            }, beginWhatIf: { problem(with: $0).map(WhatIfBeginning.refused) ?? runs.begin($0) },
            whatIf: { runs.standing(of: $0) },
            stopWhatIf: { runs.stop($0) })
    }

    /// A log does not reach back behind its end; of a cluster's logs this worker knows only its own.
    private func problem(with order: WhatIfOrder) -> FieldError? {
        guard let from = order.from, service.neighbours == nil,
            let end = service.town.logs.map(\.worker.standing.durable).max(by: { $0.at < $1.at }), from > end.at
        else { return nil }
        return FieldError(
            path: "from", end.lastSeq == 0 ? "the log holds nothing yet" : "\(from) is after the log's end, \(end.at)")
    }

    private typealias Reply = @Sendable (Answer) -> Void

    // MARK: One person's day

    private func day(of user: String, _ date: LocalDate?, _ asker: Asker, _ reply: @escaping Reply) {
        service.questions.take(asker) { [self] in
            guard let log = service.town.log(of: user) else {
                return reply(.unable(.noOwner(service.town.place(of: user))))
            }
            switch waited({ log.worker.story(of: user, reply: $0) }) {
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let place): reply(day(of: user, date, from: place, in: log, asker))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func day(
        of user: String, _ date: LocalDate?, from place: PersonPlace?, in running: RunningLog, _ asker: Asker
    ) -> Answer {
        do throws(Unanswered) {
            guard let place else { throw .nobody(user) }
            let log: LogReader
            do throws(JournalError) { log = try service.reader(of: running) } catch { throw .failed(Failure(error)) }
            let source = StorySource(at: place, in: log, isWanted: { !asker.isGone })
            var day = PersonDay(of: user, on: date, now: max(service.world.clock(), place.head.at))
            if day.needsSurvey {
                let biography = try source.tell(service.zones) { day.survey($0, $1) }
                do throws(PersonDay.Problem) { try day.endSurvey(biography) } catch { throw Self.told(error, user) }
            }
            let biography = try source.tell(service.zones) { day.isToTake($0, $1) }
            let foresight = Foresight(work: Foresight.workOfOneAnswer, isWanted: source.isWanted)
            let report = try Self.report(&day, biography, foresight).document
            guard source.isWanted() else { throw .abandoned }
            // Behind which whoever follows the person goes on.
            let through = JSONValue.Member("through_seq", .number("\(source.head.lastSeq)"))
            return .found(Self.line(.object(report.members + [through])))
        } catch {
            switch error {
            case .unknown(let problem): return .unknown(problem)
            case .refused(let problem): return .refused(problem)
            case .abandoned: return .unable(.abandoned)
            case .failed(let failure): return .unable(.failed(failure.message))
            }
        }
    }

    private static func report(
        _ day: inout PersonDay, _ biography: Biography, _ foresight: Foresight
    ) throws(Unanswered) -> DayReport {
        do throws(PersonDay.Problem) { return try day.report(biography, foresight) } catch {
            throw told(error, biography.user)
        }
    }

    private static func told(_ problem: PersonDay.Problem, _ user: String) -> Unanswered {
        switch problem {
        case .notKnownThen: .notKnownThen(user)
        case .noSuchDate(let problem): .refused("date: \(problem)")
        }
    }

    static func line(_ document: JSONValue) -> [UInt8] { Array((document.text + "\n").utf8) }

    // MARK: The agenda

    private func agenda(_ question: AgendaQuestion, _ asker: Asker, _ reply: @escaping Reply) {
        service.questions.take(asker) { [self] in
            let query = AgendaSurvey.Query(
                from: service.world.clock(), hours: question.hours, stepMinutes: question.stepMinutes,
                kind: question.kind)
            do throws(WorkerService.Refusal) {
                var whole = AgendaSurvey(query)
                for part in try service.gather(AgendaParts(query), over: service.partitions, asker) { whole.add(part) }
                reply(.found(Self.line(whole.document)))
            } catch {
                reply(.unable(error.inability))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    // MARK: The policy

    private func policy(_ asker: Asker, _ reply: @escaping Reply) {
        service.questions.take(asker) { [self] in
            guard let log = service.town.everyone else { return reply(.unable(.noOwner(Partition.everyone))) }
            switch waited({ log.worker.generalCommits(reply: $0) }) {
            case .failure(let refusal): reply(.unable(refusal.inability))
            case .success(let places):
                do throws(JournalError) {
                    let adopted = try AdoptedPolicy(try service.reader(of: log), among: places)
                    // Until a log adopts one, `standard` is in force.
                    let text = adopted?.text ?? ShippedPolicies.text(of: "standard") ?? ""
                    let report = PolicyReport(text: text, adopted: adopted.map { ($0.seq, $0.at) })
                    guard var document = report.document else {
                        return reply(.unable(.failed("the policy in force cannot be read")))
                    }
                    if !service.town.isOne {
                        let number = log.name.number ?? LogName.everyonesNumber
                        document = .object(document.members + [.init("partition", .number("\(number)"))])
                    }
                    reply(.found(Self.line(document)))
                } catch {
                    reply(.unable(.failed("\(error)")))
                }
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    // MARK: Now

    /// Asked every second or so by every page that is open, so it waits for nobody.
    private var now: JSONValue {
        let (town, clock) = (service.town, service.world.clock())
        var now = NowPart(of: service)
        for part in service.othersNow?.parts ?? [] { now.add(part) }
        var members: [JSONValue.Member] = [
            .init("at", .string("\(clock)")), .init("last_seq", .number("\(now.events)")),
            .init("version", .string(Belfry.version)),
            .init("policy", town.everyone.map { .string($0.worker.standing.policy) } ?? .null),
            .init("people", .number("\(now.people)")),
            .init("why_not_ready", now.whyNotReady.map { .string($0) } ?? .null),
            .init("oldest_due_seconds", .number(Self.seconds(now.latenessMs))),
            .init("due_people", .number("\(now.duePeople)")),
            .init("waiting", Self.waiting(now)),
            .init("carriers", .array(now.carriers.map { $0.shown(at: clock).document })),
            .init("troubles", .array(now.troubles.map(\.document))),
            .init("minute", Self.document(now.minute)),
            .init(
                "lag",
                .object([
                    .init("p50_ms", Self.milliseconds(now.minute.lag.quantileMs(0.5))),
                    .init("p99_ms", Self.milliseconds(now.minute.lag.quantileMs(0.99))),
                ])),
        ]
        if service.neighbours != nil, let count = town.directory.partitions {
            members.append(
                .init(
                    "partitions",
                    .object([
                        .init("of", .number("\(count)")), .init("told", .number("\(now.partitions.count)")),
                        .init("late", .array(now.lateDocuments)),
                    ])))
        }
        return .object(members)
    }

    /// Notices are left out until the log has been counted once.
    private static func waiting(_ now: NowPart) -> JSONValue {
        .object(
            [.init("jobs", .number("\(now.waitingJobs)"))]
                + (now.waitingNotices.map {
                    [.init("held", .number("\($0.held)")), .init("gathered", .number("\($0.gathered)"))]
                } ?? []))
    }

    private static func document(_ minute: WorkFigures.Minute) -> JSONValue {
        .object([
            .init("facts", .number("\(minute.facts)")), .init("decisions", .number("\(minute.decisions)")),
            .init("jobs", .number("\(minute.jobs)")), .init("dropped", .number("\(minute.dropped)")),
            .init("held", .number("\(minute.held)")),
        ])
    }

    private static func seconds(_ milliseconds: Int64) -> String { "\(Double(milliseconds) / 1000)" }
    private static func milliseconds(_ value: Double?) -> JSONValue { value.map { .number("\($0)") } ?? .null }
}

extension LiveWorker.Standing {
    /// For how many milliseconds somebody has been due by now.
    func lateness(at now: Instant) -> Int64 { nextWake.map { max(0, now.milliseconds(since: $0)) } ?? 0 }
}
