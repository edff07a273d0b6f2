internal import CivilTime
internal import Notices

/// A path with places for names in it, such as `/v1/people/{user}/state`.
struct PathTemplate: Sendable, Equatable, ExpressibleByStringLiteral {
    enum Piece: Sendable, Equatable {
        case word(String)
        case place(PathVariable)
    }

    /// As it is written.
    let text: String
    let pieces: [Piece]
    /// Whether the last place takes all that is left of the path.
    let takesRest: Bool

    init(stringLiteral text: String) {
        self.text = text
        pieces = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { piece in
            guard piece.hasPrefix("{"), piece.hasSuffix("}") else { return .word(String(piece)) }
            guard let variable = PathVariable(rawValue: String(piece.dropFirst().dropLast())) else {
                preconditionFailure("\(piece) is no place in a path")
            }
            return .place(variable)
        }
        takesRest = pieces.last == .place(.rest)
        precondition(text.hasPrefix("/"), "a path begins with /")
    }

    var variables: [PathVariable] {
        pieces.compactMap { if case .place(let variable) = $0 { variable } else { nil } }
    }

    /// What stands in its places; `nil` for another path.
    func match(_ segments: [String]) -> [PathVariable: String]? {
        guard takesRest ? segments.count >= pieces.count : segments.count == pieces.count else { return nil }
        for (piece, segment) in zip(pieces, segments) {
            if case .word(let word) = piece, word != segment { return nil }
        }
        var found: [PathVariable: String] = [:]
        for (place, piece) in pieces.enumerated() {
            guard case .place(let variable) = piece else { continue }
            found[variable] =
                switch variable {
                case .rest: segments[place...].joined(separator: "/")
                case .user, .id, .name: Self.name(segments[place])
                case .seq: segments[place]
                }
        }
        return found
    }
}

extension PathTemplate {
    /// The ids that browsers and some proxies take for a way through the path, even percent-encoded.
    private static let dots = [".", ".."]

    /// An id as it stands in a path: `~.` is the id `.`. No id has a `~`, so each spelling has one meaning.
    private static func name(_ segment: String) -> String {
        guard segment.first == "~" else { return segment }
        let rest = String(segment.dropFirst())
        return dots.contains(rest) ? rest : segment
    }
}

/// What may stand in a place of a path.
enum PathVariable: String, Sendable, CaseIterable {
    /// Whom a request is about: what the rights of persons' tokens are held against (`G8`).
    case user
    /// An event's number.
    case seq
    /// What something was called when it was made.
    case id
    /// What a document is called.
    case name
    /// All that is left, slashes and all.
    case rest

    var shape: ValueShape {
        switch self {
        case .user, .id, .name: .identifier
        case .seq: .number(1...ValueShape.wholeNumberMax)
        case .rest: .text
        }
    }
}
