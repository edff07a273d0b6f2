import Console
import Notices

/// A question as a worker is asked it: path and query.
struct PathAndQuery {
    let text: String

    /// - Parameter parameters: those without a value are left out.
    init(_ path: String, _ parameters: [(name: String, value: String?)]) {
        let query = parameters.compactMap { parameter in
            parameter.value.map { "\(parameter.name)=\(Self.escaped($0))" }
        }
        text = "\(path)\(query.isEmpty ? "" : "?")\(query.joined(separator: "&"))"
    }

    /// One about a person; `nil` for what is no id.
    init?(_ word: String, about user: String, _ parameters: [(name: String, value: String?)]) {
        guard Identifier.isAccepted(user) else { return nil }
        self.init("/v1/people/\(user)/\(word)", parameters)
    }

    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
