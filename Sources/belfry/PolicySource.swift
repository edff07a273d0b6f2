import CivilTime
import Foundation
import Notices

extension CommandSpec {
    static let policy = Option(
        name: "--policy", value: "P", help: "a shipped policy's name, or a file with a policy document",
        completion: .words(ShippedPolicies.names))
}

extension World {
    /// A policy by what was given for it: a shipped name, or a file.
    func policy(_ word: String, _ zones: ZoneDatabase) throws(Failure) -> Policy {
        let document = try policyDocument(word, zones)
        do throws(Refusal) { return try Policy(document: document) } catch {
            throw Failure(.badInput, "\(word): \(error)")
        }
    }

    /// Its text, known to be a good policy.
    func policyDocument(_ word: String, _ zones: ZoneDatabase) throws(Failure) -> String {
        if let shipped = ShippedPolicies.text(of: word) { return shipped }
        guard let bytes = FileManager.default.contents(atPath: word) else {
            let nearest = NearestName.of(word, among: ShippedPolicies.names).map { "; did you mean \($0)?" } ?? ""
            throw Failure(
                .badInput,
                "there is no policy \"\(word)\" (shipped: \(ShippedPolicies.names.joined(separator: ", "))) and no file of that name\(nearest)"
            )
        }
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(Refusal) { _ = try Policy(document: text) } catch {
            throw Failure(.badInput, "\(word): \(error)")
        }
        return text
    }
}
