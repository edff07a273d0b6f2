import CivilTime
import Console
import Foundation
import Journal
import Notices
import Worker

/// What the API asks of the log and of feeds as they grow, answered beside the worker: out of what is durable, on threads that
/// give way (`V4`, `V5`).
struct StreamDesk: Sendable {
    let hub: EventHub
    let worker: LiveWorker
    let directory: String
    let world: World
    let zones: ZoneDatabase
    let questions: QuestionRoom
    let feeds = FeedSeats()

    var doors: StreamService {
        StreamService(
            events: { follow($0, $1, $2) }, event: { tell($0, $1, $2) }, head: { head },
            feed: { show($0, $1, $2) }, follow: { follow($0, $1, $2) })
    }

    private var head: ChainHead {
        let durable = worker.standing.durable
        return ChainHead(
            seq: durable.lastSeq, commit: durable.position, hash: "\(durable.hash)",
            recordedAt: durable.position == 0 ? nil : durable.at)
    }

    // MARK: The log

    private func follow(_ order: EventsOrder, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void) {
        let durable = worker.standing.durable
        let wanted = Set(order.types)
        let types = wanted.isEmpty ? [] : Payload.all.map(\.type).filter { wanted.contains($0.text) }.map(\.number)
        let filter = EventFilter(types: Set(types), user: order.user)
        if let after = order.after, after > durable.lastSeq {
            return reply(
                .refused("the log ends with event \(durable.lastSeq); whoever has read further has read another log"))
        }
        guard let backlog = order.backlog else {
            let start = order.after ?? (order.follows ? durable.lastSeq : 0)
            return reply(.stream(stream(order, filter, after: start, durable)))
        }
        let isTaken = questions.take(asker) { [hub] in
            do throws(JournalError) {
                let start = try hub.seq(beforeLast: backlog, of: filter) { !asker.isGone }
                reply(.stream(stream(order, filter, after: min(start, durable.lastSeq), durable)))
            } catch {
                reply(.unable(.failed("\(error)")))
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    private func stream(
        _ order: EventsOrder, _ filter: EventFilter, after start: UInt64, _ durable: LogHead
    ) -> BodyStream {
        let last = order.follows ? order.through : min(order.through ?? .max, durable.lastSeq)
        let events = hub.follow(
            filter, as: order.isServerSent ? .serverSent : .lines, after: start, through: last, limit: order.limit)
        return BodyStream(events, isServerSent: order.isServerSent)
    }

    private func tell(_ seq: UInt64, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        let isTaken = questions.take(asker) { [hub, worker] in
            do throws(JournalError) {
                guard let origin = try hub.origin(of: seq, isWanted: { !asker.isGone }) else {
                    return reply(
                        .unknown("the log has no event \(seq); it ends with event \(worker.standing.durable.lastSeq)"))
                }
                reply(.found(origin.json))
            } catch {
                reply(.unable(.failed("\(error)")))
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    // MARK: Feeds

    private func show(_ order: FeedOrder, _ asker: Asker, _ reply: @escaping @Sendable (Answer) -> Void) {
        let isTaken = questions.take(asker) { [self] in
            do throws(Unanswered) {
                let source = try story(of: order.user, for: asker)
                let feed = Feed(of: order.user, before: order.before ?? .max, limit: order.limit)
                reply(.found(try FollowingFeed(feed, source, zones).page(at: world.clock())))
            } catch {
                reply(error.answer)
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    private func follow(_ order: FollowedFeed, _ asker: Asker, _ reply: @escaping @Sendable (StreamAnswer) -> Void) {
        guard let seat = feeds.take(order.user) else {
            return reply(.tooMany("\(FeedSeats.most) streams of this person's feed are open; close one"))
        }
        let isTaken = questions.take(asker) { [self] in
            do throws(Unanswered) {
                let source = try story(of: order.user, for: asker)
                let start = source.head.lastSeq
                let feed = try FollowingFeed(Feed(of: order.user, limit: FollowingFeed.itemsKept), source, zones) {
                    [hub] in hub.lastPolicy > start
                }
                if let after = order.after, after > start {
                    return reply(.refused("the log ends with event \(start)"))
                }
                let events = hub.follow(
                    EventFilter(user: order.user), as: .whole, after: start)
                reply(.stream(BodyStream(feed, after: order.after, events, clock: world.clock, seat: seat)))
            } catch {
                reply(error.streamAnswer)
            }
        }
        if !isTaken { reply(.unable(.manyQuestions)) }
    }

    private func story(of user: String, for asker: Asker) throws(Unanswered) -> StorySource {
        let answer = waitedFor { worker.story(of: user, reply: $0) }
        guard let found = answer else {
            throw .failed(Failure(.environment, "the worker is busy or stopping; try again"))
        }
        guard let place = found else { throw .nobody(user) }
        let log: LogReader
        do throws(JournalError) { log = try LogReader(directory, on: world.disk) } catch {
            throw .failed(Failure(error))
        }
        return StorySource(at: place, in: log, isWanted: { !asker.isGone })
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
    init(_ worker: LiveWorker, _ directory: String, _ disk: any Disk) {
        self.init(
            directory: directory, disk: disk, durable: { worker.standing.durable },
            numbers: { users in waitedFor { worker.numbers(of: users, reply: $0) } },
            place: { user in waitedFor { worker.story(of: user, reply: $0) } })
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
