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

    public init(policy: String, zones: ZoneDatabase) throws(Refusal) {
        let rules = Rulebook(try Policy(document: policy))
        self.init(Plan(rules, zone: { try? zones.zone(named: $0) }), policy: policy, tzdb: zones.version)
    }

    public init(_ plan: Plan, policy: String, tzdb: String) {
        self.plan = plan
        self.policy = policy
        self.tzdb = tzdb
    }

    /// With the shipped `standard` policy.
    public static func standard(_ zones: ZoneDatabase) -> Beginning {
        guard let text = ShippedPolicies.text(of: "standard"),
            let beginning = try? Beginning(policy: text, zones: zones)
        else { preconditionFailure("the shipped standard policy cannot be read") }
        return beginning
    }
}
