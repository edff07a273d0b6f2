import Shared
import Synchronization

/// Copies on this worker's disk that could not be used: their partitions are left alone for a while, longer each time, so that another
/// worker may have them, and all others go on here (`M4`). Where no other lives, for a moment.
///
/// Whoever has such a partition meanwhile is asked for it again only when it was found here that the copy can be used.
final class TroubledCopies: Sendable {
    private struct Standing: Sendable {
        var words: String
        var times = 0
        var since: BootInstant
        var pause: Duration
        /// Whether no more is known than that it cannot be read, as whoever looks at all copies sees.
        var isUnread: Bool

        func end(isAlone: Bool) -> BootInstant { since + (isAlone ? min(pause, TroubledCopies.pauseAlone) : pause) }
    }

    private struct State: Sendable {
        var standings: [Int: Standing] = [:]
        var isAlone = false

        func isLeftAlone(_ partition: Int, at now: BootInstant) -> Bool {
            standings[partition].map { now < $0.end(isAlone: isAlone) } ?? false
        }
    }

    private let lifetime: Duration
    private let state = Mutex(State())

    /// In lifetimes of a lease. After two of them anybody takes what its next owner has let lie.
    static let pauseFirst = 4
    static let pauseMost = 32
    /// Nobody else can have it. What held a copy for a moment is to cost no more than that.
    static let pauseAlone = Duration.seconds(1)

    /// - Parameter lifetime: a lease's.
    init(lifetime: Duration) { self.lifetime = lifetime }

    /// - Parameter others: how many other workers live and stay.
    func see(others: Int) { state.withLock { $0.isAlone = others == 0 } }

    /// - Returns: for how long the partition is left alone.
    func note(_ partition: Int, _ words: String, at now: BootInstant) -> Duration {
        note(partition, words, isUnread: false, at: now)
    }

    /// A look at all copies found one that cannot be read.
    ///
    /// - Returns: for how long the partition is left alone; `nil` where it is already.
    func noteUnread(_ partition: Int, _ words: String, at now: BootInstant) -> Duration? {
        if state.withLock({ $0.isLeftAlone(partition, at: now) }) { return nil }
        return note(partition, words, isUnread: true, at: now)
    }

    private func note(_ partition: Int, _ words: String, isUnread: Bool, at now: BootInstant) -> Duration {
        state.withLock { state in
            let known = state.standings[partition]
            let times = known?.times ?? 0
            let standing = Standing(
                words: words, times: state.isAlone ? times : times + 1, since: now,
                pause: lifetime * min(Self.pauseMost, Self.pauseFirst << min(times, 8)),
                // What could not be opened is not mended by being read.
                isUnread: isUnread && known?.isUnread ?? true)
            state.standings[partition] = standing
            return standing.end(isAlone: state.isAlone) - now
        }
    }

    /// It was opened here.
    func mended(_ partition: Int) { state.withLock { $0.standings[partition] = nil } }

    /// It can be read.
    func wasRead(_ partition: Int) {
        state.withLock { if $0.standings[partition]?.isUnread == true { $0.standings[partition] = nil } }
    }

    /// The partitions that are not to be taken yet.
    func leftAlone(at now: BootInstant) -> Set<Int> {
        state.withLock { state in Set(state.standings.keys.filter { state.isLeftAlone($0, at: now) }) }
    }

    /// What was found last of each copy that could not be used, and can perhaps not be used now.
    var all: [Int: String] { state.withLock { $0.standings.mapValues(\.words) } }
}
