internal import CivilTime
public import Journal
internal import Notices

/// The figures of a log: per UTC day, kind and channel, and how many people use what (SPEC §16, `V6`).
///
/// A fold of the log and nothing else, event by event, so that figures of the past stay what they were and a log that is read
/// anew gives the same. It decides nothing. What it keeps grows with days and kinds, with what waits at present, with samples and odd deadlines,
/// by four bytes a person, and by each set of settings that somebody has: as long as what it differs in, and kept once for all
/// who have it.
public struct Numbers: Sendable {
    /// What was counted: all that a question needs.
    var figures = Figures()
    var settings = SettingsTable()
    /// The notices that wait, by what stands for their names: when their holds end.
    var held: [UInt64: Int64] = [:]
    var gathered: Set<UInt64> = []
    /// The facts that asked for samples: what becomes of those counts for nothing (`N8`). A worker that slept for weeks tells of
    /// them all the same, so they are remembered for ever, by eight bytes each.
    var samples: Set<UInt64> = []
    /// The deadlines of goals that are at no whole minute, by what stands for person and goal: slots that hang on them are named
    /// by the minute, and due at the deadline's own second. Those of the last days and of what is to come.
    var deadlines: [UInt64: Int64] = [:]
    var plan: PlanInForce
    let identity: LogIdentity

    /// Of a log of which nothing was read.
    public init(of identity: LogIdentity, _ beginning: Beginning) {
        self.identity = identity
        plan = PlanInForce(beginning)
    }

    /// Up to where the log was folded.
    public internal(set) var head: LogHead {
        get { figures.head }
        set { figures.head = newValue }
    }

    public var people: Int { settings.people.count }

    public var waiting: WaitingNotices { WaitingNotices(held: held.count, gathered: gathered.count) }

    public func report(_ query: NumbersQuery) -> NumbersReport { counted.report(query) }

    /// What was counted, with what is used at present.
    public var counted: Figures {
        var counted = figures
        counted.usedNow = settings.use
        counted.policyKinds = plan.plan.rules.kinds.prefix(plan.plan.rules.ownKinds).map(\.name.text)
        return counted
    }
}

/// How many notices wait, of everybody together.
public struct WaitingNotices: Sendable, Equatable {
    public var held = 0
    public var gathered = 0

    public init(held: Int = 0, gathered: Int = 0) { (self.held, self.gathered) = (held, gathered) }
}

/// What was counted of a log, up to some place in it.
public struct Figures: Sendable {
    struct Key: Hashable {
        /// Since 1970-01-01, of UTC.
        var day: Int32
        /// Its place in `kinds`.
        var kind: UInt16
        /// 0 for what is about a notice and no channel; else the channel's number.
        var channel: UInt8
    }

    public internal(set) var head = LogHead.start
    var cells: [Key: NumberCell] = [:]
    /// In the order in which the log told of them.
    var kinds: [String] = []
    var kindPlaces: [String: UInt16] = [:]
    /// Those of the policy in force, of which the log may have told nothing yet.
    var policyKinds: [String] = []
    /// As of the end of each day on which it changed, the last one that is over.
    var uses: [(day: Int32, use: UseCounts)] = []
    var usedNow = UseCounts()
    /// The day of the last event.
    var today = Int32.min

    public init() {}

    /// What was counted of the logs of several partitions, taken together. The last event counted is how many there are: each
    /// log has its own numbers.
    public init(of parts: [Figures]) {
        guard parts.count != 1 else {
            self = parts[0]
            return
        }
        today = parts.map(\.today).max() ?? .min
        head.lastSeq = parts.reduce(0) { $0 + $1.head.lastSeq }
        for part in parts {
            for (key, cell) in part.cells {
                let own = Key(day: key.day, kind: place(of: part.kinds[Int(key.kind)]), channel: key.channel)
                cells[own, default: NumberCell()].add(cell)
            }
            policyKinds += part.policyKinds.filter { !policyKinds.contains($0) }
            usedNow.add(part.usedNow)
        }
        for day in Set(parts.flatMap { $0.uses.map(\.day) + [$0.today] }).sorted() where day < today {
            uses.append((day, parts.reduce(into: UseCounts()) { $0.add($1.use(atEndOf: day)) }))
        }
    }

    /// How many people used what at the end of a day.
    func use(atEndOf day: Int32) -> UseCounts {
        day >= today ? usedNow : uses.last { $0.day <= day }?.use ?? UseCounts()
    }

    mutating func change(_ kind: String, _ channel: Channel?, _ change: (inout NumberCell) -> Void) {
        let key = Key(day: today, kind: place(of: kind), channel: UInt8(channel?.rawValue ?? 0))
        change(&cells[key, default: NumberCell()])
    }

    private mutating func place(of kind: String) -> UInt16 {
        if let place = kindPlaces[kind] { return place }
        // A log may have had more kinds in its life, whatever its policies allow at a time: the last place is of all of them.
        guard kinds.count < Int(UInt16.max) else { return UInt16(kinds.count - 1) }
        let place = UInt16(kinds.count)
        kinds.append(kind)
        kindPlaces[kind] = place
        return place
    }
}
