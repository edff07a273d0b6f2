import CivilTime
import Journal
import Notices
import Simulation
import Worker

/// A random history in a log on a simulated disk, and what that log comes to.
struct WrittenHistory {
    static let directory = "/data/log"
    static let path = "/data/log/state.snapshot"

    let history: RandomHistory
    let disk = SimulatedDisk()
    let beginning: Beginning
    private let options: JournalOptions

    init(_ recipe: RandomHistory.Recipe, segmentBytesMax: Int = 20_000) throws {
        history = RandomHistory(recipe)
        beginning = Beginning(
            history.plan, policy: ShippedPolicies.text(of: recipe.policy) ?? "", tzdb: ShippedPlans.zones.version)
        options = JournalOptions(segmentBytesMax: segmentBytesMax)
    }

    static func standard(seed: UInt64 = 7, _ policy: String = "standard") throws -> WrittenHistory {
        var recipe = RandomHistory.Recipe(seed: seed, policy: policy)
        recipe.factsMax = 120
        return try WrittenHistory(recipe)
    }

    /// Some of its commits, appended by a writer that closes the log behind them.
    func write(_ range: Range<Int>, on other: SimulatedDisk? = nil) throws {
        let journal = try Journal(Self.directory, on: other ?? disk, holder: "the test", options: options)
        for commit in history.commits[range] {
            _ = try journal.append(
                commit.map { Entry(user: $0.user, id: $0.id, occurredAt: $0.occurredAt, payload: $0.payload) },
                at: commit[0].at)
            try journal.commit()
        }
        try journal.close()
    }

    /// Takes a snapshot of what is there.
    @discardableResult
    func take(on other: SimulatedDisk? = nil, _ from: Beginning? = nil) throws -> SnapshotTaking.Report? {
        try SnapshotTaking(Self.directory, on: other ?? disk, from ?? beginning).run()
    }

    func load(
        on other: SimulatedDisk? = nil, _ from: Beginning? = nil, usingSnapshot: Bool = true, cores: Int = 1
    ) throws -> FoldedLog {
        var from = from ?? beginning
        from.cores = Cores(cores)
        return try FoldedLog.load(
            LogReader(Self.directory, on: other ?? disk), from, usingSnapshot: usingSnapshot)
    }
}

/// All that a log comes to, to be compared.
struct Outcome: Equatable {
    var people: KeptPeople
    var names: [String]
    var kinds: [KindRule]
    var ownKinds: Int
    var policy: Policy
    var outstanding: [Outstanding.Place]
    var head: LogHead

    init(_ folded: FoldedLog) {
        people = KeptPeople(folded.register)
        names = Array(folded.register.names)
        kinds = folded.register.plan.rules.kinds
        ownKinds = folded.register.plan.rules.ownKinds
        policy = folded.register.plan.policy
        outstanding = folded.outstanding.inOrder
        head = folded.head
    }
}
