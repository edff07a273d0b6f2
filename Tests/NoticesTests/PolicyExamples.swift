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
