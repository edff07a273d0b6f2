import Shared

/// What other workers have told that the database has lost (`M5`), as one sees it that starts.
///
/// Where an older database is to stand, all workers are started with empty directories, and each takes its own word back as it starts. So one
/// that starts waits a while for those of the others, and takes part in nothing meanwhile. Told later, such a word ends it at once.
struct OthersLosses {
    /// Since when it waits, and when it last saw what it waits for.
    private var since: BootInstant?
    private var lastSeen: BootInstant?
    private var hasBegun = false

    static let patience = Duration.seconds(30)
    private static let gap = Duration.seconds(10)

    /// - Parameter find: looks whether anything is missed, and throws where it is.
    mutating func judge(
        at now: BootInstant, _ find: () throws(MembershipProblem) -> Void
    ) throws(MembershipProblem) {
        do throws(MembershipProblem) {
            try find()
            hasBegun = true
        } catch {
            guard !hasBegun, case .fatal(let failure) = error, failure.code == .damaged else { throw error }
            // What it saw before the database was away for a while says nothing of how long the others have had since.
            let begun = lastSeen.map { $0 + Self.gap < now } ?? true ? now : since ?? now
            (since, lastSeen) = (begun, now)
            guard now < begun + Self.patience else { throw error }
            throw .passing(failure.message)
        }
    }
}
