public import CivilTime
internal import Journal
public import Notices

/// A piece of a "run now" that is only tried: what it would decide about some, and where to go on.
public struct TrialPiece: Sendable {
    /// What would be decided, in order.
    public var decisions: [Event]
    /// The place of the next person; `nil` behind the last.
    public var next: Int?
}

/// Questions about many people, answered in pieces that are short enough for the worker's queue (`G11`): whoever asks asks
/// again for the next.
extension WorkerCore {
    /// Goes on with a search through everybody.
    public func ask(people search: PeopleSearch, _ reply: @escaping Reply<PeopleSearch>) {
        var search = search
        beginShare()
        do throws(FieldError) {
            try search.go(through: decider.register, until: { hasLasted })
        } catch {
            return refuse(error, reply)
        }
        answer(search, reply)
    }

    /// Tries a "run now" on copies of some of the people it is about: nothing is recorded, and nothing changes.
    public func ask(
        trial order: RunOrder, from place: Int, at wall: Instant, _ reply: @escaping Reply<TrialPiece>
    ) {
        let now = max(wall, journal.head.at)
        if let problem = order.problem(under: decider.register, at: now) { return refuse(problem, reply) }
        let count = order.users.isEmpty ? peopleCount : order.users.count
        let users = (place..<min(count, place + Self.trialPeopleMax)).map { place in
            order.users.isEmpty ? decider.register.names[place] : order.users[place]
        }
        var trial = decider.trial(about: users)
        var events: [Event] = []
        var done = place
        beginShare()
        for user in users where done == place || !hasLasted {
            done += 1
            if let number = trial.register.number(of: user) { trial.settleIfDue(number, at: now, into: &events) }
            // Whoever was erased, long ago or just now, has no part in it (`E1`).
            guard order.kind != nil, let number = trial.register.number(of: user), !trial.register[number].isErased
            else { continue }
            do throws(FieldError) {
                _ = try trial.take(order.fact(about: user), at: now, into: &events)
            } catch {
                return refuse(error, reply)
            }
        }
        answer(TrialPiece(decisions: events.filter { !$0.isFact }, next: done < count ? done : nil), reply)
    }

    private static let trialPeopleMax = 64

    /// Goes on with a survey of what the next hours hold for everybody.
    public func ask(agenda survey: AgendaSurvey, _ reply: @escaping Reply<AgendaSurvey>) {
        var survey = survey
        beginShare()
        survey.go(through: decider.register, until: { hasLasted })
        answer(survey, reply)
    }

    /// Goes on counting who is due by an instant.
    public func ask(due count: DueCount, _ reply: @escaping Reply<DueCount>) {
        var count = count
        beginShare()
        repeat {
            let next = count.counted..<min(peopleCount, count.counted + DueCount.piece)
            count.people += decider.dueCount(among: next, by: count.instant)
            count.counted = next.upperBound
            count.isDone = next.upperBound == peopleCount
        } while !count.isDone && !hasLasted
        answer(count, reply)
    }
}

/// How many people are due and have not been decided about: counted in pieces, for whoever watches a worker that is late.
public struct DueCount: Sendable, Equatable {
    public let instant: Instant
    public fileprivate(set) var people = 0
    public fileprivate(set) var isDone = false
    fileprivate var counted = 0
    fileprivate static let piece = 1 << 16

    public init(by instant: Instant) { self.instant = instant }
}
