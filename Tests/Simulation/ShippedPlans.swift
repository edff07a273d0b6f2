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
        })

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
