extension WorkerCore {
    public struct Limits: Sendable {
        /// In one commit.
        public var factsPerTurn = 512
        public var wakesPerTurn = 2048
        public var wakesPerCommit = 256
        /// To how many people a policy that was adopted is applied in one turn, and in one commit.
        public var appliedPerTurn = 8192
        /// How long a turn goes on with each of the five: taking facts, forgetting texts, waking people, applying a policy to them, running
        /// them.
        /// What has been begun is done, and that is never more than one look at one person (`G11`).
        public var shareLasts = Duration.milliseconds(8)
        /// Bytes that may wait for the disk before nobody more is woken and no fact more is taken.
        public var unwrittenBytesMax = 4 << 20
        /// Of so many whom retention erases keys may be still to be destroyed, which a turn does of few pages, before nobody more is woken.
        public var leaversMax = 64

        public init() {}
    }
}
