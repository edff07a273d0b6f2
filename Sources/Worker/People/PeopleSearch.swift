public import CivilTime
public import Notices

/// Which of the people that a log knows are asked for (SPEC §13, `people`).
public struct PeopleQuery: Sendable, Equatable {
    /// What somebody can be found by.
    public enum State: String, CaseIterable, Sendable {
        /// Something is held or gathered for them.
        case waiting
        case snoozed
        /// A job of the last days failed and did not get through. Told by the log, not by the register.
        case failed
        /// They switched everything off.
        case optedOut = "opted_out"
        /// No channel but the app reaches them.
        case unreachable
        /// Something of theirs could not be read, or their zone is unknown.
        case warned
    }

    /// What their ids begin with.
    public var prefix: String
    public var state: State?
    /// The number that they can be texted at.
    public var phone: String?
    public var limit: Int
    /// Who came last on the page before.
    public var after: String?

    public static let limitUsual = 100
    public static let limitAllowed = 1...1000

    public init(prefix: String = "", state: State? = nil, limit: Int = Self.limitUsual, after: String? = nil) {
        precondition(Self.limitAllowed.contains(limit), "a page of \(limit) people")
        self.prefix = prefix
        self.state = state
        self.limit = limit
        self.after = after
    }
}

/// One of the people found, as a list shows them.
public struct PersonSummary: Sendable, Equatable {
    public var user: String
    public var name: String?
    /// The last sign of life, or when they became known.
    public var lastActive: Instant
    /// When something is due for them; `nil` for never.
    public var nextWake: Instant?
    public var held: Int
    public var gathered: Int
    public var snoozed: Int
    /// As the zone in which they live names itself.
    public var timezone: String

    public init(
        user: String, name: String?, lastActive: Instant, nextWake: Instant?, held: Int, gathered: Int, snoozed: Int,
        timezone: String
    ) {
        (self.user, self.name, self.lastActive, self.nextWake) = (user, name, lastActive, nextWake)
        (self.held, self.gathered, self.snoozed, self.timezone) = (held, gathered, snoozed, timezone)
    }
}

/// Goes through everybody a piece at a time, in the order in which the log met them, until a page is full.
public struct PeopleSearch: Sendable {
    public let query: PeopleQuery
    /// Only those are looked for; `nil` for everybody.
    private let candidates: Set<String>?
    private var place: Int?
    public private(set) var found: [PersonSummary] = []
    /// Whether there may be more behind those found.
    public private(set) var isThereMore = true

    /// - Parameter candidates: who has the state that the register does not know.
    public init(_ query: PeopleQuery, candidates: Set<String>? = nil) {
        precondition(query.state != .failed || candidates != nil, "the log tells who had a failure")
        self.query = query
        self.candidates = candidates
    }

    public var isDone: Bool { found.count == query.limit || !isThereMore }

    /// So many are passed over before it is asked whether the time is up.
    private static let pieceOfPeople = 64

    /// Goes on until the page is full, everybody was looked at, or the time is up.
    public mutating func go(through register: Register, until isTimeUp: () -> Bool) throws(FieldError) {
        let count = register.people.count
        var next: Int
        if let place { next = place } else { next = try start(in: register) }
        while next < count, found.count < query.limit {
            for _ in 0..<Self.pieceOfPeople where next < count && found.count < query.limit {
                look(at: next, in: register)
                next += 1
            }
            if isTimeUp() { break }
        }
        place = next
        isThereMore = next < count
    }

    private func start(in register: Register) throws(FieldError) -> Int {
        guard let after = query.after else { return 0 }
        // Whoever ended the page before may have left the state that is asked for.
        guard let known = register.number(of: after) else {
            throw FieldError(path: "after", "\(quoted(after)) is nobody known here")
        }
        return known + 1
    }

    private mutating func look(at number: Int, in register: Register) {
        let user = register.names[number]
        guard query.prefix.isEmpty || user.utf8.starts(with: query.prefix.utf8) else { return }
        guard candidates?.contains(user) ?? true else { return }
        let person = register[number]
        // Nobody is there any more.
        guard !person.isErased else { return }
        guard query.phone.map({ person.hasDetails && person.details.phone.number == $0 }) ?? true else { return }
        guard query.state.map({ person.isIn($0, register.plan) }) ?? true else { return }
        found.append(PersonSummary(user, person))
    }
}

extension PersonSummary {
    fileprivate init(_ user: String, _ person: Person) {
        self.user = user
        nextWake = person.nextWake == .distantFuture ? nil : person.nextWake
        timezone = person.zone.name
        lastActive = max(person.enrolledAt, person.lastActiveAt)
        (held, gathered, snoozed) = (0, 0, 0)
        guard person.hasDetails else { return }
        let details = person.details
        name = details.displayName
        timezone = details.unknownZone ?? timezone
        lastActive = details.conversations.reduce(max(lastActive, details.lastSeenAt)) { max($0, $1.lastMessageAt) }
        for waiting in details.waiting {
            if waiting.gatheredInto == nil { held += 1 } else { gathered += 1 }
        }
        snoozed = details.snoozes.count
    }
}

extension Person {
    fileprivate func isIn(_ state: PeopleQuery.State, _ plan: Plan) -> Bool {
        switch state {
        case .waiting: hasDetails && !details.waiting.isEmpty
        case .snoozed: hasDetails && !details.snoozes.isEmpty
        case .failed: true
        case .optedOut: !preferences.isEnabled
        case .unreachable: reachable(plan).list.allSatisfy { $0 == .inApp }
        case .warned: flags.contains(.zoneUnknown) || !preferences.warnings.isEmpty
        }
    }
}
