import Console
import Dispatch
import Delivery
import Notices
import Worker

/// What comes in at the public door, told to the worker.
struct PublicReports: Sendable {
    let town: Town
    /// In a cluster a report may come to any worker, whoever sent the job.
    let neighbours: Neighbours?
    let office: PostOffice
    let desk: ReportDesk
    let world: World
    let log: RunLog
    let teller: ReportTeller
    /// What people call a kind of notice.
    let label: @Sendable (_ kind: String) -> String?
    /// Where jobs are looked up that reports name.
    let reading = DispatchQueue(label: "belfry.reports")

    var doors: PublicService {
        PublicService(
            takesReports: { desk.takesReports(of: $0) }, hear: { hear($0, $1, $2) }, offer: { offer($0) },
            stop: { stop($0, $1, $2) })
    }

    private func hear(
        _ provider: String, _ request: HTTPRequest, _ reply: @escaping @Sendable (PublicService.Hearing) -> Void
    ) {
        let report = IncomingReport(
            target: request.target, headers: request.headers.fields.map { ($0.name, $0.value) }, body: request.body)
        desk.hear(provider, report) { outcome in
            switch outcome {
            case .unknownProvider: reply(.unknownProvider)
            case .refused(.field(let problem)):
                teller.hear(.wrong, from: provider, StandardReports.logged(problem))
                reply(.wrong("\(problem)"))
            case .refused(.malformed):
                // It is the provider's: said to be refused, it would be looked for in the keys.
                teller.hear(.wrong, from: provider, "\(ReportRefusal.malformed)")
                reply(.wrong("\(ReportRefusal.malformed)"))
            case .refused(let refusal):
                // Not the body: anybody may have sent it.
                teller.hear(.notBelieved, from: provider, "\(refusal)")
                reply(.refused("\(refusal)"))
            case .later(let problem):
                teller.hear(.comesAgain, from: provider, problem)
                reply(.unable(.busy))
            case .restarts(let restarts): restart(restarts[...], provider, [], reply)
            case .facts(let facts, let strays):
                for stray in strays { teller.hear(ReportTally.Sort(stray), from: provider) }
                check(facts) { problem in
                    guard let problem else { return record(facts, provider, reply) }
                    teller.hear(.wrong, from: provider, problem.path)
                    reply(.wrong("\(problem)"))
                }
            }
        }
    }

    /// A report that names its job by its id may confuse channels: somebody's address would be given up for another's fault. `nil` for
    /// one that does not, or whose job cannot be looked up here.
    private func check(_ facts: [Fact], _ done: @escaping @Sendable (FieldError?) -> Void) {
        guard facts.count == 1, let fact = facts.first, case .had(let job) = fact.addressee, let user = fact.user,
            let channel = fact.payload.reportedChannel, let home = town.log(of: user)
        else { return done(nil) }
        let intake = home.worker.story(of: user) { result in
            guard case .success(let place?) = result else { return done(nil) }
            reading.async {
                let jobs = EmittedJobs(home.directory, on: world.disk)
                guard let channels = try? jobs.channels(of: job, for: place, at: world.clock()),
                    !channels.contains(ChannelSet(channel))
                else { return done(nil) }
                let names = channels.list.map(\.name).joined(separator: ", ")
                done(FieldError(path: "channel", "\(channel.name) is not one that this job went out on (\(names))"))
            }
        }
        if intake.inability != nil { done(nil) }
    }

    /// Looks up one after the other what their STOP did, and records for whom it is to be undone.
    private func restart(
        _ restarts: ArraySlice<ReportDesk.Restart>, _ provider: String, _ facts: [Fact],
        _ reply: @escaping @Sendable (PublicService.Hearing) -> Void
    ) {
        guard let restart = restarts.first else { return record(facts, provider, reply) }
        let rest = restarts.dropFirst()
        guard let home = town.log(of: restart.user) else { return self.restart(rest, provider, facts, reply) }
        let intake = home.worker.card(of: restart.user) { result in
            guard case .success(let card) = result else { return reply(.unable(.busy)) }
            // Whoever has texts on has nothing to take back, and a story takes its time to read.
            guard card?.hasTextsOn == false else { return self.restart(rest, provider, facts, reply) }
            undo(restart, in: home) { fact in
                guard let fact else { return reply(.unable(.busy)) }
                self.restart(rest, provider, facts + fact, reply)
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    /// What there is to record of one; `nil` where that cannot be said now.
    private func undo(
        _ restart: ReportDesk.Restart, in home: RunningLog, _ answer: @escaping @Sendable ([Fact]?) -> Void
    ) {
        let intake = home.worker.story(of: restart.user) { result in
            guard case .success(let place?) = result else { return answer(nil) }
            reading.async { answer(try? Restarting.fact(for: restart, at: place, in: home.directory, world)) }
        }
        if intake != .taken { answer(nil) }
    }

    private func record(
        _ facts: [Fact], _ provider: String, _ reply: @escaping @Sendable (PublicService.Hearing) -> Void
    ) {
        guard !facts.isEmpty else { return reply(.taken) }
        let intake = town.submit(
            facts, bytes: 512 * facts.count, allOrNothing: false, isOwn: true,
            passOn: neighbours?.passingOwn(from: town)
        ) { result in
            switch result {
            case .success(let receipts):
                for receipt in receipts {
                    // Not what was said: it names the job, and so the person.
                    teller.hear(ReportTally.Sort(receipt), from: provider, receipt.refusedField)
                }
                reply(.taken)
            case .failure(let refusal): reply(.unable(refusal.inability))
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    // MARK: Links that stop mails

    private func offer(_ token: String) -> PublicService.StopOffer? {
        office.stop(token: token).map { link in PublicService.StopOffer(kind: link.kind.map { label($0) ?? $0 }) }
    }

    private func stop(
        _ token: String, _ wish: PublicService.StopWish,
        _ reply: @escaping @Sendable (PublicService.Stopping) -> Void
    ) {
        guard let link = office.stop(token: token) else { return reply(.unable(.failed("this link is none of ours"))) }
        var word = Unsubscribed()
        word.channel = .email
        word.kind = wish == .allEmail ? nil : link.kind.map { Identifier($0) }
        word.how = wish == .oneClick ? .oneClick : .link
        var fact = Fact(user: link.user, payload: .unsubscribed(word))
        fact.addressee = link.addressee
        let intake = town.submit(
            [fact], bytes: 512, allOrNothing: false,
            passOn: neighbours?.passingOwn(from: town)
        ) { result in
            switch result {
            case .success(let receipts):
                guard case .refused(let problem)? = receipts.first else { return reply(.stopped) }
                // Pressed twice, or by a mail program after its reader.
                if Addressee.isOffAlready(problem) { return reply(.stopped) }
                guard Addressee.isRefusal(problem) else { return reply(.unable(.failed("\(problem)"))) }
                // Not whose: they may be erased.
                log.info("a link changes nothing: whom it was made for is not known here any more")
                reply(link.at == nil ? .tooOld : .stopped)
            case .failure(let refusal): reply(.unable(refusal.inability))
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }
}

extension ReportTally.Sort {
    fileprivate init(_ stray: ReportDesk.Stray) {
        switch stray {
        case .namesNoJob: self = .namesNoJob
        case .unknownJob: self = .unknownJob
        }
    }

    fileprivate init(_ receipt: FactReceipt) {
        switch receipt {
        case .recorded: self = .recorded
        case .duplicate: self = .duplicate
        // Who is not there any more, or never was, has no job either.
        case .refused(let problem):
            self = Addressee.isRefusal(problem) || problem.path == "user" ? .unknownJob : .changesNothing
        case .leftOut: self = .changesNothing
        }
    }
}

extension FactReceipt {
    fileprivate var refusedField: String { if case .refused(let problem) = self { problem.path } else { "" } }
}

extension Payload {
    /// What a provider's word is about.
    fileprivate var reportedChannel: Channel? {
        switch self {
        case .deliveryReported(let report): report.channel
        case .unsubscribed(let word): word.channel
        default: nil
        }
    }
}
