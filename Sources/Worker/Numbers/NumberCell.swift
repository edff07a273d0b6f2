public import Measuring
public import Notices

/// What was counted of one day, kind and channel, or of several together.
public struct NumberCell: Sendable, Equatable {
    /// One figure: a count of something. The file holds these raw values: append, never reorder.
    public enum Figure: Int, Sendable, CaseIterable {
        /// Notices that came up, each once: whoever asked for them, and whatever became of them.
        case raised
        /// Notices that had to wait, each once.
        case held
        case gathered
        case dropped
        /// Jobs that were decided on.
        case emitted
        /// Channels that took a job.
        case sent
        /// Deliveries that a provider reported.
        case delivered
        /// Tries and deliveries that failed.
        case failed
        case opened
        case dismissed
        case snoozed

        public var name: String { "\(self)" }
    }

    private var counts = [Int](repeating: 0, count: Figure.allCases.count)
    /// Dropped notices and skipped slots, by the reason's number.
    public internal(set) var blocked: [Reason: Int] = [:]
    /// Jobs, by how much later they came than their slot or their hold's end.
    public internal(set) var late = Durations(upTo: lateBoundsMs)

    /// Few, so that years of them take no room.
    public static let lateBoundsMs: [Double] = [
        1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 60_000, 600_000, 3_600_000, 14_400_000,
    ]

    public init() {}

    public subscript(_ figure: Figure) -> Int {
        get { counts[figure.rawValue] }
        set { counts[figure.rawValue] = newValue }
    }

    public mutating func add(_ other: NumberCell) {
        for place in counts.indices { counts[place] += other.counts[place] }
        for (reason, count) in other.blocked { blocked[reason, default: 0] += count }
        late.add(other.late)
    }
}

/// How many people use what, at one moment.
public struct UseCounts: Sendable, Equatable {
    public internal(set) var people = 0
    public internal(set) var quietHours = 0
    public internal(set) var digestMode = 0
    public internal(set) var frequencies: [String: Int] = [:]
    /// Of those who took one; `custom` where it was changed by hand.
    public internal(set) var presets: [String: Int] = [:]

    public init() {}

    mutating func count(_ use: SettingsInUse.Use, _ people: Int) {
        self.people += people
        if use.hasQuietHours { quietHours += people }
        if use.isDigestMode { digestMode += people }
        Self.count(use.frequency, people, &frequencies)
        if let preset = use.preset { Self.count(preset, people, &presets) }
    }

    mutating func add(_ other: UseCounts) {
        people += other.people
        quietHours += other.quietHours
        digestMode += other.digestMode
        for (name, count) in other.frequencies { Self.count(name, count, &frequencies) }
        for (name, count) in other.presets { Self.count(name, count, &presets) }
    }

    private static func count(_ name: String, _ people: Int, _ counts: inout [String: Int]) {
        let count = counts[name, default: 0] + people
        counts[name] = count == 0 ? nil : count
    }
}
