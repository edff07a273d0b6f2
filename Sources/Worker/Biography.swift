public import CivilTime
public import Notices

/// One person's state as the log tells it, event by event: what `state` and `explain` look at.
///
/// It is given the person's own events and those about everyone, in order, and decides nothing.
public struct Biography {
    public let user: String
    public private(set) var register: Register
    /// The last event that was told.
    public private(set) var last: (seq: UInt64, at: Instant)?
    /// The kind that a "run now" with `force` asked for last, and when.
    private var forced: (kind: String, at: Instant)?
    /// The test that was asked for last, which is decided at once (`N8`): its number, and its channel where it is for one.
    private var test: (seq: UInt64, channel: Channel?)?
    /// The day's digest that is considered in the wake whose decisions are being told.
    private var digest: Notice?

    public init(of user: String, _ plan: Plan) {
        self.user = user
        register = Register(plan)
    }

    public var plan: Plan { register.plan }
    /// `nil` until the first event about them.
    public var person: Person? { register.number(of: user).map { register[$0] } }

    public mutating func take(_ event: Event) {
        last = (event.seq, event.at)
        guard event.user == nil || event.user == user else { return }
        if case .runRequested(let request) = event.payload {
            forced = request.force == true ? request.kind.map { ($0.text, event.at) } : nil
        }
        if case .testRequested(let request) = event.payload { test = (event.seq, request.channel) }
        digest = digestDue(with: event)
        register.fold(event)
    }

    /// The day's digest that is considered in the wake that an event is of. A fact has none: what was due was decided before (`T10`).
    private func digestDue(with event: Event) -> Notice? {
        guard !event.isFact else { return nil }
        // Only the first decision of a wake is told of who was not settled yet.
        guard event.user == user, let person, person.settledThrough < event.at else { return digest }
        return person.digestDue(at: event.at, user: user, plan)
    }

    /// The person with their next wake worked out.
    public func settled() -> Person? {
        guard let person else { return nil }
        person.nextWake = person.earliestWake(plan)
        return person
    }

    /// What a notice was when a decision about it was made: to be asked before that decision is taken.
    public func notice(decidedBy event: Event) -> Notice? {
        guard event.user == user, let person,
            let notice = person.notice(
                decidedBy: event.payload, on: Occasion(event.seq, event.at, user: user, plan))
        else { return nil }
        return asAsked(notice, event)
    }

    /// The same of one notice by its name, where a decision may be about several; `nil` where it was not among them.
    public func notice(named name: String, decidedBy event: Event) -> Notice? {
        guard event.user == user, let person,
            let notice = person.notice(
                named: NoticeName(name), decidedBy: event.payload, on: Occasion(event.seq, event.at, user: user, plan))
        else { return nil }
        return asAsked(notice, event)
    }

    /// The rules as a decision about a notice asked them: to be told before that decision is taken.
    ///
    /// - Parameter joinsAnother: whether it went with another's job (`P19`).
    public func explanation(of notice: Notice, decidedBy event: Event, joinsAnother: Bool = false) -> Explanation? {
        guard let person else { return nil }
        return Explanation(
            notice, of: person, plan, at: event.at, joinsAnother: joinsAnother, beside: digestDue(with: event))
    }

    /// As the run or the test that it came by asked for it.
    private func asAsked(_ notice: Notice, _ event: Event) -> Notice {
        if let test, NoticeName(notice.name).cause == test.seq { return notice.tested(on: test.channel) }
        let isForced = forced.map { $0.at == event.at && $0.kind == plan.kind(notice.kind).name.text } ?? false
        return isForced ? notice.forced : notice
    }
}
