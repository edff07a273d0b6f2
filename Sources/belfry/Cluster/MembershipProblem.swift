import Journal
import Shared

/// Why a worker cannot go on in its cluster at the moment, or at all.
enum MembershipProblem: Error {
    case fatal(Failure)
    case passing(String)

    init(_ error: SharedLogError) {
        switch error {
        case .anotherCluster, .anotherCount, .newerFormat, .noCluster, .foreignSchema, .wrongURL, .pooled, .noRights,
            .serverTooOld, .tablesMissing, .keysMissing, .halfImported:
            self = .fatal(Failure(.environment, "\(error)"))
        default: self = .passing("\(error)")
        }
    }

    init(_ error: JournalError) {
        switch error {
        case .damaged, .keys: self = .fatal(Failure(error))
        default: self = .passing("\(error)")
        }
    }

    /// Whatever the database or the disk said, as what it means here.
    static func judged<Value>(_ body: () throws -> Value) throws(MembershipProblem) -> Value {
        do { return try body() } catch let problem as MembershipProblem { throw problem } catch let error
            as SharedLogError
        {
            throw MembershipProblem(error)
        } catch { throw .passing("\(error)") }
    }
}
