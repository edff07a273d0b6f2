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
    private let log: RunLog
    private let inForce = Mutex(Adopted())
    private let wanted: String?

    /// The document that the log adopted last, whoever told it.
    private struct Adopted: Sendable {
        var text: String?
        var seq: UInt64 = 0
    }

    init(_ word: String?, _ world: World, _ zones: ZoneDatabase, _ log: RunLog) throws(Failure) {
        self.word = word
        self.world = world
        self.zones = zones
        self.log = log
        wanted = try word.map { word throws(Failure) in Self.compact(try world.policy(word, zones).text) }
    }

    /// What the log is to say of the policy when the worker starts.
    func name(inForce recorded: String?) -> String {
        let text = wanted ?? recorded ?? ShippedPolicies.text(of: "standard") ?? ""
        return (try? Policy(recorded: text))?.name.text ?? "unknown"
    }

    /// A log without a policy adopts one; so does one that has another than was named.
    func adopt(into opening: WorkerOpening) {
        let recorded = opening.policy.map(Self.compact)
        inForce.withLock { $0.text = recorded }
        let standard = recorded == nil ? ShippedPolicies.text(of: "standard").map(Self.compact) : nil
        guard let text = wanted ?? standard, text != recorded else { return }
        opening.core.ask(facts: [Self.fact(text)]) { [self] result in
            switch result {
            case .success(let receipts):
                if let problem = hear(text, receipts.first) { log.error("the policy is not adopted: \(problem)") }
            case .failure(let refusal): log.error("the policy could not be adopted: \(refusal)")
            }
        }
    }

    /// What was said of a policy that was told, by whomever, as the log has it. Returns why it was refused.
    @discardableResult
    func hear(_ text: String, _ receipt: FactReceipt?) -> FieldError? {
        switch receipt {
        case .recorded(let seq, _):
            // Answers may come in another order than the log has.
            inForce.withLock { if seq > $0.seq { $0 = Adopted(text: text, seq: seq) } }
            return nil
        case .refused(let problem): return problem
        case .duplicate, .leftOut, nil: return nil
        }
    }

    /// Reads the file again, and adopts what has changed.
    func reread(_ worker: LiveWorker, done: @escaping @Sendable () -> Void) {
        guard let word else {
            log.warning("no --policy was given, so there is none to read again")
            return done()
        }
        let text: String
        do throws(Failure) { text = Self.compact(try world.policy(word, zones).text) } catch {
            log.error("the policy stays as it was: \(error.message)", ("policy", word))
            return done()
        }
        guard inForce.withLock({ $0.text }) != text else {
            log.info("the policy has not changed", ("policy", word))
            return done()
        }
        let intake = worker.submit([Self.fact(text)], bytes: text.utf8.count) { [self] result in
            switch result {
            case .success(let receipts):
                if let problem = hear(text, receipts.first) {
                    log.error("the policy stays as it was: \(problem)", ("policy", word))
                } else {
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

    /// As a log has it: on one line.
    private static func compact(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            (try? JSONTape().parse(UnsafeRawBufferPointer(bytes))).map { JSONDocument($0).text }
        } ?? text
    }

    private static func fact(_ text: String) -> Fact {
        var adoption = PolicyAdopted()
        adoption.policy = JSONDocument(trusted: text)
        return Fact(payload: .policyAdopted(adoption))
    }
}
