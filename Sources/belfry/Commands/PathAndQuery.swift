import Console
import Notices

/// A question as a worker is asked it: path and query.
struct PathAndQuery {
    let text: String

    /// - Parameter parameters: those without a value are left out.
    init(_ path: String, _ parameters: [(name: String, value: String?)]) {
        let query = parameters.compactMap { parameter in
            parameter.value.map { "\(parameter.name)=\(PercentCoding.escaped($0))" }
        }
        text = "\(path)\(query.isEmpty ? "" : "?")\(query.joined(separator: "&"))"
    }

    /// One about a person; `nil` for what is no id.
    init?(_ word: String, about user: String, _ parameters: [(name: String, value: String?)]) {
        guard Identifier.isAccepted(user) else { return nil }
        self.init("/v1/people/\(user)/\(word)", parameters)
    }
}
