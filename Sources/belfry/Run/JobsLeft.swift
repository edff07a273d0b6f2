import Delivery
import Synchronization

/// What the logs on this disk held to be handed out when they were opened. The courier has it once everybody who was due has been woken.
final class JobsLeft: Sendable {
    private let places: Mutex<[JobPlace]>

    init(_ places: [JobPlace]) { self.places = Mutex(places) }

    /// Once; nothing is kept here of what may be a great many.
    func go(to courier: Courier, whenCaughtUp logs: [RunningLog]) {
        let left = places.withLock { places in
            defer { places = [] }
            return places
        }
        let gathering = Gathering(logs.count, whole: ()) { _ in courier.takeUp(left, isAll: true) }
        for log in logs { log.whenCaughtUp { gathering.add { _ in } } }
    }
}
