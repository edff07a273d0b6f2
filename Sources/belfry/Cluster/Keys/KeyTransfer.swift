import Journal
import Sealing
import Shared

/// Takes people's keys into a cluster's database with the logs that they are of, and gives them back.
struct KeyTransfer {
    let keys: ClusterKeys
    /// What the database's keys are under.
    let master: MasterKeySource
    let disk: any Disk

    /// So often keys that are changed meanwhile are read again.
    private static let rounds = 20

    /// That the keys of a log on this machine's disk can be taken in: known before anything is written.
    func expectOpen(_ log: LogReader, for partition: Int) throws(Failure) {
        guard let identity = log.identity else { return }
        do throws(KeyRingError) {
            _ = try ring(of: log, identity)
            try KeyRing.expectOpen(keys.tables(of: partition), of: identity, on: disk, master: master)
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    /// Of a log on this machine's disk.
    func takeIn(_ log: LogReader, _ holding: Holding) throws(Failure) {
        guard let identity = log.identity else { return }
        keys.hold(holding.partition, epoch: holding.epoch, isInDoubt: false)
        defer { keys.letGo(of: holding.partition) }
        do throws(KeyRingError) {
            try ring(of: log, identity).carry(into: keys.tables(of: holding.partition), master: master)
        } catch {
            throw Failure(.environment, "\(error)")
        }
    }

    /// Its master key lies beside it, or is the one that was named.
    private func ring(of log: LogReader, _ identity: LogIdentity) throws(KeyRingError) -> KeyRing {
        let isOwn = (try? disk.status(of: DiskPath.join(log.directory, KeyFile.master))) != nil
        return try KeyRing(log.directory, of: identity, on: disk, master: isOwn ? .own : master, isWriter: false)
    }

    /// That the keys of all these can be given back: all pages are there, and the master key is the one that opens them.
    func expectWhole(
        _ partitions: [Int], _ cache: ClusterCache, _ connection: any SharedLogConnection
    ) throws(Failure) {
        try expectPages(connection)
        for partition in partitions {
            let identity: LogIdentity
            do throws(JournalError) { identity = try cache.identity(partition) } catch { throw Failure(error) }
            do throws(KeyRingError) {
                try KeyRing.expectOpen(keys.tables(of: partition), of: identity, on: disk, master: master)
            } catch { throw Failure(.environment, "\(error)") }
        }
    }

    private func expectPages(_ connection: any SharedLogConnection) throws(Failure) {
        do throws(SharedLogError) {
            if let lost = SharedLogError(missing: try connection.missingKeyPages(of: nil)) { throw lost }
        } catch { throw Failure(error) }
    }

    /// Into the directory of a log that is being given back. Returns where the log ended when they were read: all whom it names by
    /// then have a key, and whoever has none any more is erased in it.
    func giveBack(
        _ partition: Int, of identity: LogIdentity, to directory: String, _ connection: any SharedLogConnection
    ) throws(Failure) -> UInt64 {
        let tables = keys.tables(of: partition)
        do throws(KeyTablesError) {
            if try tables.table() == nil { return 0 }
        } catch { throw Failure(.environment, error.words) }
        for _ in 0..<Self.rounds {
            let copied: [UInt8]?
            do throws(KeyRingError) {
                copied = try KeyRing.copy(tables, of: identity, to: directory, on: disk)
            } catch {
                throw Failure(.environment, "\(error)")
            }
            guard let copied else { continue }
            do throws(SharedLogError) {
                let end = try connection.tail(of: partition).until
                if try connection.keyTable(of: partition)?.bytes == copied { return end }
            } catch {
                throw Failure(error)
            }
        }
        try expectPages(connection)
        throw Failure(.environment, "the keys of \(ClusterCache.name(partition).told) change all the time; try again")
    }
}
