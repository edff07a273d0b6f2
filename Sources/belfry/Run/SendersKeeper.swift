import CivilTime
import Delivery
import Dispatch
import Notices
import Worker

/// What a worker asks of the senders as it decides.
struct SendersAsked: Sendable {
    var isRightCode: @Sendable (CodeOrder, String) -> Bool
    var inForce: @Sendable () -> SendersInForce

    func begin(asking core: WorkerCore) {
        core.isRightCode = isRightCode
        core.senders = inForce
    }
}

/// The senders' document that `run` was given, read again when it is told to.
final class SendersKeeper: Sendable {
    let office: PostOffice
    let texts: TextLedger
    let reading = FileReading()
    private let path: String
    private let ownSecret: [[UInt8]]
    private let rack: SinkRack
    private let openSenders = SenderRack()
    private let clock: @Sendable () -> Instant
    private let log: RunLog

    /// - Parameters:
    ///   - directory: the log's; the caller holds it.
    ///   - sinks: those of the command line.
    init(
        _ path: String, in directory: String, besides sinks: [(spec: SinkSpec, sink: any Sink)],
        _ clock: @escaping @Sendable () -> Instant, _ log: RunLog
    ) throws(Failure) {
        self.path = path
        let rack = SinkRack(sinks)
        self.rack = rack
        do throws(SendersError) {
            ownSecret = try OwnSecret.readOrMake(in: directory)
            texts = try TextLedger(in: directory)
        } catch {
            throw Failure(.environment, "\(error)")
        }
        self.clock = clock
        self.log = log
        do throws(SendersError) {
            let document = try SendersDocument.read(path)
            let senders = try OpenSenders(
                document, ownSecret: ownSecret, clock: clock, rack: rack, senders: openSenders)
            for warning in senders.warnings { log.warning("--senders \(path): \(warning)") }
            rack.takeNoMoreSpools()
            office = PostOffice(document, senders)
        } catch {
            throw Failure(.badInput, "--senders \(path): \(error)")
        }
    }

    // MARK: Codes for phones

    /// Whether a text is the code that was sent.
    private var isRightCode: @Sendable (CodeOrder, String) -> Bool {
        { [office] order, given in
            office.codes?.isRight(given, user: order.user, phone: order.phone, request: order.request) ?? false
        }
    }

    /// What a worker asks of the senders as it decides.
    var asked: SendersAsked { SendersAsked(isRightCode: isRightCode, inForce: { [office] in office.inForce }) }

    // MARK: Reading again

    /// Whether another document is in force now. One that is wrong changes nothing.
    func reread() -> Bool {
        do throws(SendersError) {
            let document = try SendersDocument.read(path)
            let senders = try OpenSenders(
                document, ownSecret: ownSecret, clock: clock, rack: rack, senders: openSenders)
            reading.ended(nil)
            guard !office.isInForce(document, senders) else {
                senders.close {}
                log.info("the senders' document has not changed", ("senders", path))
                return false
            }
            for warning in senders.warnings { log.warning("--senders \(path): \(warning)") }
            office.change(to: document, senders)
            log.info("the senders' document was read again", ("senders", path))
            return true
        } catch {
            let words = "the senders stay as they were: \(error)"
            reading.ended(words)
            log.error(words, ("senders", path))
            return false
        }
    }
}
