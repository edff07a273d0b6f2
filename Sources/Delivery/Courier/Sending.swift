internal import CivilTime
internal import Dispatch
internal import Notices

// With senders: where jobs are to go is asked of the address book, and asked again when they go, because an address may have
// died since.
extension Courier {
    /// So many jobs are asked about at a time.
    private static let sortedAtOnce = 256

    /// Asks where the next jobs are to go.
    func sort(at now: Instant) {
        // All that is to go somewhere is in its lane by now.
        posts.vacate(plan.idle(among: posts.scarce, at: now))
        guard let mail, !isSorting else { return }
        var jobs: [(job: Unsorted, order: Order)] = []
        while jobs.count < Self.sortedAtOnce, let job = plan.nextUnsorted(at: now) {
            if let order = order(of: job, at: now) { jobs.append((job, order)) }
        }
        guard !jobs.isEmpty else { return }
        isSorting = true
        let (asked, erasures) = (jobs, erasures)
        mail.book(jobs.map { (user: $0.order.user ?? "", topic: JobTopic($0.order.job)) }) { contacts in
            self.queue.async { self.sorted(asked, self.erasures == erasures ? contacts : nil) }
        }
    }

    private func sorted(_ jobs: [(job: Unsorted, order: Order)], _ contacts: [BookEntry]?) {
        isSorting = false
        guard phase != .stopped, let mail else { return }
        let now = clock()
        let sorting = sorting(mail)
        for (place, (job, order)) in jobs.enumerated() {
            guard let contacts, place < contacts.count else {
                plan.putBack(job, at: now)
                continue
            }
            do {
                let contact = try contacts[place].here()
                var routes =
                    try job.channel.map { [try sorting.instead($0, contact)] }
                    ?? sorting.routes(order, at: job.place, contact)
                if doubtful.contains(order.place) { routes = routes.flatMap { withoutDoubtfulText($0, order) } }
                plan.sorted(job, order, routes, at: now)
                keep(order, for: routes)
            } catch {
                complain(job, error, at: now)
            }
        }
        goOn()
    }

    /// A text that was under way when the worker before ended has failed.
    private func withoutDoubtfulText(_ route: RoutePlan, _ order: Order) -> [RoutePlan] {
        // Whoever it would go to now knows nothing of the first try.
        guard !route.targets.isEmpty, route.channels.contains(.sms) else { return [route] }
        doubtful.remove(order.place)
        var (text, others) = (route, route)
        text.channels = [.sms]
        text.targets = []
        text.whyNone = "had no answer when the worker ended; \(TwilioAnswer.notAgain)"
        others.channels.removeAll { $0 == .sms }
        return others.channels.isEmpty ? [text] : [others, text]
    }

    /// It is sent soon, and need not be read once more for that.
    private func keep(_ order: Order, for routes: [RoutePlan]) {
        var uses: [Int: Int] = [:]
        for route in routes { for target in route.targets { uses[target.carrier, default: 0] += 1 } }
        for (carrier, count) in uses { desks[carrier].shelf.put(order, uses: count) }
    }

    func sorting(_ mail: Mail) -> Sorting {
        let rules = mail.office.rules
        return Sorting(
            rules: rules, sinks: sinks.indices.map { Target(carrier: $0, address: .sink) },
            carrier: { self.carrier(for: $0, mail.office) },
            address: { try self.registrations.address(of: $0, trusted: rules.trusted) },
            whyNone: { self.registrations.whyNone($0) })
    }

    /// The lane that a post's jobs wait in (`PostLanes`).
    func carrier(for asked: Post, _ office: PostOffice) -> Int {
        let (post, place) = posts.place(of: asked)
        let number: Int
        switch place {
        case .own(let known): return known
        case .vacated(let idle):
            if let line = desks[idle].losses.tellRest() { log(line.level, line.message, line.fields) }
            plan.replace(idle, with: Carrier(post, office))
            desks[idle] = CarrierDesk(post)
            number = idle
        case .missing:
            number = plan.add(Carrier(post, office))
            desks.append(CarrierDesk(post))
        }
        posts.note(post, at: number)
        return number
    }

    /// Gives jobs to their senders.
    func send(_ attempts: [Attempt]) {
        guard !attempts.isEmpty, let mail else { return }
        var ready: [(attempt: Attempt, order: Order)] = []
        for (place, attempt) in attempts.enumerated() {
            if let order = order(for: attempt, before: attempts[(place + 1)...]) { ready.append((attempt, order)) }
        }
        let (asked, erasures) = (ready, erasures)
        mail.book(ready.map { (user: $0.order.user ?? "", topic: JobTopic($0.order.job)) }) { contacts in
            self.queue.async { self.send(asked, self.erasures == erasures ? contacts : nil, mail) }
        }
    }

    private func send(_ ready: [(attempt: Attempt, order: Order)], _ contacts: [BookEntry]?, _ mail: Mail) {
        guard phase != .stopped else { return }
        let sorting = sorting(mail)
        var texts: [Envelope] = []
        for (place, (attempt, order)) in ready.enumerated() {
            let now = clock()
            // Who is stopping begins nothing more, nor whoever may have lost the log.
            guard let contacts, place < contacts.count, phase == .running, mayHandOut(attempt.place.position) else {
                plan.postpone(attempt, at: now)
                continue
            }
            guard plan.maySend(attempt, order, at: now) else { continue }
            do {
                // Whoever is erased is handed to nobody.
                guard let contact = try contacts[place].here() else {
                    plan.settleGone(attempt, order, NoAddress.gone.rawValue, at: now)
                    continue
                }
                guard !isStopped(attempt, order, contact, at: now) else { continue }
                if let end = contact.endOfQuiet(for: order.seq, at: order.at), plan.rings(attempt) {
                    plan.postpone(attempt, order, until: end, at: now)
                    continue
                }
                if let route = try sorting.moved(attempt.target, plan.channels(of: attempt), contact) {
                    let why = route.whyNone.isEmpty ? NoAddress.gone.rawValue : route.whyNone
                    plan.settleGone(attempt, order, why, insteadOfIt: route.targets, at: now)
                    continue
                }
                guard let address = try address(of: attempt, contact, sorting.rules) else {
                    let others = attempt.target.device == nil ? [] : try sorting.push(contact).targets
                    plan.settleGone(attempt, order, NoAddress.gone.rawValue, insteadOfIt: others, at: now)
                    continue
                }
                let envelope = Envelope(
                    attempt: attempt, order: order, address: address, isLocked: contact.stops.isLocked)
                if case .phone = address { texts.append(envelope) } else { hand(envelope, to: mail.office) }
            } catch {
                complain(attempt, error)
            }
        }
        send(texts: texts, mail)
        goOn()
    }

    /// What a sender is given.
    private struct Envelope: Sendable {
        var attempt: Attempt
        var order: Order
        var address: PostalAddress
        var isLocked: Bool
    }

    private func hand(_ envelope: Envelope, to office: PostOffice) {
        let begun = ContinuousClock.now
        office.send(envelope.order, to: envelope.address, isLocked: envelope.isLocked) { verdict in
            self.answer(envelope.attempt, envelope.order, verdict, since: begun)
        }
    }

    /// Texts are noted before they are handed over, so that no start sends one again that may have been taken.
    private func send(texts: [Envelope], _ mail: Mail) {
        guard !texts.isEmpty else { return }
        textsUnderWay += texts.count
        mail.texts.note(texts.map(\.order.place)) { isNoted in
            for text in texts {
                if isNoted {
                    self.hand(text, to: mail.office)
                } else {
                    let problem = SenderVerdict.transient(reason: "was given nothing: the disk takes no note of it")
                    self.answer(text.attempt, text.order, problem, since: .now)
                }
            }
        }
    }

    /// Whether the person has stopped every channel that it would go out on. Where a sink has several, it goes on without the
    /// stopped ones.
    private func isStopped(_ attempt: Attempt, _ order: Order, _ contact: Contact, at now: Instant) -> Bool {
        let channels = plan.channels(of: attempt)
        let stopped = channels.compactMap { channel in
            contact.objection(to: order, on: channel).map { (channel: channel, why: $0) }
        }
        let areAll = stopped.count == channels.count
        for (channel, why) in areAll ? stopped.dropLast() : stopped[...] { plan.leaveOut(channel, attempt, order, why) }
        guard areAll, let last = stopped.last else { return false }
        plan.settleStopped(attempt, order, last.why, at: now)
        return true
    }

    private func address(of attempt: Attempt, _ contact: Contact, _ rules: PostRules) throws -> PostalAddress? {
        switch attempt.target.address {
        case .sink:
            // The document may have been read again: it goes where its channel leads now.
            let channels = plan.channels(of: attempt)
            let post = channels.lazy.compactMap { rules.sinks[$0] }.first ?? desks[attempt.sink].post
            return post.map { .sink($0, channels) }
        case .email: return contact.email.map { .email($0) }
        case .phone: return contact.phone.map { .phone($0) }
        case .device(_, let registration):
            guard let device = contact.device(of: registration),
                let address = try registrations.address(of: device, trusted: rules.trusted)
            else { return nil }
            return .device(Device(name: device.name, registeredAt: device.registeredAt, address: address))
        }
    }

    private func order(of job: Unsorted, at now: Instant) -> Order? {
        if let order = sortingShelf.take(job.place.seq) { return order }
        do {
            // Whatever stands in the same commit is most likely sorted next.
            return try sortingShelf.order(job.place, from: read) { _ in nil }
        } catch {
            complain(job, error, at: now)
            return nil
        }
    }

    private func complain(_ job: Unsorted, _ error: any Error, at now: Instant) {
        tellUnreadable(job.place, isOver: plan.unsortable(job, at: now), error)
    }

    /// The senders' document was read again.
    public func sendersChanged() {
        queue.async {
            guard let mail = self.mail else { return }
            self.registrations.forget()
            for (post, number) in self.posts.all {
                // What was said of another is nothing to this one.
                if self.plan.change(number, to: Carrier(post, mail.office)) { self.desks[number].startOver() }
            }
            self.goOn()
        }
    }
}

extension Carrier {
    fileprivate init(_ post: Post, _ office: PostOffice) {
        self.init(name: post.name, limits: office.limits(of: post), isShared: post.isShared)
        taker = office.taker(of: post)
    }
}
