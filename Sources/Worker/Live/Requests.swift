public import Journal
public import Notices
internal import Queueing

/// A "run now" as it was asked for (SPEC §13).
public struct RunOrder: Sendable, Equatable {
    /// Whom it is about, each once, in the order they were first named; empty for everybody.
    public var users: [String]
    /// Whose next slot is to come now.
    public var kind: String?
    /// Only P1–P7 are asked.
    public var isForced: Bool

    public init(users: [String] = [], kind: String? = nil, isForced: Bool = false) {
        // A set of people: who is named twice is meant once.
        var known: Set<String> = []
        self.users = users.filter { known.insert($0).inserted }
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
    /// Another worker was to do it; it may have, or surely did nothing.
    case elsewhere(String, isInDoubt: Bool)

    public var description: String {
        switch self {
        case .problem(let problem): "\(problem)"
        case .elsewhere(let words, isInDoubt: _): words
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
    case story(of: String, number: UInt32?, Reply<PersonPlace?>)
    /// The numbers that the log gave people.
    case numbers(of: [String], Reply<[UInt32?]>)
    /// Where people can be reached, each with a job.
    case contacts(of: [(user: String, topic: JobTopic)], Reply<[Contact?]>)
    /// The little of somebody that is told at once.
    case card(of: String, Reply<PersonCard?>)
    /// Where the commits stand that are about nobody in particular, oldest first.
    case generalCommits(Reply<[UInt64]>)
}

struct FactsRequest {
    var facts: [Fact]
    var isAllOrNothing: Bool
    /// Facts of Belfry's own, of whose truth there is no doubt: what became of a job. A policy that the operator names is
    /// told like any other fact.
    var isOwn: Bool
    var reply: Reply<[FactReceipt]>
}

// MARK: Asking

extension WorkerCore {
    /// - Parameter isOwn: facts of Belfry's own, of whose truth there is no doubt.
    public func ask(
        facts: [Fact], allOrNothing: Bool = false, isOwn: Bool = false, _ reply: @escaping Reply<[FactReceipt]>
    ) {
        requests.append(.facts(FactsRequest(facts: facts, isAllOrNothing: allOrNothing, isOwn: isOwn, reply: reply)))
    }

    public func ask(run order: RunOrder, _ reply: @escaping Reply<RunReceipt>) {
        requests.append(.run(order, reply))
    }

    /// Where a person's story is found; `nil` for somebody unknown.
    /// - Parameter number: which of those that have borne the id; `nil` for whoever bears it now.
    public func ask(storyOf user: String, number: UInt32? = nil, _ reply: @escaping Reply<PersonPlace?>) {
        requests.append(.story(of: user, number: number, reply))
    }

    /// The numbers that the log gave people; `nil` for somebody unknown.
    public func ask(numbersOf users: [String], _ reply: @escaping Reply<[UInt32?]>) {
        requests.append(.numbers(of: users, reply))
    }

    /// Where people can be reached, each with a job; `nil` for somebody unknown.
    public func ask(contactsOf people: [(user: String, topic: JobTopic)], _ reply: @escaping Reply<[Contact?]>) {
        requests.append(.contacts(of: people, reply))
    }

    /// The little of somebody that is told at once; `nil` for somebody unknown.
    public func ask(cardOf user: String, _ reply: @escaping Reply<PersonCard?>) {
        requests.append(.card(of: user, reply))
    }

    /// Where the commits stand that are about nobody in particular, oldest first: one of them adopted the policy in force.
    public func askGeneralCommits(_ reply: @escaping Reply<[UInt64]>) { requests.append(.generalCommits(reply)) }
}
