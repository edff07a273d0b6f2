import Console
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
    let log: RunLog

    var doors: PublicService {
        PublicService(hear: { hear($0, $1, $2) }, offer: { offer($0) }, stop: { stop($0, $1, $2) })
    }

    private func hear(
        _ provider: String, _ request: HTTPRequest, _ reply: @escaping @Sendable (PublicService.Hearing) -> Void
    ) {
        let report = IncomingReport(
            target: request.target, headers: request.headers.fields.map { ($0.name, $0.value) }, body: request.body)
        desk.hear(provider, report) { outcome in
            switch outcome {
            case .unknownProvider: reply(.unknownProvider)
            case .refused(let refusal):
                // Not the body: anybody may have sent it.
                log.warning("a report is not believed: \(refusal)", ("provider", provider))
                reply(.refused("\(refusal)"))
            case .later(let problem):
                log.warning("a report has to come again: \(problem)", ("provider", provider))
                reply(.unable(.busy))
            case .facts(let facts): record(facts, provider, reply)
            }
        }
    }

    private func record(
        _ facts: [Fact], _ provider: String, _ reply: @escaping @Sendable (PublicService.Hearing) -> Void
    ) {
        guard !facts.isEmpty else { return reply(.taken) }
        let intake = town.deal(
            facts, bytes: 512 * facts.count, allOrNothing: false, isOwn: true,
            passOn: neighbours?.passingOwn(from: town)
        ) { result in
            switch result {
            case .success(let outcome):
                for case .refused(let problem) in outcome.receipts {
                    // Not what was said: it names the job, and so the person.
                    log.info("a report changes nothing", ("provider", provider), ("field", problem.path))
                }
                reply(.taken)
            case .failure(let refusal): reply(.unable(refusal.inability))
            }
        }
        if let inability = intake.inability { reply(.unable(inability)) }
    }

    // MARK: Links that stop mails

    private func offer(_ token: String) -> PublicService.StopOffer? {
        office.stop(token: token).map { PublicService.StopOffer(kind: $0.kind) }
    }

    private func stop(
        _ token: String, _ isOneClick: Bool, _ reply: @escaping @Sendable (PublicService.Stopping) -> Void
    ) {
        guard let link = office.stop(token: token) else { return reply(.unable(.failed("this link is none of ours"))) }
        var word = Unsubscribed()
        word.channel = .email
        word.kind = link.kind.map { Identifier($0) }
        word.how = isOneClick ? .oneClick : .link
        var fact = Fact(user: link.user, payload: .unsubscribed(word))
        fact.addressee = link.addressee
        let intake = town.deal(
            [fact], bytes: 512, allOrNothing: false,
            passOn: neighbours?.passingOwn(from: town)
        ) { result in
            switch result {
            case .success(let outcome):
                guard case .refused(let problem)? = outcome.receipts.first else { return reply(.stopped) }
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
