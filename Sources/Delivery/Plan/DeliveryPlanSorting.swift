public import CivilTime
internal import Notices

extension DeliveryPlan {
    /// The next job that is to be sorted: answer with `sorted`, `unsortable` or `putBack`.
    public mutating func nextUnsorted(at now: Instant) -> Unsorted? {
        guard !isClosed, outbox.count < Self.outcomesMax else { return nil }
        while let job = unsorted.next(at: now) {
            guard !keepBack(job) else { continue }
            beingSorted.insert(job.parcel)
            return job
        }
        return nil
    }

    /// Where a job is to go.
    public mutating func sorted(_ job: Unsorted, _ order: Order, _ routes: [RoutePlan], at now: Instant) {
        beingSorted.remove(job.parcel)
        guard let number = job.route, let plan = routes.first, let channel = job.channel else {
            guard !routes.isEmpty else { return jobs.remove(job.slot) }
            jobs.sort(job.slot, routes)
            if job.place.insteadOf != nil { return giveWay(job.slot, order, routes, at: now) }
            for (number, route) in routes.enumerated() { begin(route, job.slot, UInt8(number), order, at: now) }
            return
        }
        jobs.extend(job.slot, number, to: channel, plan.targets)
        begin(plan, job.slot, number, order, at: now)
    }

    /// A channel had the job, and its provider reported that it does not come (`N4`). Its failure is in the log; what comes of
    /// the others is told together, also where nothing is sent any more.
    private mutating func giveWay(_ slot: UInt32, _ order: Order, _ routes: [RoutePlan], at now: Instant) {
        guard let plan = routes.first else { return jobs.remove(slot) }
        guard let first = plan.spare.first else { return endUntried(slot, order, plan.channels, plan.whyNone) }
        let isInTime = now <= order.notAfter ?? order.at.advanced(byDays: Person.daysOfTries)
        if isInTime, let next = jobs.giveWay(slot, 0, after: []) {
            unsorted.append(Unsorted(slot: slot, route: 0, place: jobs[slot], channel: next))
            return
        }
        if !isInTime { return endUntried(slot, order, [first], SenderVerdict.tooLateReason) }
        // Where another channel of the job has given way to all of them meanwhile, what comes of that is told.
        _ = jobs.finish(slot)
    }

    private mutating func endUntried(_ slot: UInt32, _ order: Order, _ channels: [Channel], _ reason: String) {
        if var route = jobs.route(slot, 0) {
            route.channels = channels
            route.endings = [Ending(target: 0, result: .failed(reason: reason, isDead: false))]
            record(Outcomes.facts(order, route), of: order)
        }
        _ = jobs.finish(slot)
    }

    private mutating func begin(_ plan: RoutePlan, _ slot: UInt32, _ number: UInt8, _ order: Order, at now: Instant) {
        jobs.setLastMoment(slot, number, of: order, at: now)
        for target in plan.targets.indices.prefix(Int(UInt8.max)) {
            line(up: Parcel(slot: slot, route: number, target: UInt8(target)), of: order)
        }
        guard plan.targets.isEmpty, var route = jobs.route(slot, number) else { return }
        route.endings = [Ending(target: 0, result: .failed(reason: plan.whyNone, isDead: false))]
        close(route, slot, number, order, at: now)
    }

    /// Waits for its carrier.
    mutating func line(up parcel: Parcel, of order: Order) {
        let carrier = jobs.target(of: parcel).carrier
        lanes[carrier].append(parcel, isTest: order.job.isTest == true)
        lanes[carrier].mind(jobs.lastMoment(of: parcel))
    }

    /// One that waits for a carrier that does not come to it in its time: it fails, or gives way while it still may (`N4`, `N5`).
    mutating func nextTooLate(at now: Instant) -> Attempt? {
        for sink in lanes.indices {
            while let (parcel, tries) = lanes[sink].nextTooLate(at: now, in: jobs) {
                if !keepBack(parcel, tries, sink) { return attempt(parcel, tries, sink, hasRoom: false) }
            }
        }
        return nil
    }

    /// Its job cannot be read. At last it is left for the next start; whether that is now.
    public mutating func unsortable(_ job: Unsorted, at now: Instant) -> Bool {
        beingSorted.remove(job.parcel)
        var job = job
        job.tries = job.tries.withFailure()
        guard job.tries.failed < RetryPause.triesMax else {
            _ = jobs.finish(job.slot)
            return true
        }
        let pause = RetryPause.milliseconds(after: Int(job.tries.failed), of: "\(job.place.seq)")
        unsorted.pause(job, until: now.advanced(byMilliseconds: pause))
        return false
    }

    /// Nobody could say just now where it is to go.
    public mutating func putBack(_ job: Unsorted, at now: Instant) {
        beingSorted.remove(job.parcel)
        unsorted.pause(job, until: now.advanced(byMilliseconds: Self.momentMs))
    }
}
