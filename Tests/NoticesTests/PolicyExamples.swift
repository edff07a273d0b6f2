import CivilTime
import Notices
import Testing

func shipped(_ name: String) throws -> Rulebook {
    Rulebook(try Policy(document: try #require(ShippedPolicies.text(of: name))))
}

func time(_ text: String) -> LocalTime {
    guard let time = LocalTime(text) else { preconditionFailure("\(text) is no time") }
    return time
}

func json(_ text: String) -> JSONValue {
    guard let value = JSONValue(parsing: text) else { preconditionFailure("not JSON: \(text)") }
    return value
}

/// Why a document may not be adopted; `nil` for one that may.
func policyRefusal(_ text: String) -> String? {
    do {
        _ = try Policy(document: text) { $0.hasPrefix("Mars/") ? "\($0) is not a time zone" : nil }
        return nil
    } catch { return "\(error)" }
}

/// A policy of one kind on request, with more fields of the policy and of the kind.
func smallPolicy(_ fields: String = "", kind: String = "", others: String = "") -> String {
    #"{"name":"small"\#(fields),"kinds":[{"name":"note","on_request":true\#(kind)}\#(others)]}"#
}
