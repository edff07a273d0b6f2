import CivilTime
import Notices

extension CommandSpec {
    static let policy = Option(
        name: "--policy", value: "P", help: "a shipped policy's name, or a file with a policy document",
        completion: .wordsOrFile(ShippedPolicies.names))
}

extension Arguments {
    /// To be asked before either is read: standard input gives what it holds once, so whichever came second would find nothing.
    func checkStandardInput(_ spec: CommandSpec) throws(Failure) {
        guard positional == "-", self[CommandSpec.policy] == "-" else { return }
        throw .usage("FILE and --policy cannot both be standard input (-); name a file for one of them", spec)
    }
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
