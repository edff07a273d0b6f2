import CivilTime
import Notices

extension CommandSpec {
    static let policy = Option(
        name: "--policy", value: "P", help: "a shipped policy's name, or a file with a policy document",
        completion: .wordsOrFile(ShippedPolicies.names))
}

extension World {
    /// The policy that was named, read and known to be good.
    func policy(
        _ word: String, _ zones: ZoneDatabase, isReadAgain: Bool = false
    ) throws(Failure) -> (policy: Policy, text: String) {
        let document = try PolicyDocument(named: word, isReadAgain: isReadAgain)
        switch document.reading(zones: zones) {
        case .success(let policy): return (policy, document.text)
        case .failure(let refusals):
            throw Failure(.badInput, refusals.lines.map { "\(word): \($0)" })
        }
    }
}
