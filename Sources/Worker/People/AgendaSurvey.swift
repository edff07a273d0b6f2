public import CivilTime
public import Notices

/// What the next hours hold for everybody, by what it is for (SPEC §16, `V1`).
///
/// Goes through everybody a piece at a time. A person whose next wake lies after those hours has nothing due in them
/// and is passed over with one look. What it keeps does not grow with people.
public struct AgendaSurvey: Sendable {
    public struct Query: Sendable, Equatable {
        public var from: Instant
        public var hours: Int
        public var stepMinutes: Int
        /// Of what kind those are that are named; `nil` for any. What is counted is counted of all.
        public var kind: String?

        public static let hoursAllowed = 1...168
        public static let stepsAllowed = 1...1440
        /// The most columns of a chart.
        public static let bucketsMax = 2_016

        public init(from: Instant, hours: Int = 24, stepMinutes: Int = 60, kind: String? = nil) {
            (self.from, self.hours, self.stepMinutes, self.kind) = (from, hours, stepMinutes, kind)
        }

        public var until: Instant { from.advanced(byHours: Int64(hours)) }
        public var bucketCount: Int { (hours * 60 + stepMinutes - 1) / stepMinutes }
    }

    public struct Bucket: Sendable, Equatable {
        public var at: Instant
        /// How many things are due, by the kind they are of or, of none, by what follows from them.
        public var kinds: [String: Int] = [:]
        /// How many people have something due.
        public var people = 0

        public init(at: Instant, kinds: [String: Int] = [:], people: Int = 0) {
            (self.at, self.kinds, self.people) = (at, kinds, people)
        }
    }

    public struct Coming: Sendable, Equatable {
        public var at: Instant
        public var user: String
        /// Where they are.
        public var zone: String
        public var kind: String
        public var subject: String?
        /// `nil` where a worker of an older version found it.
        public var cause: DueMatter.Cause.Name?
        /// What waits or was snoozed.
        public var notice: String?

        public init(
            at: Instant, user: String, zone: String, kind: String, subject: String?, cause: DueMatter.Cause.Name?,
            notice: String?
        ) {
            (self.at, self.user, self.zone, self.kind) = (at, user, zone, kind)
            (self.subject, self.cause, self.notice) = (subject, cause, notice)
        }
    }

    public let query: Query
    public private(set) var buckets: [Bucket]
    /// The first of all of the kind that is asked for, in order of time.
    public private(set) var next: [Coming] = []
    private var place = 0
    public private(set) var isDone = false

    public static let nextMax = 100
    /// As much is looked at of one person: who has hundreds of goals is not to be counted a week ahead in one go.
    private static let mattersMax = 200
    /// As many are passed over before the time is looked at. Whoever has something due may have much: behind them it is looked at.
    private static let passedOverMax = 16

    public init(_ query: Query) {
        self.query = query
        buckets = (0..<query.bucketCount).map { step in
            Bucket(at: query.from.advanced(byMinutes: Int64(step * query.stepMinutes)))
        }
    }

    /// As another worker found it; `nil` where it is of other hours.
    public init?(_ query: Query, found buckets: [Bucket], next: [Coming]) {
        self.init(query)
        guard buckets.map(\.at) == self.buckets.map(\.at) else { return nil }
        self.buckets = buckets
        // A worker of an older version names all kinds.
        for coming in next where query.kind ?? coming.kind == coming.kind { note(coming) }
        isDone = true
    }

    /// Goes on until everybody was looked at or the time is up.
    public mutating func go(through register: Register, until isTimeUp: () -> Bool) {
        let count = register.people.count
        var passedOver = 0
        while place < count {
            let hasSomething = look(at: place, in: register)
            place += 1
            passedOver += 1
            guard hasSomething || passedOver == Self.passedOverMax else { continue }
            passedOver = 0
            if isTimeUp() { break }
        }
        isDone = place >= count
    }

    /// What another partition's people have in the same hours.
    public mutating func add(_ other: AgendaSurvey) {
        precondition(query == other.query, "surveys of other hours")
        for (place, bucket) in other.buckets.enumerated() {
            buckets[place].kinds.merge(bucket.kinds, uniquingKeysWith: +)
            buckets[place].people += bucket.people
        }
        for coming in other.next { note(coming) }
    }

    /// Whether they have something due.
    private mutating func look(at number: Int, in register: Register) -> Bool {
        let person = register[number]
        guard person.nextWake < query.until else { return false }
        let plan = register.plan
        let last = query.until.advanced(byMilliseconds: -1)
        var bucketBefore = -1
        for matter in person.due(through: last, plan, most: Self.mattersMax) {
            let word = matter.kind.map { plan.kind($0).name.text } ?? Self.word(for: matter.cause)
            let bucket = self.bucket(of: matter.at)
            buckets[bucket].kinds[word, default: 0] += 1
            if bucket != bucketBefore { buckets[bucket].people += 1 }
            bucketBefore = bucket
            guard query.kind ?? word == word, next.count < Self.nextMax || matter.at < next[next.count - 1].at else {
                continue
            }
            note(
                Coming(
                    at: matter.at, user: register.names[number], zone: person.zone.name, kind: word,
                    subject: matter.subject, cause: matter.cause.name, notice: matter.notice))
        }
        return true
    }

    /// What is of no kind is called after what it leads to.
    private static func word(for cause: DueMatter.Cause) -> String {
        switch cause {
        case .retention: PersonErased.type.text
        case .slot, .hold, .summary, .snooze, .session, .analysis: SessionCompleted.type.text
        }
    }

    /// What is overdue is due at once.
    private func bucket(of at: Instant) -> Int {
        let minutes = max(0, at.milliseconds(since: query.from)) / 60_000
        return min(buckets.count - 1, Int(minutes) / query.stepMinutes)
    }

    private mutating func note(_ coming: Coming) {
        let place = next.firstIndex { coming.at < $0.at } ?? next.count
        next.insert(coming, at: place)
        if next.count > Self.nextMax { next.removeLast() }
    }
}
