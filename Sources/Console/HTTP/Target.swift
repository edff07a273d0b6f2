internal import Notices

/// A request's target taken apart: the path in decoded segments, the query in decoded pairs.
///
/// `%2F` in a segment is a slash in a name and separates nothing. A `+` is a plus sign, so that an instant's offset can
/// be written as it is.
struct Target: Sendable, Equatable {
    struct Problem: Error, Equatable {
        let text: String
    }

    struct Parameter: Sendable, Equatable {
        var name: String
        var value: String
    }

    let segments: [String]
    let parameters: [Parameter]

    init(_ raw: String) throws(Problem) {
        let origin = Self.withoutAuthority(raw)
        let parts = origin.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { throw Problem(text: "the path must begin with /") }
        var segments: [String] = []
        for piece in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = Self.decoded(piece) else { throw Problem(text: "the path \(Self.undecodable)") }
            segments.append(segment)
        }
        var parameters: [Parameter] = []
        let pieces = (parts.count > 1 ? parts[1] : "").split(separator: "&")
        guard pieces.count <= Self.parametersMax else {
            throw Problem(text: "the query has more than \(Self.parametersMax) parameters")
        }
        for piece in pieces {
            let pair = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count > 1 ? pair[1] : "") else {
                throw Problem(text: "the query \(Self.undecodable)")
            }
            parameters.append(Parameter(name: name, value: value))
        }
        self.segments = segments
        self.parameters = parameters
    }

    /// More than any address here takes.
    private static let parametersMax = 32
    private static let undecodable = "is not percent-encoded UTF-8"

    /// `http://host/path`, which a server must take as well (RFC 9112), means the path.
    private static func withoutAuthority(_ raw: String) -> Substring {
        let scheme = "http://"
        guard raw.prefix(scheme.count).isSameIgnoringCase(scheme) else { return raw[...] }
        let rest = raw.dropFirst(scheme.count)
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    }

    private static func decoded(_ piece: Substring) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.utf8.count)
        var rest = piece.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
