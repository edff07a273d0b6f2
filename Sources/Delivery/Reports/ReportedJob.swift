public import Notices

/// A job that a provider's report names by its place in a log: what it is called, and whose it is.
public struct ReportedJob: Sendable, Equatable {
    public var name: NoticeName
    public var user: String

    public init(name: NoticeName, user: String) {
        self.name = name
        self.user = user
    }

    /// - Parameter commit: what the log holds there, in which whoever was erased has another name by now; `nil` where the job is
    ///   not among it.
    public init?(at place: JobPlace, in commit: [Event]) {
        guard let order = commit.lazy.filter({ $0.seq == place.seq }).compactMap({ Order($0) }).first,
            let user = order.user
        else { return nil }
        self.init(name: order.job.job, user: user)
    }
}
