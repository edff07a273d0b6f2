import Synchronization

/// How many streams of one person's feed are open: as many as a person has devices, and not as many as a client can open
/// (`G11`).
final class FeedSeats: Sendable {
    static let most = 32

    private let taken = Mutex<[String: Int]>([:])

    /// `nil` where there are as many as may be.
    func take(_ user: String) -> Seat? {
        let isTaken = taken.withLock { taken -> Bool in
            guard taken[user, default: 0] < Self.most else { return false }
            taken[user, default: 0] += 1
            return true
        }
        return isTaken ? Seat(self, user) : nil
    }

    /// One of them; given back when it is left, or let go of.
    final class Seat: Sendable {
        private let seats: FeedSeats
        private let user: String
        private let isLeft = Atomic(false)

        fileprivate init(_ seats: FeedSeats, _ user: String) { (self.seats, self.user) = (seats, user) }

        deinit { leave() }

        func leave() {
            guard !isLeft.exchange(true, ordering: .acquiringAndReleasing) else { return }
            seats.taken.withLock { taken in
                taken[user, default: 1] -= 1
                if taken[user] == 0 { taken[user] = nil }
            }
        }
    }
}
