public import Journal

/// Where those who follow the log get it from.
public struct EventSources: Sendable {
    public var directory: String
    public var disk: any Disk
    /// Up to where the log is durable. Must not wait.
    public var durable: @Sendable () -> LogHead
    /// The numbers of people, `nil` for those whom the log has not met. May wait a little; `nil` when nobody answers.
    public var numbers: @Sendable ([String]) -> [UInt32?]?
    /// Where the story of whoever bears an id, or of the one of a number, is found: the first `nil` when nobody answers, the
    /// second when nobody knows them.
    public var place: @Sendable (_ user: String, _ number: UInt32?) -> PersonPlace??
    /// Told why nobody who follows is told any more.
    public var failed: @Sendable (JournalError) -> Void = { _ in }

    public init(
        directory: String, disk: any Disk, durable: @escaping @Sendable () -> LogHead,
        numbers: @escaping @Sendable ([String]) -> [UInt32?]?,
        place: @escaping @Sendable (_ user: String, _ number: UInt32?) -> PersonPlace??
    ) {
        self.directory = directory
        self.disk = disk
        self.durable = durable
        self.numbers = numbers
        self.place = place
    }
}

/// How much those who follow the log may take up.
public struct EventLimits: Sendable {
    /// Of what was rendered lately so much is kept for those who are a little behind.
    public var keptBytesMax = 32 << 20
    /// Of what was read back from the log for those who are far behind so much waits to be sent.
    public var readBytesMax = 64 << 20
    /// How much of the log is gone through for one of them before it is another's turn.
    public var stepBytesMax = 4 << 20
    /// How much of the log is gone through to find the last few events of a type.
    public var backlogBytesMax = 1 << 30
    /// Once so many people's ids are kept in memory that were met since the log's index was written, a newer one is asked for.
    public var keptIdsMax = 1 << 20
    /// Between two looks at the log so long is left, so that many small commits are rendered and sent together.
    public var pace = Duration.milliseconds(20)

    public init() {}
}
