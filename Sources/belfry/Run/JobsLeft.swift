import Delivery
import Synchronization

/// What the logs on this disk held to be handed out when they were opened. The courier has it once everybody who was due has been woken.
final class JobsLeft: Sendable {
    private let jobs: Mutex<JobsReturned?>

    init(_ jobs: JobsReturned) { self.jobs = Mutex(jobs) }

    /// Once; nothing is kept here of what may be a great many.
    func go(to courier: Courier, whenCaughtUp logs: [RunningLog]) {
        let left = jobs.withLock { jobs in
            defer { jobs = nil }
            return jobs
        }
        guard let left else { return }
        let gathering = Gathering(logs.count, whole: ()) { _ in courier.takeUp(left) }
        for log in logs { log.whenCaughtUp { gathering.add { _ in } } }
    }
}
