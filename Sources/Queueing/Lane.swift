internal import Foundation
internal import Synchronization

/// Threads reserved for one sort of work, behind a bounded queue.
///
/// Dispatch queues share a few threads, so slow work on one queue delays all the others. Work that must never
/// be delayed gets a lane (`G11`).
public final class Lane: Sendable {
    public enum Priority: Sendable {
        case usual
        /// Gives way to all other work of the program, where the system can do that for a thread (Linux).
        case behindOthers
    }

    /// Outlives the lane for as long as its threads do.
    private final class Place: Sendable {
        let line = Mutex(WaitingLine<@Sendable () -> Void>())
        let arrived = DispatchSemaphore(value: 0)

        func serve() {
            while true {
                arrived.wait()
                guard let work = line.withLock({ $0.popFirst() }) else { return }
                work()
            }
        }
    }

    private let place = Place()
    private let threads: Int
    private let waitingMax: Int

    /// - Parameter waitingMax: how much may wait for a thread.
    public init(_ name: String, threads: Int, waitingMax: Int, priority: Priority = .usual) {
        self.threads = threads
        self.waitingMax = waitingMax
        for _ in 0..<threads {
            Thread.detachNewThread { [place] in
                Thread.current.name = name
                if priority == .behindOthers { Self.giveWay() }
                place.serve()
            }
        }
    }

    /// What still waits is done first.
    deinit {
        for _ in 0..<threads { place.arrived.signal() }
    }

    /// First come, first served. `false` where too much waits already: then nothing is done.
    public func take(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = place.line.withLock { line in
            guard line.count < waitingMax else { return false }
            line.append(work)
            return true
        }
        if isTaken { place.arrived.signal() }
        return isTaken
    }

    /// Linux keeps a niceness for each thread; elsewhere it is the process's, and stays as it is.
    private static func giveWay() {
        #if canImport(Glibc)
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #elseif canImport(Musl)
            setpriority(PRIO_PROCESS, 0, 10)
        #endif
    }
}
