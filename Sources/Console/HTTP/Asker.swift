internal import Synchronization

/// The client that waits for an answer. Long work checks now and then whether it still waits, and ends if it does not
/// (`G11`).
public final class Asker: Sendable {
    /// For whom a client asks. Many clients of one party get no more of a worker's time than one (`G11`).
    public enum Party: Sendable, Hashable {
        case person(String)
        /// By the name of their token.
        case `operator`(String)
        /// Nobody that is known here.
        case stranger
    }

    public let party: Party
    private let gone = Atomic(false)

    public init(for party: Party) { self.party = party }

    public var isGone: Bool { gone.load(ordering: .relaxed) }

    /// Nobody wants the answer any more.
    public func leave() { gone.store(true, ordering: .relaxed) }
}

extension HTTPRequest {
    /// For whom it asks, here or at the worker that passed it on.
    var party: Asker.Party {
        switch access {
        case .person(let pass): .person(pass.user)
        case .operator(let known): headers[PassedOn.byPerson].map { .person($0) } ?? .operator(known.name)
        case .stranger: .stranger
        }
    }
}
