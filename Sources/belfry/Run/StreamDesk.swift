import CivilTime
import Console
import Foundation
import Journal
import Notices
import Shared
import Worker

/// What the API asks of the log and of feeds as they grow, answered beside the worker: out of what is durable, on threads that
/// give way (`V4`, `V5`).
struct StreamDesk: Sendable {
    let town: Town
    let world: World
    let zones: ZoneDatabase
    let questions: QuestionRoom
    /// Where all logs end, those of other workers too.
    let heads: @Sendable (Asker, @escaping @Sendable (Result<[ChainHead], Inability>) -> Void) -> Void
    /// Follows the partitions of all workers.
    let everybody: @Sendable (EventsOrder, Asker, @escaping @Sendable (StreamAnswer) -> Void) -> Void
    let feeds = FeedSeats()

    var doors: StreamService {
        StreamService(
            events: { follow($0, $1, $2) }, event: { tell($0, $1, $2) }, head: heads,
            feed: { show($0, $1, $2) }, follow: { follow($0, $1, $2) })
    }

    // MARK: The log

    /// The log that is meant, where one is: the only one, a partition's, or that of the person.
    private func log(of partition: Int?, user: String?) throws(Misnamed) -> RunningLog? {
        if town.isOne {
            guard partition == nil else { throw Misnamed(problem: "partition: there is one log, of everybody") }
            return town.everyone
        }
        // They are called by their number in their own log.
        if partition == nil, let user, Erased.isPerson(user) {
            throw Misnamed(problem: "user: each partition has its own \(user); name one with partition")
        }
        guard let number = partition ?? user.map({ town.place(of: $0) }) else { return nil }
        let count = town.directory.partitions ?? 1
        guard number < count else {
            throw Misnamed(problem: "partition: they are numbered from 0 to \(count - 1)")
        }
        guard let log = town.log(number) else { throw Misnamed(nobodys: number) }
        return log
    }

    private struct Misnamed: Error {
        var problem: String
        /// The partition, where nobody has it.
        var nobodys: Int?

        init(problem: String) { self.problem = problem }

        init(nobodys partition: Int) { (problem, nobodys) = ("", partition) }

        var streamAnswer: StreamAnswer { nobodys.map { .unable(.noOwner($0)) } ?? .refused(problem) }
        var answer: Answer { nobodys.map { .unable(.noOwner($0)) } ?? .refused(problem) }
    }

    private func follow(_ order: EventsOrder, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void) {
        do throws(Misnamed) {
            guard let log = try log(of: order.partition, user: order.user) else {
                return try followAll(order, asker, reply)
            }
            do throws(FieldError) { follow(log, try order.ofOneLog(), asker, reply) } catch {
                throw Misnamed(problem: "\(error)")
            }
        } catch {
            reply(error.streamAnswer)
        }
    }

    private func filter(_ order: EventsOrder) -> EventFilter { EventFilter(named: order.types, user: order.user) }

    private func follow(
        _ log: RunningLog, _ order: EventsOrder, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void
    ) {
        let (durable, filter) = (log.worker.standing.durable, filter(order))
        if let after = order.after, after > durable.lastSeq { return reply(.refused(Self.ends(at: durable.lastSeq))) }
        guard let backlog = order.backlog else {
            let start = order.after ?? (order.follows ? durable.lastSeq : 0)
            return reply(.stream(stream(log, order, filter, after: start, durable)))
        }
        questions.take(asker) {
            do throws(JournalError) {
                let start = try log.hub.seq(beforeLast: backlog, of: filter, through: order.through) { !asker.isGone }
                reply(.stream(stream(log, order, filter, after: min(start, durable.lastSeq), durable)))
            } catch {
                reply(.unable(.failed("\(error)")))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    static func ends(at seq: UInt64) -> String {
        "the log ends with event \(seq); whoever has read further has read another log"
    }

    private func stream(
        _ log: RunningLog, _ order: EventsOrder, _ filter: EventFilter, after start: UInt64, _ durable: LogHead
    ) -> BodyStream {
        let last = order.follows ? order.through : min(order.through ?? .max, durable.lastSeq)
        let events = log.hub.follow(
            filter, as: order.isServerSent ? .serverSent : .lines, after: start, through: last, limit: order.limit)
        return BodyStream(events, isServerSent: order.isServerSent)
    }

    // MARK: All partitions

    private func followAll(
        _ order: EventsOrder, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void
    ) throws(Misnamed) {
        guard order.after == nil, order.through == nil else {
            throw Misnamed(
                problem: "from, to: each partition has its own numbers; name one with partition, or give after")
        }
        guard town.isWhole else { return everybody(order, asker, reply) }
        let logs = town.logs
        let durable = logs.map { $0.worker.standing.durable.lastSeq }
        if let problem = order.problem(durable) { throw Misnamed(problem: problem) }
        let (filter, ends) = (filter(order), order.ends(durable))
        guard let backlog = order.backlog else {
            let start = order.afterEach ?? (order.follows ? durable : durable.map { _ in 0 })
            return reply(
                .stream(
                    BodyStream(merged(logs, order, filter, after: start, ends), isServerSent: order.isServerSent)))
        }
        questions.take(asker) {
            do throws(JournalError) {
                var starts: [UInt64] = []
                // Each gives its share: which of them are the last of all is known only when they have been read.
                let share = (backlog + durable.count - 1) / durable.count
                for (log, end) in zip(logs, ends) {
                    let start = try log.hub.seq(beforeLast: share, of: filter, through: end) { !asker.isGone }
                    starts.append(min(end, start))
                }
                reply(
                    .stream(
                        BodyStream(
                            merged(logs, order, filter, after: starts, ends), isServerSent: order.isServerSent))
                )
            } catch {
                reply(.unable(.failed("\(error)")))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func merged(
        _ logs: [RunningLog], _ order: EventsOrder, _ filter: EventFilter, after starts: [UInt64], _ ends: [UInt64]
    ) -> MergedEvents {
        let streams = logs.indices.map { place in
            PartitionEvents(
                logs[place].hub.follow(
                    filter, as: .lines, after: starts[place], through: order.follows ? nil : ends[place]))
        }
        return MergedEvents(
            streams, after: starts, isServerSent: order.isServerSent, follows: order.follows, limit: order.limit)
    }

    // MARK: One event

    private func tell(_ order: EventOrder, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        let log: RunningLog
        do throws(Misnamed) {
            guard let found = try self.log(of: order.partition, user: nil) else {
                throw Misnamed(problem: "partition: each has its own numbers; name the event's")
            }
            log = found
        } catch {
            return reply(error.answer)
        }
        questions.take(asker) {
            do throws(JournalError) {
                guard let origin = try log.hub.origin(of: order.seq, isWanted: { !asker.isGone }) else {
                    let last = log.worker.standing.durable.lastSeq
                    return reply(.unknown("the log has no event \(order.seq); it ends with event \(last)"))
                }
                reply(.found(origin.json))
            } catch {
                reply(.unable(.failed("\(error)")))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    // MARK: Feeds

    private func show(_ order: FeedOrder, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        questions.take(asker) { [self] in
            switch find(order.user) {
            case .failure(let inability): reply(.unable(inability))
            case .success(let place): reply(page(order, at: place, for: asker))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func page(_ order: FeedOrder, at place: PlaceInLog, for asker: Asker) -> Answer {
        do throws(Unanswered) {
            let source = try story(of: order.user, at: place, for: asker)
            let feed = Feed(of: order.user, before: order.before ?? .max, limit: order.limit)
            return .found(try FollowingFeed(feed, source, zones).page(at: world.clock()))
        } catch {
            return error.answer
        }
    }

    private func follow(_ order: FollowedFeed, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void) {
        guard let seat = feeds.take(order.user) else {
            return reply(.tooMany("\(FeedSeats.most) streams of this person's feed are open; close one"))
        }
        questions.take(asker) { [self] in
            switch find(order.user) {
            case .failure(let inability): reply(.unable(inability))
            case .success(let place): reply(stream(order, at: place, seat, for: asker))
            }
        } orElse: {
            reply(.unable($0))
        }
    }

    private func stream(
        _ order: FollowedFeed, at place: PlaceInLog, _ seat: FeedSeats.Seat, for asker: Asker
    ) -> StreamAnswer {
        do throws(Unanswered) {
            let source = try story(of: order.user, at: place, for: asker)
            let start = source.head.lastSeq
            let hub = place.log.hub
            let feed = try FollowingFeed(Feed(of: order.user, limit: FollowingFeed.itemsKept), source, zones) {
                hub.lastPolicy > start
            }
            if let after = order.after, after > start { return .refused("the log ends with event \(start)") }
            // Where they are erased meanwhile, even before this is heard of, that is the last of it.
            let events = hub.follow(EventFilter(user: order.user, number: source.number), as: .whole, after: start)
            return .stream(BodyStream(feed, after: order.after, events, clock: world.clock, seat: seat))
        } catch {
            return error.streamAnswer
        }
    }

    /// The log that has somebody, and where it has them; nowhere for whom it does not know.
    private typealias PlaceInLog = (log: RunningLog, person: PersonPlace?)

    private func find(_ user: String) -> Result<PlaceInLog, Inability> {
        guard let log = town.log(of: user) else { return .failure(.noOwner(town.place(of: user))) }
        return waited { log.worker.story(of: user, reply: $0) }.map { (log: log, person: $0) }.mapError(\.inability)
    }

    private func story(of user: String, at place: PlaceInLog, for asker: Asker) throws(Unanswered) -> StorySource {
        guard let person = place.person else { throw .nobody(user) }
        let log: LogReader
        do throws(JournalError) { log = try LogReader(place.log.directory, on: world.disk) } catch {
            throw .failed(Failure(error))
        }
        return StorySource(at: person, in: log, isWanted: { !asker.isGone })
    }
}

/// Waits for an answer of the worker; `nil` where there is none.
func waitedFor<Value: Sendable>(_ ask: (@escaping Reply<Value>) -> LiveWorker.Intake) -> Value? {
    let box = Waited<Value>()
    guard ask({ box.put(try? $0.get()) }) == .taken else { return nil }
    return box.wait()
}

extension EventSources {
    /// What a worker's log is read from.
    ///
    /// The worker tells those who follow its log that it has grown, and so holds what they read from. That must not hold
    /// the worker: it would stay in memory, with everybody's state, when its partition has gone to another process.
    init(
        _ worker: LiveWorker, _ directory: String, _ disk: any Disk,
        failed: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) {
        self.init(
            directory: directory, disk: disk, durable: { [weak worker] in worker?.standing.durable ?? .start },
            numbers: { [weak worker] users in
                worker.flatMap { worker in waitedFor { worker.numbers(of: users, reply: $0) } }
            },
            place: { [weak worker] user, number in
                worker.flatMap { worker in waitedFor { worker.story(of: user, number: number, reply: $0) } }
            })
        self.failed = failed
    }
}

extension Unanswered {
    fileprivate var answer: Answer {
        switch self {
        case .unknown(let problem): .unknown(problem)
        case .refused(let problem): .refused(problem)
        case .abandoned: .unable(.abandoned)
        case .failed(let failure): .unable(.failed(failure.message))
        }
    }

    fileprivate var streamAnswer: StreamAnswer {
        switch self {
        case .unknown(let problem): .unknown(problem)
        case .refused(let problem): .refused(problem)
        case .abandoned: .unable(.abandoned)
        case .failed(let failure): .unable(.failed(failure.message))
        }
    }
}
