public import CivilTime

/// The log and people's feeds as they grow (`V4`, `V5`).
public struct StreamService: Sendable {
    /// Events of the log, whole or for as long as somebody reads them.
    public var events: @Sendable (EventsOrder, Asker, @escaping @Sendable (StreamAnswer) -> Void) -> Void
    /// One event by its number, with what it follows from and what follows from it, as JSON.
    public var event: @Sendable (EventOrder, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// Where the log ends, or each of several.
    public var head: @Sendable (Asker, @escaping @Sendable (Result<[ChainHead], Inability>) -> Void) -> Void
    /// What is in somebody's feed, as JSON.
    public var feed: @Sendable (FeedOrder, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// Somebody's feed as it changes.
    public var follow: @Sendable (FollowedFeed, Asker, @escaping @Sendable (StreamAnswer) -> Void) -> Void

    public init(
        events: @escaping @Sendable (EventsOrder, Asker, @escaping @Sendable (StreamAnswer) -> Void) -> Void,
        event: @escaping @Sendable (EventOrder, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        head: @escaping @Sendable (Asker, @escaping @Sendable (Result<[ChainHead], Inability>) -> Void) -> Void,
        feed: @escaping @Sendable (FeedOrder, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        follow: @escaping @Sendable (FollowedFeed, Asker, @escaping @Sendable (StreamAnswer) -> Void) -> Void
    ) {
        self.events = events
        self.event = event
        self.head = head
        self.feed = feed
        self.follow = follow
    }
}

/// Which events somebody wants to read.
public struct EventsOrder: Sendable, Equatable {
    /// Empty for all.
    public var types: [String] = []
    public var user: String?
    /// Of one partition alone, −1 for what is about everyone; `nil` for all of them.
    public var partition: Int?
    /// Only events behind this one; `nil` where nothing was said of it.
    public var after: UInt64?
    /// Behind which event of each partition; of a log by itself there is one.
    public var afterEach: [UInt64]?
    /// The last one wanted.
    public var through: UInt64?
    /// In front of which event of each partition, where all of several are read.
    public var beforeEach: [UInt64]?
    public var limit: Int?
    /// To begin so many events back from the last one wanted.
    public var backlog: Int?
    /// Whether it goes on with the log.
    public var follows = false
    /// As server-sent events rather than lines.
    public var isServerSent = false

    public init() {}
}

/// Which event somebody asks about.
public struct EventOrder: Sendable, Equatable {
    public var seq: UInt64
    /// Whose number it is; −1 for what is about everyone.
    public var partition: Int?

    public init(seq: UInt64, partition: Int? = nil) { (self.seq, self.partition) = (seq, partition) }
}

public enum StreamAnswer: Sendable {
    case stream(BodyStream)
    case unknown(String)
    case refused(String)
    /// Somebody has as many streams as they may.
    case tooMany(String)
    case unable(Inability)
}

/// Up to where the log is durable, and the hash of all of it (`G7`).
public struct ChainHead: Sendable, Equatable {
    public var seq: UInt64
    /// The position behind the last commit.
    public var commit: UInt64
    public var hash: String
    /// `nil` for a log that has nothing yet.
    public var recordedAt: Instant?
    /// Whose it is, where there are several; −1 for what is about everyone.
    public var partition: Int?

    public init(seq: UInt64, commit: UInt64, hash: String, recordedAt: Instant?, partition: Int? = nil) {
        self.partition = partition
        self.seq = seq
        self.commit = commit
        self.hash = hash
        self.recordedAt = recordedAt
    }
}

public struct FeedOrder: Sendable, Equatable {
    public var user: String
    /// Only items before the one of this number.
    public var before: UInt64?
    public var limit: Int

    public init(user: String, before: UInt64? = nil, limit: Int = FeedOrder.limitUsual) {
        self.user = user
        self.before = before
        self.limit = limit
    }

    public static let limitUsual = 50
    public static let limitMax = 200
}

public struct FollowedFeed: Sendable, Equatable {
    public var user: String
    /// Up to which event its reader has had all; `nil` for one that begins.
    public var after: UInt64?

    public init(user: String, after: UInt64? = nil) {
        self.user = user
        self.after = after
    }
}
