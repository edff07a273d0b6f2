public import Notices

/// What the workers of a cluster ask each other.
public struct ClusterService: Sendable {
    /// Copies what is about everyone into every partition that is here, up to this fact, and says whether they all hold it.
    public var catchUp: @Sendable (_ through: UInt64, @escaping @Sendable (Bool) -> Void) -> Void
    /// Answers a question about everybody for some of the partitions that are here, in the words that workers use.
    public var part: @Sendable (JSONValue, Asker, @escaping @Sendable (Answer) -> Void) -> Void
    /// A partition is to come here, or was given to this worker; says whether it could go on with it at once.
    public var move: @Sendable (MoveStage, _ partition: Int) -> Bool
    /// Gives all partitions away, for as long as the worker lives, and says how far that is; `nil` where it is alone.
    public var drain: @Sendable () -> DrainStanding?

    /// People are being erased whom another worker owns.
    public var erase: Erase
    /// Among how many partitions people are; `nil` where there are none.
    public var partitions: Int?

    public typealias Erase = @Sendable (EraseOrder, @escaping @Sendable (Forgotten) -> Void) -> Void

    /// Tokens of a person were revoked at another worker, one or all; answers with why they are not here.
    public var revoke: @Sendable (_ user: String, _ id: String?, @escaping @Sendable (String?) -> Void) -> Void

    /// Hears what the worker at an address has revoked, which one of a version before does not say, and tells it what is revoked here.
    public var revoked:
        @Sendable (_ url: String, _ there: String?, @escaping @Sendable (RevokedAnswer) -> Void) -> Void = {
            $2(.notSeen)
        }

    /// A question or an answer that says what is revoked. The file of it stays below 32 MiB.
    public static let revokedBytesMax = 48 << 20

    public init(
        catchUp: @escaping @Sendable (UInt64, @escaping @Sendable (Bool) -> Void) -> Void,
        part: @escaping @Sendable (JSONValue, Asker, @escaping @Sendable (Answer) -> Void) -> Void,
        move: @escaping @Sendable (MoveStage, Int) -> Bool, drain: @escaping @Sendable () -> DrainStanding?,
        erase: @escaping Erase,
        revoke: @escaping @Sendable (String, String?, @escaping @Sendable (String?) -> Void) -> Void
    ) {
        (self.catchUp, self.part, self.move, self.drain, self.erase) = (catchUp, part, move, drain, erase)
        self.revoke = revoke
    }
}

/// What is revoked at a worker, for another one.
public enum RevokedAnswer: Sendable, Equatable {
    /// - isWhole: whether this worker misses nothing itself.
    case told(String, isWhole: Bool)
    /// It would not tell that worker of the next revocation.
    case notSeen
    /// What the other has revoked could not be revoked here.
    case failed(String)
}

/// What a worker did for an erasure of another's.
public struct Forgotten: Sendable {
    /// Why it could not do its part.
    public var problem: String?
    /// What it held of them and removed, in phrases.
    public var removed: [String]

    public init(problem: String? = nil, removed: [String] = []) { (self.problem, self.removed) = (problem, removed) }
}

/// What the worker that owns people tells the others of their erasure.
public struct EraseOrder: Sendable, Equatable {
    public struct Person: Sendable, Equatable {
        public var user: String
        /// What stands for them in their tokens. Only who has their log knows it, and only the beginning needs it; a worker of a version
        /// before tells none.
        public var mark: String?

        public init(_ user: String, marked mark: String? = nil) { (self.user, self.mark) = (user, mark) }
    }

    public var stage: EraseStage
    public var people: [Person]
    /// In which log they are.
    public var partition: Int
    /// How many people that log has erased with them, where they have left; a worker of a version before does not say.
    public var erased: Int?

    /// Of so many one order tells.
    public static let peopleMax = 1024

    public init(_ stage: EraseStage, _ people: [Person], in partition: Int, erased: Int? = nil) {
        (self.stage, self.people, self.partition, self.erased) = (stage, people, partition, erased)
    }
}

/// How far the erasing of people is.
public enum EraseStage: String, Sendable, CaseIterable {
    /// Their tokens end, and none is made until it is over.
    case begin
    /// Nobody was erased.
    case refused
    /// Their key is gone: whatever is held of them goes.
    case end
    /// Retention has erased them. Of that nothing was told before: their tokens end, and whatever is held of them goes.
    case left
}

/// Where a partition is on its way from one worker to another.
public enum MoveStage: String, Sendable {
    /// Its owner decides until the other could.
    case coming
    case given
}

/// How far a worker is with giving its partitions away.
public struct DrainStanding: Sendable, Equatable {
    /// The logs that it still has.
    public var left: Int
    /// The workers that could take them.
    public var others: Int
    /// Whether all of them know that it takes no more.
    public var isAnnounced: Bool

    public init(left: Int, others: Int, isAnnounced: Bool) {
        (self.left, self.others, self.isAnnounced) = (left, others, isAnnounced)
    }
}
