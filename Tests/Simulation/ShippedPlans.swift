package import CivilTime
package import Notices

/// The shipped policies made ready once, and the machine's zones, for every simulation that needs them.
package enum ShippedPlans {
    package static let zones: ZoneDatabase = {
        do { return try ZoneDatabase() } catch { preconditionFailure("no tz database: \(error)") }
    }()

    private static let plans = Dictionary(
        uniqueKeysWithValues: ShippedPolicies.names.map { name in
            (name, plan(document: ShippedPolicies.text(of: name) ?? ""))
        })

    package static subscript(_ name: String) -> Plan {
        guard let plan = plans[name] else { preconditionFailure("no policy \(name) is shipped") }
        return plan
    }

    package static func plan(document: String) -> Plan {
        do {
            return Plan(Rulebook(try Policy(document: document)), zone: { try? zones.zone(named: $0) })
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
