import Foundation
import Notices

/// A shipped policy made so impatient that something is due every second.
enum ChaosPolicy {
    static func text(of name: String) throws -> String {
        let shipped = Data((ShippedPolicies.text(of: name) ?? "").utf8)
        guard var document = try JSONSerialization.jsonObject(with: shipped) as? [String: Any] else { return "" }
        document["cooldown_minutes"] = name == "standard" ? 1 : 0
        document["overload"] = ["jobs": 4, "minutes": 1]
        document["bundle_minutes"] = 1
        if name == "standard" { document["daily_cap"] = 12 }
        return String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    }
}
