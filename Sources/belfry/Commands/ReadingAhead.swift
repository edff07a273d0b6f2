import CivilTime
import Foundation
import Synchronization

/// A history whose lines are read on a core of their own, some blocks ahead of whoever decides about them.
final class ReadingAhead: Sendable {
    private let blocks = Mutex<[HistoryLines.Block]>([])
    private let arrived = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    private static let blocksMax = 16

    init(descriptor: Int32, _ zones: ZoneDatabase) {
        // Not from the beginning: whoever is done early leaves less room than there was, which Dispatch takes for a mistake.
        for _ in 0..<Self.blocksMax { room.signal() }
        Thread.detachNewThread { [self] in
            var lines = HistoryLines(descriptor: descriptor, zones)
            while true {
                room.wait()
                if isStopped.load(ordering: .acquiring) { return }
                let block = lines.next()
                blocks.withLock { $0.append(block) }
                arrived.signal()
                if block.end != nil { return }
            }
        }
    }

    /// Not to be called behind the end.
    func next() -> HistoryLines.Block {
        arrived.wait()
        defer { room.signal() }
        return blocks.withLock { $0.removeFirst() }
    }

    /// Nobody wants any more.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        room.signal()
    }
}
