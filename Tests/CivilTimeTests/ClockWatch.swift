import CivilTime

/// Somebody who looks at the clock of a zone every minute for some days around a change of it.
///
/// What they saw is enough to say when a local time came, without any knowledge of offsets or rules.
struct ClockWatch {
    let zone: ZoneRules
    /// What the clock showed at each minute, in minutes since 1970-01-01T00:00.
    let shown: [Int]
    let start: Instant
    /// The dates it showed, in order, without the first and last which were seen in part.
    let dates: [LocalDate]
    private let change: ZoneTransition
    private let firstSight: [Int: Int]
    private let lastSight: [Int: Int]

    static let days = 12

    /// Zones whose clocks changed at midnight, just after it, by a day, by half an hour or by two hours.
    private static let curious = [
        "America/St_Johns", "America/Goose_Bay", "America/Moncton", "America/Sao_Paulo", "America/Havana",
        "America/Asuncion", "America/Scoresbysund", "Africa/Cairo", "Africa/Casablanca", "Africa/Khartoum",
        "Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Kathmandu", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores",
        "Australia/Lord_Howe", "Antarctica/Troll", "Antarctica/Casey", "Europe/Dublin", "Pacific/Apia",
        "Pacific/Enderbury", "Pacific/Fakaofo", "Pacific/Kiritimati", "Pacific/Kwajalein",
    ]

    /// Watches around a random change of a random zone that happened on a full minute. Every other zone is a
    /// curious one, and of the changes that skip a date every second one is watched.
    init(near dice: inout Dice) throws {
        var found: (ZoneRules, ZoneTransition)?
        while found == nil {
            let names = Bool.random(using: &dice) ? Self.curious : distinctZoneNames
            let zone = try CivilTimeTests.zone(names.randomElement(using: &dice)!)
            let changes = zone.transitions(in: "1900-01-01T00:00:00Z"..<"2150-01-01T00:00:00Z")
                .filter(Self.isOnFullMinutes)
            let jump = Bool.random(using: &dice) ? changes.first { $0.offsetAfter - $0.offsetBefore >= 86_400 } : nil
            found = (jump ?? changes.randomElement(using: &dice)).map { (zone, $0) }
        }
        self.init(found!.0, found!.1)
    }

    private static func isOnFullMinutes(_ change: ZoneTransition) -> Bool {
        change.instant.milliseconds % 60_000 == 0 && change.offsetBefore % 60 == 0 && change.offsetAfter % 60 == 0
    }

    init(_ zone: ZoneRules, _ change: ZoneTransition) {
        self.zone = zone
        self.change = change
        let start = change.instant.advanced(byDays: -Int64(Self.days) / 3)
        self.start = start
        shown = (0..<Self.days * 1440).map { minute in
            let instant = start.advanced(byMinutes: Int64(minute))
            return Int(instant.milliseconds / 60_000) + Int(zone.offsetSeconds(at: instant) / 60)
        }
        var dates: [LocalDate] = []
        var first: [Int: Int] = [:]
        var last: [Int: Int] = [:]
        for (index, minute) in shown.enumerated() {
            let date = LocalDate(daysSince1970: Int32((Double(minute) / 1440).rounded(.down)))
            if dates.last != date, !dates.contains(date) { dates.append(date) }
            if first[minute] == nil { first[minute] = index }
            last[minute] = index
        }
        self.dates = dates.dropFirst().dropLast().sorted()
        firstSight = first
        lastSight = last
    }

    /// When the clock first showed a time, or jumped over it.
    func first(_ local: LocalDateTime) -> Instant? { (firstSight[minute(local)] ?? jump(over: local)).map(instant) }

    /// When it last did.
    func last(_ local: LocalDateTime) -> Instant? { (lastSight[minute(local)] ?? jump(over: local)).map(instant) }

    func instant(_ index: Int) -> Instant { start.advanced(byMinutes: Int64(index)) }

    /// A time of day at or near which the clock was changed, more often than not.
    func interestingMinute(_ dice: inout Dice) -> Int {
        let offset = Bool.random(using: &dice) ? change.offsetBefore : change.offsetAfter
        let wall = Int(change.instant.milliseconds / 60_000) + Int(offset / 60)
        let nearby = wall + [0, 0, 0, 1, -1, 30, -30].randomElement(using: &dice)!
        let minute = Int.random(in: 0..<3, using: &dice) == 0 ? Int.random(in: 0..<1440, using: &dice) : nearby
        return (minute % 1440 + 1440) % 1440
    }

    /// An instant well within the days watched, mostly on a minute and near the change.
    func randomInstant(_ dice: inout Dice) -> Instant {
        let reach: Int64 = Bool.random(using: &dice) ? 180 : 2880
        let minutes = Int64.random(in: -reach...reach, using: &dice)
        let milliseconds = [0, 0, 1, -1, 30_000].randomElement(using: &dice)! as Int64
        return change.instant.advanced(byMinutes: minutes).advanced(byMilliseconds: milliseconds)
    }

    private func minute(_ local: LocalDateTime) -> Int {
        Int(local.date.daysSince1970) * 1440 + Int(local.time.minuteOfDay)
    }

    private func jump(over local: LocalDateTime) -> Int? {
        let minute = minute(local)
        return shown.indices.dropFirst().first { shown[$0 - 1] < minute && minute < shown[$0] }
    }
}
