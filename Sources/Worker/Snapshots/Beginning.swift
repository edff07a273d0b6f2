public import CivilTime
public import Notices

/// What a log is folded from: the policy in force until it adopts its first, and the machine's zones.
///
/// A snapshot with another beginning is not what this program would fold.
public struct Beginning: Sendable {
    public let plan: Plan
    /// The document of the plan's policy.
    public let policy: String
    /// The version of the tz database that the plan's zones are of (`T1`).
    public let tzdb: String
    /// Told now and then up to which byte a log has been folded, on the thread that folds it.
    public var meanwhile: (@Sendable (_ position: Int) -> Void)?

    /// The cores that fold a log from its first event. It comes to the same whatever they are.
    public var cores = Cores.one
    /// The zones anew, for another core.
    private let zonesApart: @Sendable () -> @Sendable (String) -> ZoneRules?

    public init(policy: String, zones: ZoneDatabase) throws(Refusal) {
        let plan = Plan(Rulebook(try Policy(document: policy)), zone: { try? zones.zone(named: $0) })
        self.init(plan, policy: policy, tzdb: zones.version) {
            guard let apart = try? ZoneDatabase(directory: zones.directory), apart.version == zones.version else {
                return plan.zone
            }
            return { try? apart.zone(named: $0) }
        }
    }

    public init(_ plan: Plan, policy: String, tzdb: String) {
        self.init(plan, policy: policy, tzdb: tzdb) { plan.zone }
    }

    private init(
        _ plan: Plan, policy: String, tzdb: String,
        zonesApart: @escaping @Sendable () -> @Sendable (String) -> ZoneRules?
    ) {
        self.plan = plan
        self.policy = policy
        self.tzdb = tzdb
        self.zonesApart = zonesApart
    }

    var onOneCore: Beginning {
        var beginning = self
        beginning.cores = .one
        return beginning
    }

    /// The plan, and one like it for each further core: counting references to objects that cores share would slow all of them.
    var planOfEachCore: [Plan] {
        [plan] + (1..<cores.count).map { _ in Plan(Rulebook(plan.policy), zone: zonesApart()) }
    }

    /// With the shipped `standard` policy.
    public static func standard(_ zones: ZoneDatabase) -> Beginning {
        guard let text = ShippedPolicies.text(of: "standard"),
            let beginning = try? Beginning(policy: text, zones: zones)
        else { preconditionFailure("the shipped standard policy cannot be read") }
        return beginning
    }
}
