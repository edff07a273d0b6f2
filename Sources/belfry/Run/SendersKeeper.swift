import CivilTime
import Delivery

/// The senders' document that `run` was given, read again when it is told to.
final class SendersKeeper: Sendable {
    let office: PostOffice
    private let path: String
    private let ownSecret: [[UInt8]]
    private let clock: @Sendable () -> Instant
    private let log: RunLog

    /// - Parameter directory: the log's; the caller holds it.
    init(
        _ path: String, in directory: String, _ clock: @escaping @Sendable () -> Instant, _ log: RunLog
    ) throws(Failure) {
        self.path = path
        do throws(SendersError) { ownSecret = try OwnSecret.readOrMake(in: directory) } catch {
            throw Failure(.environment, "\(error)")
        }
        self.clock = clock
        self.log = log
        do throws(SendersError) {
            let document = try SendersDocument.read(path)
            let senders = try OpenSenders(document, ownSecret: ownSecret, clock: clock)
            for warning in senders.warnings { log.warning("--senders \(path): \(warning)") }
            office = PostOffice(document, senders)
        } catch {
            throw Failure(.badInput, "--senders \(path): \(error)")
        }
    }

    /// Whether another document is in force now. One that is wrong changes nothing.
    func reread() -> Bool {
        do throws(SendersError) {
            let document = try SendersDocument.read(path)
            let senders = try OpenSenders(document, ownSecret: ownSecret, clock: clock)
            for warning in senders.warnings { log.warning("--senders \(path): \(warning)") }
            office.change(to: document, senders)
            log.info("the senders' document was read again", ("senders", path))
            return true
        } catch {
            log.error("the senders stay as they were: \(error)", ("senders", path))
            return false
        }
    }
}
