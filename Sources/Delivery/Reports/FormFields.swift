/// The fields of a form or a query, in their order.
struct FormFields {
    private(set) var all: [(name: String, value: String)] = []

    /// Nobody who reports sends more; whoever does is anybody, and would have them sorted before a signature is looked at (`G11`).
    private static let fieldsMax = 256

    /// `nil` for what is no form.
    init?(_ text: some StringProtocol) {
        guard text.utf8.lazy.filter({ $0 == UInt8(ascii: "&") }).count < Self.fieldsMax else { return nil }
        for field in text.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : "") else {
                return nil
            }
            all.append((name, value))
        }
    }

    subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    private static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                    rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-")
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
