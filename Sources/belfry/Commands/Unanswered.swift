/// Why a question about one person has no answer.
enum Unanswered: Error {
    /// The log holds nothing about this person or notice.
    case unknown(String)
    /// The question makes no sense to this log, such as one about a kind that its policy does not have.
    case refused(String)
    /// Whoever asked has gone.
    case abandoned
    /// The log cannot be read.
    case failed(Failure)

    static func nobody(_ user: String) -> Unanswered {
        .unknown("the log holds nothing about \"\(user)\"; `belfry people` lists whom it knows")
    }

    static func notKnownThen(_ user: String) -> Unanswered { .unknown("\"\(user)\" was not known yet then") }
}

extension Failure {
    init(_ reason: Unanswered) {
        switch reason {
        case .unknown(let problem), .refused(let problem): self.init(.badInput, problem)
        case .failed(let failure): self = failure
        case .abandoned: self.init(.environment, "nobody waited for the answer")
        }
    }
}
