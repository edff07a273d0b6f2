import CivilTime
import Console
import Delivery
import Dispatch
import Foundation

/// The file with the operators' tokens that `run` was given, read again when it changes: whoever is revoked there is out.
///
/// Safe to share: the timer is made once, and everything else is done on the queue.
final class TokensKeeper: @unchecked Sendable {
    private let path: String
    private let keeper: Doorkeeper
    let reading = FileReading()
    private let log: RunLog
    private let queue = DispatchQueue(label: "belfry.tokens", qos: .utility)
    private let timer: any DispatchSourceTimer
    /// What the file looked like when it was read last; the queue's.
    private var seen: FileLook?

    init(_ path: String, _ keeper: Doorkeeper, _ world: World, _ log: RunLog) throws(Failure) {
        self.path = path
        self.keeper = keeper
        self.log = log
        timer = DispatchSource.makeTimerSource(queue: queue)
        // At once, though it is not armed: Dispatch traps when a source is given up that never was active.
        timer.activate()
        // Before it is read: a change in between is seen as one.
        seen = FileLook(path)
        let (tokens, warning) = try TokensFile.read(path)
        if let warning { log.warning("--tokens: \(warning)") }
        keeper.change(operators: tokens)
    }

    /// Looks every second whether the file is another.
    func watch() {
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(100))
    }

    func stop() { timer.cancel() }

    private func look() {
        if FileLook(path) != seen { readAgain() }
    }

    /// One that is wrong changes nothing, and it is said. What was read last is in force, whoever wanted it read.
    func reread() { queue.sync { readAgain() } }

    private func readAgain() {
        seen = FileLook(path)
        do throws(Failure) {
            let (tokens, warning) = try TokensFile.read(path)
            if let warning { log.warning("--tokens: \(warning)") }
            keeper.change(operators: tokens)
            reading.ended(nil)
            log.info("the operators' tokens were read again", ("tokens", "\(tokens.entries.count)"))
        } catch {
            let words = "the operators' tokens stay as they were: \(error.sentence)"
            reading.ended(words)
            log.error(words)
        }
    }
}

/// What tells that a file is another than it was.
private struct FileLook: Equatable {
    private let node: UInt64
    private let size: Int64
    /// When what is in it was changed, and when whose it is, and who may read it.
    private let times: [Int]

    /// `nil` where there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        node = UInt64(status.st_ino)
        size = Int64(status.st_size)
        #if os(Linux)
            let (changed, handed) = (status.st_mtim, status.st_ctim)
        #else
            let (changed, handed) = (status.st_mtimespec, status.st_ctimespec)
        #endif
        times = [changed.tv_sec, changed.tv_nsec, handed.tv_sec, handed.tv_nsec]
    }
}
