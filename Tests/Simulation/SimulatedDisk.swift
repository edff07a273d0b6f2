public import Journal
internal import Synchronization

/// A disk in memory that can lose power, fill up and fail, the same way each time for the same seed.
///
/// Every call that changes something is one numbered operation, counted from 1. A test runs its work once to learn
/// how many `operations` it takes, then again for each of them with `crash(after:)` or `faults` set, and looks at
/// what is `recovered`:
///
///     let disk = SimulatedDisk(seed: seed)
///     disk.crash(after: k)
///     let acknowledged = work(on: disk)              // until it throws SimulatedDisk.powerLost
///     let later = disk.recovered(.torn, seed: seed)  // the power is back
///     #expect(contents(of: later) >= acknowledged)
///
/// Absolute and relative paths start at the same root, which is there and durable. ".." is not followed.
public final class SimulatedDisk: Disk {
    /// The code of every error thrown once the power is gone. No system has such an `errno`.
    public static let powerLost: Int32 = 9999

    /// The user id that the simulated process acts as.
    public static let user: UInt32 = 1000

    let state: Mutex<State>
    /// Whoever keeps the keys of its logs forgets them with the power, as a program does.
    let keeper: (@Sendable () -> any KeyKeeper)?
    public let keys: (any KeyKeeper)?

    struct State: Sendable {
        var storage = SimulatedStorage()
        var ledger = OperationLedger()
        var handles: [Int32: Handle] = [:]
        var opened: Int32 = 2
        var capacity: Int?
        var readLimit: Int?
        var random: SeededRandom
    }

    struct Handle: Sendable {
        let node: SimulatedStorage.Node
        let isWritable: Bool
        var holdsLock = false
    }

    /// - Parameter keeper: makes one that keeps the keys of its logs; without it they have no seals.
    public convenience init(seed: UInt64 = 0, keeper: (@Sendable () -> any KeyKeeper)? = nil) {
        self.init(State(random: SeededRandom(seed: seed)), keeper)
    }

    init(_ state: State, _ keeper: (@Sendable () -> any KeyKeeper)?) {
        self.state = Mutex(state)
        self.keeper = keeper
        keys = keeper?()
    }
}

// MARK: - Counting, and what goes wrong

extension SimulatedDisk {
    /// How many operations there have been.
    public var operations: Int { state.withLock { $0.ledger.count } }

    /// The operations in words, for the message of a failed test; the one numbered n is at index n - 1.
    public var log: [String] { state.withLock { $0.ledger.log } }

    /// The operations that were syncs, by their number.
    public var syncs: [Int] {
        log.enumerated().filter { $0.element.contains(" sync") }.map { $0.offset + 1 }
    }

    /// False from the first call that came after the power was cut.
    public var isPowered: Bool { state.withLock { $0.ledger.isPowered } }

    /// Whether calls that change nothing are numbered operations too, and so can be made to fail.
    public var countReads: Bool {
        get { state.withLock { $0.ledger.countReads } }
        set { state.withLock { $0.ledger.countReads = newValue } }
    }

    /// What goes wrong, by the number of the operation.
    public var faults: [Int: Fault] {
        get { state.withLock { $0.ledger.faults } }
        set { state.withLock { $0.ledger.faults = newValue } }
    }

    /// The bytes that all files together may hold. A write that does not fit takes what fits, then comes ENOSPC.
    public var capacity: Int? {
        get { state.withLock { $0.capacity } }
        set { state.withLock { $0.capacity = newValue } }
    }

    /// The most bytes that one read gives, to try callers on short reads.
    public var readLimit: Int? {
        get { state.withLock { $0.readLimit } }
        set { state.withLock { $0.readLimit = newValue } }
    }

    /// Cuts the power when `k` operations have taken effect: the next one throws `powerLost`, and all calls after it.
    ///
    /// With `half`, operation `k` itself throws, having been done in part: a write or sync of a random part of it,
    /// any other operation at random wholly or not at all.
    public func crash(after k: Int, half: Bool = false) {
        state.withLock {
            $0.ledger.crashAfter = k
            $0.ledger.isLastHalfDone = half
        }
    }

    /// Fails with EIO every sync of a file or directory that is numbered above `n`.
    public func failEverySyncAfter(_ n: Int) {
        state.withLock { $0.ledger.lastSoundSync = n }
    }
}

// MARK: - What is left

extension SimulatedDisk {
    /// The disk after the power has gone (now, if it had not) and come back: nothing open, nothing locked, no
    /// faults and a new count. Whatever was synced is there; of the rest, what `fate` and `seed` leave.
    public func recovered(_ fate: Fate, seed: UInt64) -> SimulatedDisk {
        let restarted = restarted()
        restarted.state.withLock {
            $0.random = SeededRandom(seed: seed)
            $0.storage.losePower(fate, &$0.random)
        }
        return restarted
    }

    /// The disk after the death of the process alone: nothing open, nothing locked, no faults and a new count.
    /// What was written is there to be read, and what was not synced still is not.
    public func restarted() -> SimulatedDisk {
        let copy = copy()
        copy.state.withLock {
            let countReads = $0.ledger.countReads
            $0.ledger = OperationLedger()
            $0.ledger.countReads = countReads
            $0.handles.removeAll()
        }
        return copy
    }

    /// A second disk in the same state, open files and all, that goes its own way from here.
    public func copy() -> SimulatedDisk {
        SimulatedDisk(state.withLock { $0 }, keeper)
    }
}
