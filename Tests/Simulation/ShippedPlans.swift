public import CivilTime
public import Notices

/// The shipped policies made ready once, and the machine's zones, for every simulation that needs them.
public enum ShippedPlans {
    public static let zones: ZoneDatabase = {
        do { return try ZoneDatabase() } catch { preconditionFailure("no tz database: \(error)") }
    }()

    private static let plans = Dictionary(
        uniqueKeysWithValues: ShippedPolicies.names.map { name in
            (name, plan(document: ShippedPolicies.text(of: name) ?? ""))
        } + [("goals", plan(document: goals))])

    /// `microcommit` without what facts raise by themselves (C7): for whatever is not about that.
    public static let goals: String = {
        guard let whole = JSONValue(parsing: ShippedPolicies.text(of: "microcommit") ?? "") else {
            preconditionFailure("microcommit is no JSON")
        }
        func members(_ value: JSONValue) -> [JSONValue.Member] { if case .object(let all) = value { all } else { [] } }
        return JSONValue.object(
            members(whole).map { member in
                guard member.key == "kinds", case .array(let kinds) = member.value else { return member }
                let asked = kinds.map { JSONValue.object(members($0).filter { $0.key != "raised_by" }) }
                return .init("kinds", .array(asked))
            }
        ).text
    }()

    public static subscript(_ name: String) -> Plan {
        guard let plan = plans[name] else { preconditionFailure("no policy \(name) is shipped") }
        return plan
    }

    public static func plan(document: String) -> Plan {
        do {
            return Plan(Rulebook(try Policy(document: document)), zone: { try? zones.zone(named: $0) })
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
