import Foundation
import Synchronization

/// What a child process says on its standard error: the first of it is kept, and the rest is read all the same, since a child whose pipe
/// is full never ends.
final class ChildWords: Sendable {
    private let kept = Mutex<[UInt8]>([])
    private let ended = DispatchSemaphore(value: 0)
    private static let keptMax = 4096

    /// - Parameter pipe: of a child that runs.
    func begin(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while let piece = try? handle.read(upToCount: Self.keptMax), !piece.isEmpty {
                kept.withLock { $0 += piece.prefix(Self.keptMax - $0.count) }
            }
            ended.signal()
        }
    }

    /// Waits until the child has said all.
    var text: String {
        ended.wait()
        ended.signal()
        return String(decoding: kept.withLock { $0 }, as: UTF8.self)
    }
}
