/// What a check says of a job.
enum Finding: Equatable {
    /// The rule is not asked of this job.
    case notAsked
    case kept
    case broken(String)

    /// Broken where there is a problem.
    static func unless(_ problem: String?) -> Finding { problem.map { .broken($0) } ?? .kept }
}
