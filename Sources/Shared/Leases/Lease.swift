internal import Synchronization

/// A worker's lease, asked by its queue and kept by its heartbeat.
public final class Lease: Sendable {
    public let worker: WorkerID
    public let terms: LeaseTerms
    private let trust: Mutex<LeaseTrust>
    private let clock: @Sendable () -> BootInstant

    public init(
        of worker: WorkerID, _ terms: LeaseTerms, clock: @escaping @Sendable () -> BootInstant
    ) {
        self.worker = worker
        self.terms = terms
        self.clock = clock
        trust = Mutex(LeaseTrust(terms))
    }

    /// Whether the worker may decide now. Never waits for the database.
    public var mayDecide: Bool {
        let now = clock()
        return trust.withLock { trust in
            trust.lookForLapse(at: now)
            return trust.mayDecide(at: now)
        }
    }

    /// See `LeaseTrust.unbrokenSince`.
    public var unbrokenSince: BootInstant? {
        let now = clock()
        return trust.withLock { trust in
            trust.lookForLapse(at: now)
            return trust.unbrokenSince(at: now)
        }
    }

    /// See `LeaseTrust.age`.
    public var age: Duration? {
        let now = clock()
        return trust.withLock { $0.age(at: now) }
    }

    /// See `LeaseTrust.mustLook`.
    public var mustLook: Bool {
        let now = clock()
        return trust.withLock { trust in
            trust.lookForLapse(at: now)
            return trust.mustLook
        }
    }

    /// The database has forgotten the worker: it begins again with a new id.
    public var isOver: Bool { trust.withLock { $0.isOver } }

    /// The worker ends this life by itself: from now on it decides nothing, and whatever is told as one that lives does not reach it.
    public func end() { trust.withLock { $0.gone() } }

    /// Asks the database for a renewal, or makes the worker known, and trusts what was confirmed from the sending on.
    ///
    /// - Returns: whether the database knows the worker.
    @discardableResult
    public func extend(by ask: () throws(SharedLogError) -> Bool) throws(SharedLogError) -> Bool {
        let sent = clock()
        let isKnown = try ask()
        let now = clock()
        trust.withLock { trust in
            if isKnown { trust.renewed(sent: sent, now: now) } else { trust.gone() }
        }
        return isKnown
    }

    /// Reads who owns what. After a lapse the worker decides again, and hands out again, when it has dropped what is its own no more.
    ///
    /// - Parameter drop: drops it, however long that takes.
    public func look(
        _ ask: () throws(SharedLogError) -> ClusterView, drop: (ClusterView) -> Void
    ) throws(SharedLogError) -> ClusterView {
        let asked = clock()
        let view = try ask()
        drop(view)
        let now = clock()
        trust.withLock { $0.looked(asked: asked, now: now) }
        return view
    }
}
