import CivilTime
import Console
import Delivery
import Measuring
import Notices
import Worker

/// How a worker stands at this moment, or several together: what the console shows of now.
struct NowPart: Sendable {
    /// Of the partitions that it tells of, for how long somebody has been due.
    var late: [Int: Int64]
    var events: UInt64
    var people: Int
    var whyNotReady: String?
    var duePeople: Int
    var waitingJobs: Int
    /// `nil` until every log has been counted once.
    var waitingNotices: WaitingNotices?
    var carriers: [CarrierStanding]
    var troubles: [Trouble]
    var minute: WorkFigures.Minute

    var partitions: [Int] { late.keys.sorted() }

    /// For how long somebody has been due anywhere.
    var latenessMs: Int64 { late.values.max() ?? 0 }

    /// How this worker stands. Waits for nothing.
    init(of service: WorkerService) {
        let (clock, town) = (service.world.clock(), service.town)
        let lateness = town.logs.map { ($0.name.number ?? 0, $0.worker.standing.lateness(at: clock)) }
        late = Dictionary(lateness) { max($0, $1) }
        events = town.events
        people = town.people
        whyNotReady = service.health.whyNotReady
        duePeople = town.duePeople
        waitingJobs = service.courier.waiting
        waitingNotices = town.waitingNotices
        carriers = service.carriers
        troubles = service.troubles(at: clock)
        minute = town.allLogs.reduce(into: WorkFigures.Minute()) { $0.add($1.worker.figures.lastMinute(at: clock)) }
    }

    mutating func add(_ other: NowPart) {
        late.merge(other.late) { max($0, $1) }
        events += other.events
        people += other.people
        whyNotReady = whyNotReady ?? other.whyNotReady
        duePeople += other.duePeople
        waitingJobs += other.waitingJobs
        if let more = other.waitingNotices {
            waitingNotices?.held += more.held
            waitingNotices?.gathered += more.gathered
        } else {
            waitingNotices = nil
        }
        for carrier in other.carriers { add(carrier) }
        troubles += other.troubles.filter { !troubles.contains($0) }
        minute.add(other.minute)
    }

    /// Each worker has carriers of its own, of the same names.
    private mutating func add(_ carrier: CarrierStanding) {
        guard let place = carriers.firstIndex(where: { $0.name == carrier.name }) else {
            return carriers.append(carrier)
        }
        carriers[place].add(carrier)
    }
}

/// How a worker stands, as others ask it.
struct NowParts: PartedQuestion {
    static let word = "now"
    let members: [JSONValue.Member] = []

    init() {}
    init?(_ question: JSONValue) {}

    func part(
        of logs: [RunningLog], _ service: WorkerService, _ asker: Asker
    ) throws(WorkerService.Refusal) -> NowPart { NowPart(of: service) }

    static func document(of part: NowPart) -> JSONValue {
        let minute = part.minute
        return .object([
            .init("late", .array(part.lateDocuments)),
            .init("events", .number("\(part.events)")), .init("people", .number("\(part.people)")),
            .init("why_not_ready", part.whyNotReady.map { .string($0) } ?? .null),
            .init("due", .number("\(part.duePeople)")),
            .init("jobs", .number("\(part.waitingJobs)")),
            .init("held", part.waitingNotices.map { .number("\($0.held)") } ?? .null),
            .init("gathered", part.waitingNotices.map { .number("\($0.gathered)") } ?? .null),
            .init("carriers", .array(part.carriers.map(\.document))),
            .init("troubles", .array(part.troubles.map(\.document))),
            .init(
                "minute",
                .array(
                    [minute.facts, minute.decisions, minute.jobs, minute.dropped, minute.held].map { .number("\($0)") })
            ),
            .init("lag", .array(minute.lag.counts.map { .number("\($0)") })),
            .init("lag_ms", .number("\(Int(minute.lag.sumMs))")),
        ])
    }

    func part(_ document: JSONValue) -> NowPart? { NowPart(document) }
}

extension NowPart {
    /// Partition by partition, as workers tell each other and as it is shown.
    var lateDocuments: [JSONValue] {
        late.sorted { $0.key < $1.key }.map { partition, milliseconds in
            .object([
                .init("partition", .number("\(partition)")),
                .init("seconds", .number("\(Double(milliseconds) / 1000)")),
            ])
        }
    }

    /// Milliseconds by partition; `nil` for what is no such list.
    static func late(_ document: JSONValue?) -> [Int: Int64]? {
        guard let rows = document?.elements else { return nil }
        var late: [Int: Int64] = [:]
        for row in rows {
            guard let partition = row["partition"]?.integer, case .number(let text)? = row["seconds"],
                let seconds = Double(text), let milliseconds = Int64(exactly: (seconds * 1000).rounded())
            else { return nil }
            late[partition] = milliseconds
        }
        return late
    }

    fileprivate init?(_ document: JSONValue) {
        func numbers(_ key: String) -> [Int]? { document[key]?.elements?.compactMap(\.integer) }
        guard let late = Self.late(document["late"]), let events = document["events"]?.integer, events >= 0,
            let people = document["people"]?.integer,
            let due = document["due"]?.integer, let jobs = document["jobs"]?.integer,
            let minute = numbers("minute"), minute.count == 5, let sum = document["lag_ms"]?.integer,
            let lag = numbers("lag").flatMap({
                Durations(upTo: WorkFigures.boundsMs, counts: $0, sumMs: Double(sum))
            })
        else { return nil }
        (self.late, self.events, self.people) = (late, UInt64(events), people)
        (duePeople, waitingJobs, whyNotReady) = (due, jobs, document["why_not_ready"]?.string)
        if let held = document["held"]?.integer, let gathered = document["gathered"]?.integer {
            waitingNotices = WaitingNotices(held: held, gathered: gathered)
        }
        carriers = document["carriers"]?.elements?.compactMap(CarrierStanding.init) ?? []
        troubles = document["troubles"]?.elements?.compactMap(Trouble.init) ?? []
        self.minute = WorkFigures.Minute()
        (self.minute.facts, self.minute.decisions, self.minute.jobs) = (minute[0], minute[1], minute[2])
        (self.minute.dropped, self.minute.held, self.minute.lag) = (minute[3], minute[4], lag)
    }
}

extension CarrierStanding {
    var document: JSONValue {
        .object([
            .init("name", .string(name)), .init("waiting", .number("\(waiting)")), .init("broken", .bool(isBroken)),
            .init("problem", problem.map { .string($0) } ?? .null),
            .init("next_try_at", nextTryAt.map { .string("\($0)") } ?? .null),
        ])
    }

    fileprivate init?(_ document: JSONValue) {
        guard let name = document["name"]?.string, let waiting = document["waiting"]?.integer,
            let isBroken = document["broken"]?.bool
        else { return nil }
        self.init(
            name: name, waiting: waiting, isBroken: isBroken, problem: document["problem"]?.string,
            nextTryAt: document["next_try_at"]?.string.flatMap { try? Instant(rfc3339: $0) })
    }
}
