public import CivilTime
public import Notices
internal import Synchronization

/// Takes providers' reports in: believes those that are signed, and says what facts they are (`N3`, `N6`).
public final class ReportDesk: Sendable {
    public enum Outcome: Sendable, Equatable {
        /// What to record, and what of it leads nowhere.
        case facts([Fact], leadingNowhere: [Stray] = [])
        /// These people take back their STOP; what is to be recorded hangs on what it did.
        case restarts([Restart])
        /// This provider is not named in the senders' document.
        case unknownProvider
        case refused(ReportRefusal)
        /// What is needed to judge it could not be had just now: the provider will come again.
        case later(String)
    }

    /// A provider's word that is about no job here: nobody would learn of it but by the worker's log.
    public enum Stray: Sendable, Equatable {
        /// It came without a token of ours, or with one that was altered or that another installation made.
        case namesNoJob
        /// The job is not in the log.
        case unknownJob
    }

    public struct Restart: Sendable, Equatable {
        public var user: String
        /// What the fact is to be known by.
        public var id: String
    }

    /// The jobs of the commit at a position, and whatever else it holds may be among them; none where the log holds no such
    /// commit. Throws `JobElsewhere` where the log is another worker's, and anything else where it cannot be read just now.
    public typealias Read = Courier.Read

    /// The jobs at places in logs of other workers, without those where there is none; `nil` where it cannot be said just now.
    public typealias ReadElsewhere =
        @Sendable (_ places: [JobPlace], _ answer: @escaping @Sendable ([JobPlace: ReportedJob]?) -> Void) -> Void

    /// Everybody who has a number; `nil` where it cannot be said just now.
    public typealias Find = @Sendable (_ number: String, _ answer: @escaping @Sendable ([String]?) -> Void) -> Void

    private let office: PostOffice
    private let read: Read
    private let readElsewhere: ReadElsewhere
    private let find: Find
    private let clock: @Sendable () -> Instant
    private let certificates = CertificateShelf()

    public init(
        _ office: PostOffice, read: @escaping Read,
        readElsewhere: @escaping ReadElsewhere = { _, answer in answer(nil) }, find: @escaping Find,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.office = office
        self.read = read
        self.readElsewhere = readElsewhere
        self.find = find
        self.clock = clock
    }

    /// Whether reports of a provider are taken, by the document in force.
    public func takesReports(of provider: String) -> Bool {
        ReportSource(rawValue: provider).map { office.reports.take($0) } ?? false
    }

    /// Answers exactly once, on any thread; takes no longer than a certificate of Amazon's may take to come, and than another
    /// worker may take to say what its jobs are.
    public func hear(
        _ provider: String, _ report: IncomingReport, answer: @escaping @Sendable (Outcome) -> Void
    ) {
        let readers = office.reports
        let now = clock()
        do throws(ReportRefusal) {
            switch ReportSource(rawValue: provider) {
            case .twilio:
                guard let twilio = readers.twilio else { return answer(.unknownProvider) }
                hear(try twilio.read(report), answer)
            case .sendgrid:
                guard let sendGrid = readers.sendGrid else { return answer(.unknownProvider) }
                tell(try sendGrid.read(report, at: now), on: .email, answer)
            case .postmark:
                guard let postmark = readers.postmark else { return answer(.unknownProvider) }
                tell(try postmark.read(report), on: .email, answer)
            case .standard:
                guard let standard = readers.standard else { return answer(.unknownProvider) }
                tell(try standard.read(report, at: now), on: nil, answer)
            case .ses:
                guard let ses = readers.ses else { return answer(.unknownProvider) }
                hear(try ses.open(report), ses, answer)
            case nil: answer(.unknownProvider)
            }
        } catch {
            answer(.refused(error))
        }
    }

    private func hear(
        _ envelope: NotificationServiceReports.Envelope, _ ses: NotificationServiceReports,
        _ answer: @escaping @Sendable (Outcome) -> Void
    ) {
        certificates.certificate(at: envelope.certificateURL) { certificate in
            guard let certificate else { return answer(.later("Amazon's certificate could not be fetched")) }
            do throws(ReportRefusal) {
                switch try ses.read(envelope, certificate: certificate) {
                case .reports(let reports): self.tell(reports, on: .email, answer)
                case .confirmation(let url):
                    self.certificates.ask(url) { isAsked in
                        answer(isAsked ? .facts([]) : .later("Amazon's confirmation could not be asked for"))
                    }
                }
            } catch {
                answer(.refused(error))
            }
        }
    }

    /// What Twilio tells of jobs, and what people answered to them.
    private func hear(_ reports: [ProviderReport], _ answer: @escaping @Sendable (Outcome) -> Void) {
        guard let said = reports.first, case .saidFrom(let number) = said.job else {
            return tell(reports, on: .sms, answer)
        }
        find(number) { users in
            guard let users else { return answer(.later("who has the number could not be asked")) }
            // Each has an id of their own: an id is one fact's.
            let all = users.map { Restart(user: $0, id: Self.factID("\(said.id):\($0)")) }
            guard said.status == .unsubscribed else { return answer(.restarts(all)) }
            answer(.facts(all.map { Fact(user: $0.user, id: $0.id, payload: .unsubscribed(Self.stop(.sms))) }))
        }
    }

    // MARK: What they tell

    /// Looks up the jobs that they name, here and at other workers, and answers what there is to record. What cannot be read
    /// now is no job that is not there: its report has to come again.
    ///
    /// - Parameter channel: the provider's; `nil` where it serves any, and the report says which.
    private func tell(
        _ reports: [ProviderReport], on channel: Channel?, _ answer: @escaping @Sendable (Outcome) -> Void
    ) {
        var found: [JobPlace: ReportedJob] = [:]
        var elsewhere: [JobPlace] = []
        for place in Set(reports.compactMap(\.place)) {
            do {
                if let job = ReportedJob(at: place, in: try read(place.position)) { found[place] = job }
            } catch is JobElsewhere {
                elsewhere.append(place)
            } catch {
                return answer(.later("the log cannot be read: \(error)"))
            }
        }
        let here = found
        guard !elsewhere.isEmpty else { return answer(facts(reports, about: here, on: channel)) }
        readElsewhere(elsewhere) { others in
            guard let others else { return answer(.later("the worker that has the job does not say whose it is")) }
            answer(self.facts(reports, about: here.merging(others) { known, _ in known }, on: channel))
        }
    }

    private func facts(
        _ reports: [ProviderReport], about jobs: [JobPlace: ReportedJob], on channel: Channel?
    ) -> Outcome {
        var facts: [Fact] = []
        var strays: [Stray] = []
        for report in reports {
            guard report.job != nil else {
                strays.append(.namesNoJob)
                continue
            }
            guard let job = job(of: report, among: jobs) else {
                strays.append(.unknownJob)
                continue
            }
            guard let channel = channel ?? report.channel, let payload = report.payload(job.name, channel) else {
                continue
            }
            var fact = Fact(user: job.user, id: Self.factID(report.id), at: report.at, payload: payload)
            fact.addressee = job.addressee
            facts.append(fact)
            guard report.isStopped else { continue }
            // Behind the failure, which may still give way to another channel.
            fact.id = Self.factID("\(report.id):stopped")
            fact.payload = .unsubscribed(Self.stop(channel))
            facts.append(fact)
        }
        return .facts(facts, leadingNowhere: strays)
    }

    private struct Job {
        var name: NoticeName
        var user: String
        /// Where only its id says whose it is: whoever has theirs now may be somebody else (`E4`).
        var addressee: Addressee?
    }

    private func job(of report: ProviderReport, among jobs: [JobPlace: ReportedJob]) -> Job? {
        switch report.job {
        case .place(let place): return jobs[place].map { Job(name: $0.name, user: $0.user) }
        case .named(let name):
            // Who a job is for stands at the beginning of its id (SPEC §12).
            guard let slash = name.firstIndex(of: "/") else { return nil }
            return Job(name: NoticeName(name), user: String(name[..<slash]), addressee: .had(job: NoticeName(name)))
        case .saidFrom, nil: return nil
        }
    }

    /// They told the provider, or answered.
    fileprivate static func stop(_ channel: Channel) -> Unsubscribed {
        var word = Unsubscribed()
        word.channel = channel
        word.how = .stop
        return word
    }

    /// The provider's event as an id of a fact: reports come twice, and this makes them one. What an id cannot hold as it is has a
    /// hash of all of it behind it, so that two events are never one.
    static func factID(_ id: String) -> String {
        let clean = String(id.map { Identifier.isAccepted(String($0)) ? $0 : "-" })
        guard clean != id || clean.utf8.count > Identifier.bytesMax else { return clean }
        return String(clean.prefix(48)) + ":" + MessageNames.uuid("report", for: id)
    }
}

extension ProviderReport {
    /// `nil` where it does not name its job by that.
    fileprivate var place: JobPlace? { if case .place(let place)? = job { place } else { nil } }

    /// `nil` for what says nothing of a job.
    fileprivate func payload(_ job: NoticeName, _ channel: Channel) -> Payload? {
        let status: ReportStatus
        switch self.status {
        case .unsubscribed: return .unsubscribed(ReportDesk.stop(channel))
        case .resubscribed: return nil
        case .delivered: status = .delivered
        case .bounced: status = .bounced
        case .failed: status = .failed
        case .expired: status = .expired
        case .complained: status = .complained
        }
        var word = DeliveryReported()
        word.job = job
        word.channel = channel
        word.status = status
        word.isPermanent = isPermanent
        word.code = code.map { Text($0) }
        word.providerID = providerID.map { Token($0) }
        return .deliveryReported(word)
    }
}

/// Amazon's certificates, each fetched once and kept: reports come in thousands.
private final class CertificateShelf: Sendable {
    private let known = Mutex<[String: [UInt8]]>([:])
    private let pool = HTTPPool(concurrency: 4, waitingMax: 64, connectionsMax: 4)

    private static let knownMax = 16

    func certificate(at url: String, _ answer: @escaping @Sendable ([UInt8]?) -> Void) {
        if let certificate = known.withLock({ $0[url] }) { return answer(certificate) }
        pool.ask(Self.call(url)) { result in
            guard case .success(let said) = result, said.status == 200 else { return answer(nil) }
            self.known.withLock { known in
                if known.count >= Self.knownMax { known = [:] }
                known[url] = said.body
            }
            answer(said.body)
        }
    }

    func ask(_ url: String, _ answer: @escaping @Sendable (Bool) -> Void) {
        pool.ask(Self.call(url)) { result in
            if case .success(let said) = result { answer(said.status == 200) } else { answer(false) }
        }
    }

    private static func call(_ url: String) -> HTTPCall {
        var call = HTTPCall(
            .get, url, headers: [("User-Agent", "belfry")], patience: .init(connectMs: 3000, totalMs: 5000),
            answerBytesMax: 64 << 10)
        call.route.mustBePublic = true
        return call
    }
}
