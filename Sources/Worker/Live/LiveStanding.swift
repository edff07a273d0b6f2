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

        init(of core: borrowing WorkerCore) {
            (durable, people, failure) = (core.durableHead, core.knownCount, core.failure)
            (nextWake, policy) = (core.wakeSeen, core.policy.name.text)
        }
    }
}
