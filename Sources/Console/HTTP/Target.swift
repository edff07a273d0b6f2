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
            guard let segment = PercentCoding.decoded(piece.utf8) else {
                throw Problem(text: "the path \(Self.undecodable)")
            }
            segments.append(segment)
        }
        var parameters: [Parameter] = []
        let pieces = (parts.count > 1 ? parts[1] : "").split(separator: "&")
        guard pieces.count <= Self.parametersMax else {
            throw Problem(text: "the query has more than \(Self.parametersMax) parameters")
        }
        for piece in pieces {
            let pair = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let raw = pair.count > 1 ? pair[1] : ""
            guard let name = PercentCoding.decoded(pair[0].utf8), let value = PercentCoding.decoded(raw.utf8) else {
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
}
