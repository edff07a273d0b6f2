internal import CivilTime
internal import Notices

/// A "run now", and how far it has come: everyone who is due is woken, then the people it names are asked about.
struct RunUnderway {
    /// Who is to hear of it.
    enum Asker {
        case order(Reply<RunReceipt>)
        /// A `run_requested` that names nobody, and the request it came in, which goes on when it is done.
        case fact(Fact, of: FactsUnderway)
    }

    let order: RunOrder
    let asker: Asker
    /// The number of the first event that belongs to it: whatever is decided from its asking on.
    let firstSeq: UInt64
    /// How many jobs the worker had written down until then.
    let jobsBefore: Int
    /// How many people it goes through; `nil` until it has begun. Who is met later is not among them.
    var people: Int?
    /// How many of them it has gone through.
    var done = 0
    /// What became of the fact that asked for it.
    var receipt: FactReceipt?

    init(_ order: RunOrder, for asker: Asker, firstSeq: UInt64, jobsBefore: Int) {
        self.order = order
        self.asker = asker
        self.firstSeq = firstSeq
        self.jobsBefore = jobsBefore
    }

    func fact(about user: String) -> Fact {
        var fact = order.fact(about: user)
        if case .fact(let told, of: _) = asker { fact.at = told.at }
        return fact
    }
}

extension RunOrder {
    func fact(about user: String?) -> Fact {
        var request = RunRequested()
        request.kind = kind.map { Identifier($0) }
        request.force = isForced ? true : nil
        return Fact(user: user, payload: .runRequested(request))
    }

    /// What is wrong with it, if anything is.
    func problem(under register: Register, at now: Instant) -> FieldError? {
        for user in users.isEmpty ? [nil] : users.map(Optional.some) {
            let fact = fact(about: user)
            let number = user.flatMap { register.number(of: $0) }
            if var problem = register.problem(with: fact.payload, about: user, number: number, at: now) {
                // Whoever orders a run has no fact in mind.
                if problem.path.hasPrefix("data.") { problem.path.removeFirst("data.".count) }
                return problem
            }
        }
        return nil
    }
}
