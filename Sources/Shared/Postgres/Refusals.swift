/// What the server's and libpq's words mean for whoever asked.
extension SharedLogError {
    /// - Parameter changes: whether the statement would have changed something.
    init(_ failure: LinkFailure, changes: Bool) {
        switch failure {
        case .turnedAway(let words): self = Self.atTheDoor(words)
        case .refused(let words): self = Self.meaning(of: words)
        case .broken(let words): self = changes ? .unknown(words) : .unreachable(words)
        case .late:
            let words = "it did not answer in time"
            self = changes ? .unknown(words) : .unreachable(words)
        }
    }

    private static func meaning(of words: ServerWords) -> SharedLogError {
        switch words.state {
        case "25006": .readOnly
        case "42501": .noRights(words.message)
        case "53100": .full(words.message)
        case "55P03": .busy
        case "57014": .canceled(words.message)
        case let state where state.hasPrefix("53"): .overloaded(words.message)
        default: .refused(state: words.state, words.message)
        }
    }

    private static func atTheDoor(_ words: ServerWords) -> SharedLogError {
        switch words.state {
        case "3D000": .noDatabase(words.message)
        case let state where state.hasPrefix("28"): .loginRefused(words.message)
        case let state where state.hasPrefix("53"): .overloaded(words.message)
        case "42501": .noRights(words.message)
        default: .unreachable(words.message)
        }
    }
}
