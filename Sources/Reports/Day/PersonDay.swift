public import CivilTime
public import Notices
public import Worker

/// One local day of one person, folded from their own events: what was quiet, which slots came and what became of them,
/// what was decided and what they did.
///
/// It is a function of the events and of the person's state at that time. A past day is shown as it was at its end;
/// today as it is now, with what is still to come as things stand. Where a date is wanted, the events are gone through twice: the first
/// time finds when it was (`survey`).
public struct PersonDay {
    /// Why there is no such day.
    public enum Problem: Error, Sendable, Equatable {
        case notKnownThen
        /// The calendar of their zone never showed that date (`T6`).
        case noSuchDate(String)
    }

    /// As many marks are told; of more the latest.
    public static let marksMax = 2_000

    let user: String
    /// `nil` for the day that it is where the person is.
    private let wanted: LocalDate?
    private let now: Instant
    private var lived = LivedDays()
    /// Once that is known of a date that was wanted.
    private var surveyed: LivedDays.Day?
    private var slots = DaySlots()
    private var hours = DayHours()
    private var waits = DayWaits()
    /// The date that what waits was looked at last, where no date was wanted.
    private var lookedOn: (date: LocalDate, zone: String)?
    /// When jobs were handed out.
    private var handedOut: [Instant] = []
    private var marks: [DayMark] = []
    /// How many marks were let go, by the minute they were of: which of them are of the day is known when its zone is.
    private var letGo: [Int64: Int] = [:]
    /// The day that was wanted as it was at its end, once an event behind it has come.
    private var ended: DayReport?
    /// When what was still due of it was decided.
    private var decidedLate: Instant?

    /// No zone is further from UTC, and no day is longer than that with it.
    private static let reach: Int64 = 40

    public init(of user: String, on date: LocalDate? = nil, now: Instant) {
        self.user = user
        wanted = date
        self.now = now
    }

    /// Everything that could be of the day lies within this.
    private var stretch: Range<Instant> {
        guard let wanted else { return now.advanced(byHours: -2 * Self.reach)..<now.advanced(byHours: 2 * Self.reach) }
        let midnight = Instant(seconds: Int64(wanted.daysSince1970) * 86_400)
        return midnight.advanced(byHours: -Self.reach)..<midnight.advanced(byHours: 2 * Self.reach)
    }

    /// Whether it is to be found first when the day was.
    public var needsSurvey: Bool { wanted != nil }

    /// To be asked before each event is folded, the first time; `false` once it is known when the day was.
    public mutating func survey(_ event: Event, _ biography: Biography) -> Bool {
        lived.note(biography.person?.zone, before: event.at)
        return event.at < stretch.upperBound
    }

    /// All events that count have been gone through the first time.
    public mutating func endSurvey(_ biography: Biography) throws(Problem) {
        guard let wanted, let person = biography.person else { throw .notKnownThen }
        surveyed = try bounds(of: wanted, person)
    }

    private mutating func bounds(of date: LocalDate, _ person: Person) throws(Problem) -> LivedDays.Day {
        if let surveyed { return surveyed }
        lived.note(person.zone, before: .distantFuture)
        if let day = lived.day(date) { return day }
        throw .noSuchDate(
            person.zone.dayBounds(date) == nil
                ? "\(date) never was a date in \(person.zone.name)"
                : "\(date) never was a date for them: they changed from one zone to another over it")
    }

    /// To be asked before each event is folded; `false` once the day is over and nothing more is to be told.
    public mutating func isToTake(_ event: Event, _ biography: Biography) -> Bool {
        if let surveyed {
            if event.at >= surveyed.bounds.upperBound {
                return isToTake(event, biography, behind: surveyed.bounds.upperBound)
            }
        } else {
            lived.note(biography.person?.zone, before: event.at)
        }
        guard event.user == nil || event.user == user else { return true }
        guard stretch.contains(event.at) else {
            // A slot of the day may have been brought forward, however long before ("run now").
            if event.at < stretch.lowerBound, let person = biography.person {
                slots.take(event, before: person, biography.plan, in: stretch)
            }
            return true
        }
        if let person = biography.person {
            slots.take(event, before: person, biography.plan, in: stretch)
            hours.note(person, before: event.at, in: stretch)
            look(at: person, before: event.at, biography.plan)
        }
        if case .jobEmitted(let job) = event.payload, job.isTest != true { handedOut.append(event.at) }
        marks += DayMark.all(of: event)
        if marks.count > 2 * Self.marksMax { letOldestGo() }
        return true
    }

    /// What was due when the day ended is decided behind it, in one instant: a worker may have been away overnight (`C5`).
    private mutating func isToTake(_ event: Event, _ biography: Biography, behind end: Instant) -> Bool {
        if ended == nil { ended = try? report(biography) }
        guard ended != nil, let person = biography.settled() else { return false }
        guard person.nextWake < end || event.at == decidedLate else { return false }
        guard event.user == user else { return true }
        if !event.isFact { decidedLate = event.at }
        slots.take(event, before: person, biography.plan, in: stretch)
        return true
    }

    private mutating func look(at person: Person, before at: Instant, _ plan: Plan) {
        if let surveyed {
            if surveyed.bounds.contains(at) { waits.look(at: person, on: surveyed.bounds.lowerBound, plan) }
            return
        }
        let date = person.zone.localDate(at: at)
        guard lookedOn?.date != date || lookedOn?.zone != person.zone.name else { return }
        lookedOn = (date, person.zone.name)
        if let start = lived.day(date)?.bounds.lowerBound { waits.look(at: person, on: start, plan) }
    }

    private mutating func letOldestGo() {
        for mark in marks.prefix(Self.marksMax) { letGo[Self.minute(mark.at), default: 0] += 1 }
        marks.removeFirst(Self.marksMax)
    }

    private static func minute(_ at: Instant) -> Int64 { at.wholeSeconds / 60 }

    /// The day as it is, or as it was at its end.
    ///
    /// - Parameter foresight: for what is still to come of it.
    public mutating func report(
        _ biography: Biography, _ foresight: Foresight = Foresight(work: Foresight.workOfOneAnswer)
    ) throws(Problem) -> DayReport {
        guard let person = biography.settled() else { throw .notKnownThen }
        if let ended { return ended.told(of: slots.all(in: ended.day, biography.plan), named: person) }
        let date = wanted ?? person.zone.localDate(at: now)
        let lived = try bounds(of: date, person)
        let (day, zone) = (lived.bounds, lived.zone)
        guard person.enrolledAt < day.upperBound else { throw .notKnownThen }
        hours.note(person, before: .distantFuture, in: stretch)
        let isPast = now >= day.upperBound
        let plan = biography.plan
        if !isPast { slots.expect(person, of: user, in: day, at: now, plan, foresight) }
        let asOf = isPast ? day.upperBound.advanced(byMilliseconds: -1) : now
        let own = marks.filter { day.contains($0.at) }
        let told = Array(own.suffix(Self.marksMax))
        // Days begin and end with a minute.
        let minutes = Self.minute(day.lowerBound)..<Self.minute(day.upperBound)
        let earlier = letGo.reduce(0) { minutes.contains($1.key) ? $0 + $1.value : $0 }
        let report = DayReport(
            user: user, date: date, previousDate: self.lived.neighbour(of: date, step: -1),
            nextDate: self.lived.neighbour(of: date, step: 1), zone: zone.name, zones: lived.zones,
            clock: zone.clock(around: day.lowerBound),
            day: day,
            now: day.contains(now) ? now : nil,
            jobs: person.jobsToday(max(asOf, day.lowerBound)), allJobs: handedOut.count { day.contains($0) },
            dailyCap: plan.policy.dailyCap, quiet: hours.quiet(in: day),
            quietUntil: day.contains(now) ? hours.quietEnd(at: now) : nil, schedule: hours.schedule(in: day),
            appOpen: hours.appOpen(in: day),
            slots: [], waits: waits.all(on: day.lowerBound, person, plan, isToCome: day.lowerBound > now),
            marks: told, marksLeftOut: earlier + own.count - told.count, subjects: [],
            nextWake: person.nextWake == .distantFuture ? nil : person.nextWake)
        return report.told(of: slots.all(in: day, plan), named: person)
    }
}

/// A person's day, ready to be shown.
public struct DayReport: Sendable, Equatable {
    public struct NamedSubject: Sendable, Equatable {
        public var subject: String
        public var title: String
    }

    public var user: String
    public var date: LocalDate
    /// The dates that they had before and after it; `nil` at the ends of the calendar.
    public var previousDate: LocalDate?
    public var nextDate: LocalDate?
    public var zone: String
    /// Where they lived it, in turn; the last is `zone`.
    public var zones: [String]
    /// How far its clocks are from UTC, around that day.
    public var clock: JSONValue
    public var day: Range<Instant>
    /// Where the day is today: the moment.
    public var now: Instant?
    /// Those that count towards the cap.
    public var jobs: Int
    /// All that were handed out.
    public var allJobs: Int
    public var dailyCap: Int?
    /// As far as the day goes.
    public var quiet: [Range<Instant>]
    /// Where the moment is in quiet hours: their end, which may be on the next day.
    public var quietUntil: Instant?
    /// `nil` where no schedule was set at any time of the day.
    public var schedule: [Range<Instant>]?
    public var appOpen: [Range<Instant>]
    public var slots: [DaySlot]
    /// What waited already when it began.
    public var waits: [DayWait]
    public var marks: [DayMark]
    /// Earlier marks of the day that are too many to be told.
    public var marksLeftOut: Int
    /// What the day's slots and notices are about, as far as it has a title or a name.
    public var subjects: [NamedSubject]
    public var nextWake: Instant?

    /// The same with these slots, and with a name for what it tells of as the person knows it.
    fileprivate func told(of slots: [DaySlot], named person: Person) -> DayReport {
        var report = self
        report.slots = slots
        let subjects = Set(marks.compactMap(\.subject) + slots.compactMap(\.subject))
        let known = Dictionary(uniqueKeysWithValues: self.subjects.map { ($0.subject, $0.title) })
        report.subjects = subjects.sorted().compactMap { subject in
            (known[subject] ?? person.knownName(ofSubject: subject)).map { .init(subject: subject, title: $0) }
        }
        return report
    }
}
