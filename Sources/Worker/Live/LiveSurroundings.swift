public import CivilTime
public import Journal

extension LiveWorker {
    /// What the worker does to its surroundings. Called on its queue; must not wait.
    public struct Surroundings: Sendable {
        public var clock: @Sendable () -> Instant
        /// Jobs whose commits are durable.
        public var handOver: @Sendable ([EventPlace]) -> Void
        /// Analyses whose commits are durable.
        public var analyse: @Sendable ([AnalysisWanted]) -> Void
        /// The log takes nothing more (`G4`): the process is to end.
        public var failed: @Sendable (JournalError) -> Void
        /// The log could not be read where a job stands that is to be sent. That is tried again.
        public var unread: @Sendable (JournalError) -> Void
        /// The clock was set, by somebody or something.
        public var clockWasSet: @Sendable () -> Void
        /// Codes that are to be sent to phones.
        public var sendCodes: @Sendable ([CodeOrder]) -> Void
        /// People whom retention has erased, durably.
        public var erased: @Sendable ([ErasedPerson]) -> Void
        /// Texts that are erased, durably.
        public var textsErased: @Sendable (ErasedTexts) -> Void
        /// More of the log is durable than was before.
        public var grew: @Sendable () -> Void
        /// Whether the worker may decide at this moment: no other may be doing so (`M4`).
        public var mayDecide: @Sendable () -> Bool
        /// Where batches have to be before they are acknowledged, besides the disk; `nil` where the disk is all there is.
        public var elsewhere: (any BatchTaker)?

        public init(
            clock: @escaping @Sendable () -> Instant, handOver: @escaping @Sendable ([EventPlace]) -> Void,
            analyse: @escaping @Sendable ([AnalysisWanted]) -> Void = { _ in },
            failed: @escaping @Sendable (JournalError) -> Void,
            unread: @escaping @Sendable (JournalError) -> Void = { _ in },
            clockWasSet: @escaping @Sendable () -> Void = {},
            sendCodes: @escaping @Sendable ([CodeOrder]) -> Void = { _ in },
            erased: @escaping @Sendable ([ErasedPerson]) -> Void = { _ in },
            textsErased: @escaping @Sendable (ErasedTexts) -> Void = { _ in },
            grew: @escaping @Sendable () -> Void = {}, mayDecide: @escaping @Sendable () -> Bool = { true },
            elsewhere: (any BatchTaker)? = nil
        ) {
            (self.mayDecide, self.elsewhere) = (mayDecide, elsewhere)
            self.clock = clock
            self.handOver = handOver
            self.analyse = analyse
            self.failed = failed
            self.unread = unread
            self.clockWasSet = clockWasSet
            self.sendCodes = sendCodes
            (self.erased, self.textsErased) = (erased, textsErased)
            self.grew = grew
        }
    }
}
