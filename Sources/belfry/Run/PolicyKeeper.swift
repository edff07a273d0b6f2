import CivilTime
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// Which policy the worker is to have, as the command line names it: adopted as a fact where the log has another.
final class PolicyKeeper: Sendable {
    private let word: String?
    private let world: World
    private let zones: ZoneDatabase
    /// The document that the log has adopted, as far as is known here.
    private let adopted = Mutex<String?>(nil)
    private let wanted: String?

    init(_ word: String?, _ world: World, _ zones: ZoneDatabase) throws(Failure) {
        self.word = word
        self.world = world
        self.zones = zones
        wanted = try word.map { word throws(Failure) in try world.policy(word, zones).text }
    }

    /// What the log is to say of the policy when the worker starts.
    func name(inForce recorded: String?) -> String {
        let text = wanted ?? recorded ?? ShippedPolicies.text(of: "standard") ?? ""
        return (try? Policy(recorded: text))?.name.text ?? "unknown"
    }

    /// A log without a policy adopts one; so does one that has another than was named.
    func adopt(into opening: WorkerOpening) {
        let recorded = opening.policy
        adopted.withLock { $0 = recorded }
        guard let text = wanted ?? (recorded == nil ? ShippedPolicies.text(of: "standard") : nil), text != recorded
        else { return }
        adopted.withLock { $0 = text }
        opening.core.ask(facts: [Self.fact(text)]) { _ in }
    }

    /// Reads the file again, and adopts what has changed.
    func reread(_ worker: LiveWorker, _ log: RunLog, done: @escaping @Sendable () -> Void) {
        guard let word else {
            log.warning("no --policy was given, so there is none to read again")
            return done()
        }
        let text: String
        do throws(Failure) { text = try world.policy(word, zones).text } catch {
            log.error("the policy stays as it was: \(error.message)", ("policy", word))
            return done()
        }
        guard adopted.withLock({ $0 }) != text else {
            log.info("the policy has not changed", ("policy", word))
            return done()
        }
        let intake = worker.submit([Self.fact(text)], bytes: text.utf8.count) { [self] result in
            switch result {
            case .success(let receipts):
                if case .refused(let problem)? = receipts.first {
                    log.error("the policy stays as it was: \(problem)", ("policy", word))
                } else {
                    adopted.withLock { $0 = text }
                    log.info("another policy is in force", ("policy", word))
                }
            case .failure(let refusal): log.error("the policy could not be adopted: \(refusal)")
            }
            done()
        }
        guard intake != .taken else { return }
        log.error("the worker is too busy to adopt the policy; send SIGHUP again")
        done()
    }

    private static func fact(_ text: String) -> Fact {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: text)
        return Fact(payload: .policyAdopted(adoption))
    }
}
