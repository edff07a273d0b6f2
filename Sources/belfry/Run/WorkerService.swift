import CivilTime
import Console
import Delivery
import Foundation
import Journal
import Notices
import Queueing
import Reports
import Shared
import Synchronization
import Worker

/// What the API asks, answered by the workers of the logs that it is about.
///
/// Facts, questions and what a run has come to are each put into words on threads of their own, so that none of them waits
/// for another (`G11`), and none of it is done on the worker's queue.
struct WorkerService: Sendable {
    let town: Town
    /// The other workers of a cluster; `nil` where this is the only one.
    var neighbours: Neighbours?
    var membership: Membership?
    /// How those stand.
    var othersNow: OthersNow?
    let courier: Courier
    let policy: PolicyKeeper
    /// Where texts wait for their analysis; `nil` where no senders' document was given.
    let analyst: AnalystDesk?
    let sendsTexts: @Sendable () -> Bool
    let world: World
    let zones: ZoneDatabase
    /// Who is let in.
    let keeper: Doorkeeper
    /// By a clock that nobody sets.
    let startedAt: ContinuousClock.Instant
    let runs: WhatIfRuns
    let machine: MachineWatch
    let requests: RequestFigures
    /// How many streams are open, and can be.
    let streams: @Sendable () -> (open: Int, most: Int)
    let eraser: Eraser
    /// What became of providers' reports.
    let reported: ReportTeller
    /// What is read again while the worker runs.
    let files: [FileReading]
    let isStopping: @Sendable () -> Bool

    let questions = QuestionRoom(
        threads: min(max(1, ProcessInfo.processInfo.activeProcessorCount / 2), 4), seats: 32)
    /// Where other workers' questions wait. None of them waits for another worker, so they have threads of their own.
    let partsRoom = QuestionRoom(threads: 2, seats: 64)
    private let pace = Pace()
    private let codes = AskTally(.codes)
    private let trials = AskTally(.trials)
    /// What became of facts: up to 65,536 lines. How much of it waits is bounded by what the worker takes in.
    private let receipts = Lane("belfry.receipts", threads: 2, waitingMax: .max)
    /// What runs have come to is read out of the log; bounded in the same way.
    let reports = Lane("belfry.reports", threads: 1, waitingMax: .max)

    var doors: Service {
        var service = Service { health }
        service.access = AccessService(keeper) { [reports] work in _ = reports.take(work) }
        service.orders = OrderService(
            zoneProblem: { [zones] in zones.problem(with: $0) },
            append: { append($0, $1) }, refused: { [town] in town.everyone?.worker.figures.refused($0) },
            runNow: { $0.isDry ? tryOut($0, $1, $2) : run($0, $2) },
            retry: { retry($0, $1, $2) }, test: { test($0, $1) },
            erase: { [eraser, reports] in eraser.erase($0, by: $1, on: { _ = reports.take($0) }, $2) })
        service.persons = PersonService(
            zoneProblem: { [zones] in zones.problem(with: $0) }, append: { append($0, $1) },
            refused: { [town] in town.everyone?.worker.figures.refused($0) }, card: { card($0, $1) },
            tryAnalysis: { tryAnalysis($0, $1) }, sendsTexts: sendsTexts, pace: pace, codes: codes, trials: trials,
            clock: world.clock)
        service.questions = QuestionService(ask: { ask($0, $1, $2) }, people: { list($0, $1, $2) })
        service.streams =
            StreamDesk(
                town: town, world: world, zones: zones, questions: questions, heads: { heads($0, $1) },
                everybody: { followEverybody($0, $1, $2) }
            ).doors
        service.orders?.partition = town.partition
        service.orders?.keepsLines = neighbours != nil
        if let neighbours {
            service.passOn = { [town] request, home, reply, here in
                neighbours.passOn(request, to: home, from: town, reply, here: here)
            }
        }
        let views = WorkerViews(service: self, runs: runs)
        service.sight = views.sight
        service.policies = views.policies
        service.cluster = ClusterService(
            catchUp: { [town, neighbours] seq, done in town.catchUp(seq, neighbours, done) },
            part: { part($0, $1, $2) },
            move: { [membership] in membership?.hear($0, $1) ?? true }, drain: { [membership] in membership?.drain() },
            erase: { [membership, reports] order, done in
                _ = reports.take { done(membership?.erasures?.hear(order) ?? Forgotten()) }
            },
            revoke: { [reports, persons = keeper.persons] user, id, done in
                _ = reports.take { done(persons?.revoke(id, of: user)) }
            })
        service.cluster?.partitions = town.directory.partitions
        service.cluster?.revoked = { [neighbours, reports, persons = keeper.persons] url, revoked, done in
            // First seen, then told: whatever is revoked afterwards is told to it as to the others.
            guard let neighbours, neighbours.others.contains(url) else {
                neighbours?.wantEveryone()
                return done(.notSeen)
            }
            _ = reports.take { done(persons?.exchange(revokedElsewhere: revoked) ?? .notSeen) }
        }
        if let neighbours {
            service.access?.revokeElsewhere = { neighbours.revoke($0, $1, $2) }
        }
        let metrics = WorkerMetrics(service: self, machine: machine, requests: requests)
        service.numbers = NumberService(
            stats: { stats($0, $1, $2) }, metrics: { metrics.page(isOpenMetrics: $0) })
        return service
    }

    private func append(_ order: AppendOrder, _ reply: @escaping @Sendable (AppendAnswer) -> Void) {
        let policies = order.facts.enumerated().compactMap { place, fact -> (place: Int, text: String)? in
            guard case .policyAdopted(let adopted) = fact.payload else { return nil }
            return (place, adopted.policy.text)
        }
        hear(order.facts)
        guard let neighbours else { return deal(order, policies, reply) }
        neighbours.findAll(order.facts, in: town, isPassedOn: order.isPassedOn) { nobodys in
            if let nobodys { return reply(.failure(.noOwner(nobodys))) }
            deal(order, policies, reply)
        }
    }

    private func deal(
        _ order: AppendOrder, _ policies: [(place: Int, text: String)],
        _ reply: @escaping @Sendable (AppendAnswer) -> Void
    ) {
        let intake = town.deal(
            order.facts, bytes: order.bytes, allOrNothing: order.isAllOrNothing,
            passOn: neighbours?.passing(order, from: town)
        ) { [policy, receipts] result in
            _ = receipts.take {
                if case .success(let told) = result {
                    unhear(order.facts, told)
                    for (place, text) in policies { policy.hear(text, try? told[place].get(), from: order.who) }
                }
                reply(result.map { $0.map { $0.mapError(\.inability) } }.mapError(\.inability))
            }
        }
        if let inability = intake.inability { reply(.failure(inability)) }
    }

    /// Before they are recorded: an analysis may follow from them at once.
    private func hear(_ facts: [Fact]) {
        guard let analyst else { return }
        for fact in facts { if let user = fact.user { analyst.hear(fact.payload, about: user) } }
    }

    private func unhear(_ facts: [Fact], _ outcomes: [FactOutcome]) {
        guard let analyst else { return }
        for (fact, outcome) in zip(facts, outcomes) {
            switch outcome {
            case .success(.recorded): continue
            // It may be there.
            case .failure(let refusal) where refusal.inability.leavesDoubt: continue
            case .success, .failure: break
            }
            if let user = fact.user { analyst.unhear(fact.payload, about: user) }
        }
    }

    private func card(
        _ user: String, _ reply: @escaping @Sendable (Result<PersonCard?, Inability>) -> Void
    ) {
        guard let log = town.log(of: user) else { return reply(.failure(.noOwner(town.place(of: user)))) }
        let intake = log.worker.card(of: user) { [receipts] result in
            _ = receipts.take { reply(result.mapError(\.inability)) }
        }
        if let inability = intake.inability { reply(.failure(inability)) }
    }

    private func tryAnalysis(_ user: String, _ reply: @escaping @Sendable (AnalysisTrialAnswer) -> Void) {
        card(user) { [analyst] result in
            switch result {
            case .failure(let inability): reply(.unable(inability))
            case .success(nil): reply(.unknown)
            case .success(let card?):
                guard let conversation = card.lastConversation else { return reply(.failed(.noConversation)) }
                guard let analyst else { return reply(.failed(.unavailable)) }
                analyst.tryOut(conversation, of: user) { outcome in
                    switch outcome {
                    case .success(let outcome): reply(.done(outcome))
                    case .failure(let failure): reply(.failed(failure))
                    }
                }
            }
        }
    }

    private func ask(_ question: Question, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        questions.take(asker) { [self] in
            guard let log = town.log(of: question.user) else {
                return reply(.unable(.noOwner(town.place(of: question.user))))
            }
            switch waited({ log.worker.story(of: question.user, reply: $0) }) {
            case .failure(let reason): reply(.unable(reason.inability))
            case .success(let place):
                let service = StoryService(
                    directory: log.directory, world: world, zones: zones,
                    analyserHere: analyst?.here ?? AnalyserHere(isThere: false),
                    partition: town.partition(question.user))
                reply(service.answer(question, from: place, for: asker))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func stats(
        _ question: StatsQuestion, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void
    ) {
        questions.take(asker) {
            let grouping = NumbersQuery.Grouping(rawValue: question.grouping.rawValue) ?? .day
            let query = NumbersQuery(from: question.from, to: question.to, by: grouping, kind: question.kind)
            do throws(Refusal) {
                let parts = try gather(StatsParts(), over: partitions, asker)
                let figures = Figures(of: parts)
                if let problem = figures.problem(with: query) { return reply(.refused("\(problem)")) }
                reply(.found(figures.report(query).body(question.form)))
            } catch {
                reply(.unable(error.inability))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    /// Where all logs end. Waits for nothing where they are here.
    private func heads(
        _ asker: Asker, _ reply: @escaping @Sendable (Result<[ChainHead], Inability>) -> Void
    ) {
        guard neighbours != nil else { return reply(.success(town.allLogs.map(\.chainHead))) }
        questions.take(asker) {
            do throws(Refusal) {
                let parts = try gather(HeadParts(), over: [Partition.everyone] + partitions, asker)
                reply(.success(parts.flatMap(\.self).sorted { ($0.partition ?? 0) < ($1.partition ?? 0) }))
            } catch {
                reply(.failure(error.inability))
            }
        } orElse: {
            reply(.failure($0))
        }
    }

    /// All that people are in, of this worker and of others.
    var partitions: [Int] { Array(0..<(town.directory.partitions ?? 1)) }

    var health: Health {
        let standings = town.allLogs.map(\.worker.standing)
        var whyNot: String?
        if let failure = standings.lazy.compactMap(\.failure).first {
            whyNot = "\(failure)"
        } else if isStopping() {
            whyNot = "it is stopping"
        } else {
            whyNot = membership?.figures.whyNotReady ?? Self.unwritten(standings)
        }
        var health = Health(
            version: Belfry.version, lastSeq: town.events, recordedAt: standings.map(\.durable.at).max(),
            people: town.people, waitingJobs: courier.waiting,
            uptimeSeconds: Int((ContinuousClock.now - startedAt).components.seconds), whyNotReady: whyNot)
        health.partitions = town.directory.partitions
        health.unusableCopies = membership?.troubles.all
        let now = world.clock()
        health.carriers = carriers.map {
            Health.Carrier(
                name: $0.name, waiting: $0.waiting, isBroken: $0.isBroken, problem: $0.problem,
                nextTryAt: $0.nextTry(at: now))
        }
        health.troubles = troubles(at: now).map { Health.Trouble(what: $0.what.rawValue, words: $0.words) }
        health.logCheck = logCheck
        return health
    }

    private static func unwritten(_ standings: [LiveWorker.Standing]) -> String? {
        let now = ContinuousClock.now
        let seconds = standings.compactMap { WritePatience.ready.seconds(since: $0.writingSince, by: now) }.max()
        return seconds.map { "nothing has been written for \($0) s" }
    }

    /// Sinks, senders and the analyser.
    var carriers: [CarrierStanding] { courier.carriers + (analyst?.standing.map { [$0] } ?? []) }

    /// What is wrong here. Waits for nothing.
    func troubles(at now: Instant) -> [Trouble] {
        var troubles = town.allLogs.flatMap { $0.troubles(at: now) } + files.compactMap(\.trouble)
        troubles += courier.carriers.compactMap { $0.silence(at: now) }
        let unread = courier.leftUnread
        if unread > 0 {
            let jobs = unread == 1 ? "1 job" : "\(unread) jobs"
            troubles.append(Trouble(.jobsUnread, "\(jobs) could not be read from the log and wait for the next start"))
        }
        if let silent = membership?.surroundings.revocations.silent, !silent.isEmpty {
            let who = silent.sorted().joined(separator: ", ")
            troubles.append(
                Trouble(.personsShutOut, "no person is let in here before \(who) has said which tokens it revoked"))
        }
        return troubles
    }

    /// Of several logs: how far all of them are, and since when each has been known to be whole.
    private var logCheck: Health.LogCheck {
        let standings = town.allLogs.map(\.patrol.standing)
        let underway = standings.compactMap(\.underway)
        let whole = standings.compactMap { $0.whole?.at }
        return Health.LogCheck(
            underway: underway.isEmpty
                ? nil
                : .init(
                    bytes: underway.reduce(0) { $0 + $1.position }, ofBytes: underway.reduce(0) { $0 + $1.total }),
            wholeAt: whole.count == standings.count ? whole.min() : nil)
    }
}

extension WorkerRefusal {
    var inability: Inability {
        switch self {
        case .problem(let problem): .failed("\(problem)")
        case .journal(.closed): .stopping
        // Of one partition: whoever has it next takes more.
        case .journal(.lost(let problem)): .inDoubt(problem)
        case .journal(let error): .failed("\(error)")
        case .elsewhere(let problem, let isInDoubt): isInDoubt ? .inDoubt(problem) : .unanswered(problem)
        }
    }
}

extension LiveWorker.Intake {
    var inability: Inability? {
        switch self {
        case .taken: nil
        case .busy: .busy
        case .closed: .stopping
        }
    }
}

extension NumbersReport {
    /// As it is printed, the last line's end included.
    func body(_ form: StatsQuestion.Form) -> [UInt8] {
        let lines =
            switch form {
            case .json: [document.text]
            case .text: self.lines
            case .csv: csv
            }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }
}
