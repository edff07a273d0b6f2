import CivilTime
import Console
import Delivery
import Journal
import Measuring
import Notices
import Reports
import Worker

/// `GET /metrics`: what the worker has counted, and how it stands. Nothing of it waits, and no label grows with people.
struct WorkerMetrics: Sendable {
    let service: WorkerService
    let machine: MachineWatch
    let requests: RequestFigures

    func page(isOpenMetrics: Bool) -> [UInt8] {
        var page = MetricsPage(isOpenMetrics ? .openMetrics : .prometheus)
        page.family("belfry_build_info", .gauge, "Which Belfry this is")
        page.sample(1, ["version": Belfry.version, "tzdb": service.zones.version])
        write(service.town.totals, to: &page)
        writeStanding(to: &page)
        page.write(
            service.membership?.figures, owned: service.town.allLogs.count, behind: service.town.everyoneBehind,
            unusable: service.membership?.troubles.all.count ?? 0)
        writeCarriers(to: &page)
        writeReports(to: &page)
        writeRequests(to: &page)
        machine.write(to: &page)
        ProcessFigures.write(to: &page)
        return page.finished()
    }

    // MARK: What was done

    private func write(_ totals: WorkFigures.Totals, to page: inout MetricsPage) {
        page.family("belfry_facts", .counter, "Facts that were told, by what became of them")
        for (fact, count) in totals.facts.sorted(by: {
            ($0.key.type, $0.key.result.rawValue) < ($1.key.type, $1.key.result.rawValue)
        }) {
            page.sample(count, ["type": fact.type, "result": fact.result.rawValue])
        }
        page.family("belfry_decisions", .counter, "Decisions, by kind, outcome and reason")
        let decisions = totals.decisions.map { decision, count in
            (decision.kind, decision.outcome.rawValue, decision.reason?.name ?? "", count)
        }
        for (kind, outcome, reason, count) in decisions.sorted(by: { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }) {
            page.sample(count, ["kind": kind, "outcome": outcome, "reason": reason])
        }
        page.family("belfry_fire_lag_seconds", .histogram, "How long after its moment a job's commit was durable")
        page.durations(totals.fireLag)
        page.family(
            "belfry_fsync_seconds", .histogram,
            "How long a batch took to be on the disk, and in a cluster in the database")
        page.durations(totals.sync)
        page.family("belfry_clock_steps", .counter, "How often the machine's clock was set")
        page.sample(totals.clockSteps)
    }

    // MARK: How it stands

    private func writeStanding(to page: inout MetricsPage) {
        let now = service.world.clock()
        let town = service.town
        page.family("belfry_ready", .gauge, "Whether the worker takes requests")
        page.sample(service.health.whyNotReady == nil ? 1 : 0)
        page.family("belfry_people", .gauge, "People the log knows")
        page.sample(town.people)
        page.family("belfry_partitions", .gauge, "Logs that people are dealt over")
        page.sample(town.logs.count)
        page.family(
            "belfry_last_seq", .gauge, "The number of the last durable event; of several logs, how many there are")
        page.sample(Int(clamping: town.events))
        page.family("belfry_due_people", .gauge, "People who are due and not decided about yet")
        page.sample(town.duePeople)
        page.family("belfry_oldest_due_seconds", .gauge, "For how long the earliest of them has been due")
        page.sample(Double(town.lateness(at: now)) / 1000)
        page.family("belfry_waiting", .gauge, "What waits, by what it is")
        page.sample(service.courier.waiting, ["state": "jobs"])
        if let notices = town.waitingNotices {
            page.sample(notices.held, ["state": "held"])
            page.sample(notices.gathered, ["state": "gathered"])
        }
        page.family(
            "belfry_trouble", .gauge, "Whether something is wrong that stays so until it is mended (runbook, Troubles)")
        let troubles = Set(service.troubles(at: now).map(\.what))
        for what in Trouble.What.allCases { page.sample(troubles.contains(what) ? 1 : 0, ["what": what.rawValue]) }
        page.family("belfry_log_bytes", .gauge, "How long the log is")
        page.sample(Int(clamping: town.allLogs.reduce(0) { $0 + $1.worker.standing.durable.position }))
    }

    private func writeCarriers(to page: inout MetricsPage) {
        let (carriers, now) = (service.carriers.byLabel, service.world.clock())
        page.family("belfry_sink_queue", .gauge, "Jobs that wait for a sink or sender")
        for carrier in carriers { page.sample(carrier.waiting, ["sink": carrier.label]) }
        page.family("belfry_sink_broken", .gauge, "Whether a sink or sender is tried with one job at a time")
        for carrier in carriers { page.sample(carrier.isBroken ? 1 : 0, ["sink": carrier.label]) }
        page.family(
            "belfry_sink_paused_seconds", .gauge, "For how long a sink or sender is still given nothing, as it asked")
        for carrier in carriers {
            page.sample(
                Double(carrier.nextTry(at: now).map { $0.milliseconds(since: now) } ?? 0) / 1000,
                ["sink": carrier.label])
        }
        let figures = service.courier.figures.all + (service.analyst?.figures.all ?? [])
        page.family("belfry_sink_tries", .counter, "Tries to hand a job over, by what came of them")
        for carrier in figures {
            for result in CarrierFigures.Result.allCases {
                guard let count = carrier.tries[result] else { continue }
                page.sample(count, ["sink": carrier.label, "result": result.rawValue])
            }
        }
        page.family("belfry_sink_duration_seconds", .histogram, "How long a try took")
        for carrier in figures {
            page.durations(carrier.durations, ["sink": carrier.label])
        }
        page.family("belfry_devices_removed", .counter, "Addresses that a provider said are dead")
        for carrier in figures {
            for (reason, count) in carrier.dead.sorted(by: { $0.key < $1.key }) {
                page.sample(count, ["provider": carrier.label, "reason": reason])
            }
        }
    }

    private func writeReports(to page: inout MetricsPage) {
        page.family("belfry_provider_reports", .counter, "What providers reported, by what became of it")
        for (provider, sort, count) in service.reported.counts {
            page.sample(count, ["provider": provider, "result": sort.rawValue])
        }
    }

    private func writeRequests(to page: inout MetricsPage) {
        let requests = requests.all
        page.family("belfry_http_requests", .counter, "Requests that were answered")
        for request in requests {
            page.sample(
                request.count,
                ["route": request.key.route, "method": request.key.method, "status": "\(request.key.status)"])
        }
        page.family("belfry_http_request_duration_seconds", .histogram, "How long an answer took")
        page.durations(self.requests.durations)
        let streams = service.streams()
        page.family("belfry_streams", .gauge, "Streams of events and feeds that are open")
        page.sample(streams.open)
        page.family("belfry_streams_max", .gauge, "How many can be")
        page.sample(streams.most)
    }
}
