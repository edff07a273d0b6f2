public import Journal
public import Notices

/// What became of a fact that was told to a worker.
public enum FactReceipt: Sendable, Equatable {
    case recorded(seq: UInt64, warnings: [Warning])
    /// A fact of this id is in the log already, under this number; nothing was changed.
    case duplicate(of: UInt64)
    case refused(FieldError)
    /// One of those it came with was refused, and all or none were to go in.
    case leftOut
}

/// A "run now" as it was asked for (SPEC §13).
public struct RunOrder: Sendable, Equatable {
    /// Whom it is about; empty for everybody.
    public var users: [String]
    /// Whose next slot is to come now.
    public var kind: String?
    /// Only P1–P7 are asked.
    public var isForced: Bool

    public init(users: [String] = [], kind: String? = nil, isForced: Bool = false) {
        self.users = users
        self.kind = kind
        self.isForced = isForced
    }
}

/// What a "run now" has come to: everything it decided is among these events.
public struct RunReceipt: Sendable, Equatable {
    /// The number the log's next event had before.
    public var firstSeq: UInt64
    /// The last event that belongs to it.
    public var lastSeq: UInt64
    public var jobs: Int

    public init(firstSeq: UInt64, lastSeq: UInt64, jobs: Int) {
        self.firstSeq = firstSeq
        self.lastSeq = lastSeq
        self.jobs = jobs
    }
}

/// Why a worker did not do what it was asked.
public enum WorkerRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// It cannot be done; says what is wrong.
    case problem(FieldError)
    case journal(JournalError)

    public var description: String {
        switch self {
        case .problem(let problem): "\(problem)"
        case .journal(let error): "\(error)"
        }
    }
}

public typealias Reply<Answer> = @Sendable (Result<Answer, WorkerRefusal>) -> Void

/// What a worker is asked for. It is answered when all it led to is durable.
enum Request {
    case facts(FactsRequest)
    case run(RunOrder, Reply<RunReceipt>)
    /// Where a person's story is found in what is durable.
    case story(of: String, Reply<PersonPlace?>)
    /// The numbers that the log gave people.
    case numbers(of: [String], Reply<[UInt32?]>)
    /// Where people can be reached, each about a kind.
    case contacts(of: [(user: String, kind: String)], Reply<[Contact?]>)
}

struct FactsRequest {
    var facts: [Fact]
    var isAllOrNothing: Bool
    /// Facts of Belfry's own, of whose truth there is no doubt: what became of a job. A policy that the operator names is
    /// told like any other fact.
    var isOwn: Bool
    var reply: Reply<[FactReceipt]>
}
