internal import CivilTime
internal import Notices

/// How reports write what they are made of.
extension JSONValue {
    static func count(_ number: Int) -> JSONValue { .number("\(number)") }
    static func instant(_ instant: Instant?) -> JSONValue { instant.map { .string("\($0)") } ?? .null }
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// What lies behind the last instant that can be written is left out.
    static func stretches(_ stretches: [Range<Instant>]) -> JSONValue {
        .array(
            stretches.map { (JSONValue.instant($0.lowerBound), JSONValue.instant($0.upperBound)) }
                .filter { $0.0 != $0.1 }
                .map { .object([.init("from", $0.0), .init("to", $0.1)]) })
    }
}
