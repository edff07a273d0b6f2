import Journal
import Shared

/// Why a worker cannot go on in its cluster at the moment, or at all.
enum MembershipProblem: Error {
    case fatal(Failure)
    case passing(String)
    /// Something is wrong with this worker's copy of one log, and with no other: another worker may have a better one.
    case ofCopy(Int, String)

    init(_ error: SharedLogError) {
        switch error {
        case .anotherCluster, .anotherCount, .newerFormat, .noCluster, .foreignSchema, .wrongURL, .pooled, .noRights,
            .serverTooOld, .tablesMissing, .keysMissing, .halfImported:
            self = .fatal(Failure(.environment, "\(error)"))
        case .unreachable, .loginRefused, .noDatabase, .standby, .readOnly, .clusterExists, .unusableCount, .full,
            .overloaded, .busy, .canceled, .tooLarge, .workerKnown, .unknown, .refused, .unintelligible:
            self = .passing("\(error)")
        }
    }

    /// - Parameter partition: whose copy it is about.
    init(_ error: JournalError, of partition: Int) {
        switch error {
        // The database or its keys could not be asked, or the copy was moved away and is fetched anew.
        case .lost(let words), .displaced(let words): self = .passing(words)
        // These are about all logs of this worker.
        case .keys, .newerFormat: self = .fatal(Failure(error))
        case .disk, .damaged, .inUse, .notALog, .notMine, .noLog, .halfImported, .tooLarge, .closed, .stopped:
            self = .ofCopy(partition, "\(error)")
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
