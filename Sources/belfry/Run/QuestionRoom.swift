import Console
import Queueing
import Synchronization

/// Where questions about people wait to be answered, a few at a time (`G11`).
///
/// An answer reads all that a person has, which can take a good part of a second. So questions have threads of their own,
/// which give way to the rest of the worker, and a waiting room with so many seats. Who has gone gives up the seat, and is
/// passed over when the turn comes.
///
/// Persons and operators have seats of their own and are served by turns, and so are the parties on each side: whoever asks
/// without end takes a few seats and every so many a turn, and shuts nobody out.
final class QuestionRoom: Sendable {
    /// As many as the devices of one person ask at once.
    static let seatsOfPerson = 4

    private struct Waiting: Sendable {
        let asker: Asker
        let answer: @Sendable () -> Void
        let refuse: @Sendable (Inability) -> Void
    }

    /// One side of the room.
    private struct Side: Sendable {
        var line = TurnLine<Asker.Party, Waiting>()
        let seats: Int
        let seatsOfParty: Int

        /// Whoever has gone meanwhile leaves where seats are short.
        mutating func seat(_ next: Waiting) -> (isSeated: Bool, gone: [Waiting]) {
            let party = next.asker.party
            var gone: [Waiting] = []
            if !hasSeat(party) { gone = line.take { $0.asker.isGone } }
            guard hasSeat(party) else { return (false, gone) }
            line.append(next, of: party)
            return (true, gone)
        }

        private func hasSeat(_ party: Asker.Party) -> Bool {
            line.count < seats && line.count(of: party) < seatsOfParty
        }
    }

    private struct Room: Sendable {
        var persons: Side
        var others: Side
        /// Whose turn it was last, where both wait.
        var wasPersonsTurn = false
        /// Threads that are answering.
        var answering = 0

        mutating func seat(_ next: Waiting) -> (isSeated: Bool, gone: [Waiting]) {
            switch next.asker.party {
            case .person: persons.seat(next)
            case .operator, .stranger: others.seat(next)
            }
        }

        mutating func popFirst() -> Waiting? {
            wasPersonsTurn.toggle()
            if wasPersonsTurn, let next = persons.line.popFirst() { return next }
            return others.line.popFirst() ?? persons.line.popFirst()
        }
    }

    private let threads: Int
    private let lane: Lane
    private let room: Mutex<Room>

    /// - Parameter seats: on each side.
    init(threads: Int, seats: Int) {
        self.threads = threads
        lane = Lane("belfry.questions", threads: threads, waitingMax: threads, priority: .behindOthers)
        room = Mutex(
            Room(
                persons: Side(seats: seats, seatsOfParty: min(Self.seatsOfPerson, seats)),
                others: Side(seats: seats, seatsOfParty: seats)))
    }

    /// Begins the answer in its turn, or refuses: where there is no seat, and instead of an answer to who has gone.
    func take(
        _ asker: Asker, _ answer: @escaping @Sendable () -> Void,
        orElse refuse: @escaping @Sendable (Inability) -> Void
    ) {
        let next = Waiting(asker: asker, answer: answer, refuse: refuse)
        let (isSeated, gone, mustBegin) = room.withLock { room -> (Bool, [Waiting], Bool) in
            let (isSeated, gone) = room.seat(next)
            guard isSeated, room.answering < threads else { return (isSeated, gone, false) }
            room.answering += 1
            return (isSeated, gone, true)
        }
        for waiting in gone { waiting.refuse(.abandoned) }
        if !isSeated { refuse(.manyQuestions) }
        if mustBegin { begin() }
    }

    private func begin() {
        let isBegun = lane.take { [self] in
            while let next = next() {
                if next.asker.isGone { next.refuse(.abandoned) } else { next.answer() }
            }
        }
        precondition(isBegun, "there is a thread for whoever may be answering")
    }

    /// `nil`, and one less is answering, where nobody waits any more.
    private func next() -> Waiting? {
        room.withLock { room in
            guard let next = room.popFirst() else {
                room.answering -= 1
                return nil
            }
            return next
        }
    }
}
