public import CivilTime
public import Journal
internal import Notices

extension LiveWorker {
    /// What a worker looks like between two turns.
    public struct Standing: Sendable {
        public var durable: LogHead
        public var people: Int
        public var failure: JournalError?
        /// When somebody is due next. In the past where the worker does not keep up; `nil` for never, and before the first
        /// turn.
        public var nextWake: Instant?
        /// What the policy is called by which is decided.
        public var policy: String
        /// Since when a batch has been on its way to the disk, and in a cluster to the database; `nil` while none is.
        public var writingSince: ContinuousClock.Instant?

        init(of core: borrowing WorkerCore, writingSince: ContinuousClock.Instant? = nil) {
            self.writingSince = writingSince
            (durable, people, failure) = (core.durableHead, core.knownCount, core.failure)
            (nextWake, policy) = (core.wakeSeen, core.policy.name.text)
        }
    }
}
