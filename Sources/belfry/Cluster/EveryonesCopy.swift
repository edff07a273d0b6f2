import Journal
import Notices
import Shared

/// What is about everyone, as far as it was read here (`M6`): where another worker records it, out of the database.
struct EveryonesCopy {
    private let cache: ClusterCache
    private let crier: Crier
    private var read: UInt64 = 0

    init(_ cache: ClusterCache, _ crier: Crier) { (self.cache, self.crier) = (cache, crier) }

    /// It is another worker's now, or was: what is known of it here is looked at again.
    mutating func forget() { read = 0 }

    /// - Parameter own: how far it has come, where it is recorded here.
    mutating func refresh(_ connection: any SharedLogConnection, own: UInt64?) throws {
        let end: UInt64
        if let own { end = own } else { end = try connection.tail(of: Partition.everyone).until }
        guard end > read else { return }
        do throws(JournalError) {
            if own == nil { try cache.fill(Partition.everyone, from: connection, through: end) }
            crier.hear(try Copies(in: cache.path(Partition.everyone), on: cache.disk).all)
        } catch {
            throw MembershipProblem(error, of: Partition.everyone)
        }
        read = end
    }
}
