import Shared
import Synchronization

/// Copies on this worker's disk that could not be used: their partitions are left alone for a while, longer each time, so that another
/// worker may have them, and all others go on here (`M4`).
///
/// Whoever has such a partition meanwhile is asked for it again only when it was found here that the copy can be used.
final class TroubledCopies: Sendable {
    private struct Standing: Sendable {
        var words: String
        var times = 0
        var until: BootInstant
    }

    private let lifetime: Duration
    private let standings = Mutex<[Int: Standing]>([:])

    /// In lifetimes of a lease. After two of them anybody takes what its next owner has let lie.
    static let pauseFirst = 4
    static let pauseMost = 32

    /// - Parameter lifetime: a lease's.
    init(lifetime: Duration) { self.lifetime = lifetime }

    /// - Returns: for how long the partition is left alone.
    func note(_ partition: Int, _ words: String, at now: BootInstant) -> Duration {
        standings.withLock { standings in
            let times = standings[partition]?.times ?? 0
            let pause = lifetime * min(Self.pauseMost, Self.pauseFirst << min(times, 8))
            standings[partition] = Standing(words: words, times: times + 1, until: now + pause)
            return pause
        }
    }

    /// It was opened here.
    func mended(_ partition: Int) { standings.withLock { $0[partition] = nil } }

    /// The partitions that are not to be taken yet.
    func leftAlone(at now: BootInstant) -> Set<Int> {
        standings.withLock { Set($0.filter { now < $0.value.until }.keys) }
    }

    /// What was found last of each copy that could not be used and was not opened since.
    var all: [Int: String] { standings.withLock { $0.mapValues(\.words) } }
}
