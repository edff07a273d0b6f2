internal import CivilTime
internal import Notices

/// How reports write what they are made of.
extension JSONValue {
    static func count(_ number: Int) -> JSONValue { .number("\(number)") }
    static func instant(_ instant: Instant?) -> JSONValue { instant.map { .string("\($0)") } ?? .null }
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func stretches(_ stretches: [Range<Instant>]) -> JSONValue {
        .array(
            stretches.map {
                .object([.init("from", .instant($0.lowerBound)), .init("to", .instant($0.upperBound))])
            })
    }
}
