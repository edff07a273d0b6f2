import CivilTime
import Hashing
import Journal
import Notices
import Sealing
import Shared

/// A worker's copies of a cluster's logs on its own disk (`M1`): byte for byte what is in the database, up to somewhere.
struct ClusterCache: Sendable {
    let directory: DataDirectory
    let disk: any Disk
    private let cluster: ClusterID
    /// Where the keys of its logs lie; `nil` where they have no seals.
    let keys: ClusterKeys?
    /// The same, for whoever opens no keys.
    private let bare: any Disk

    /// As much of a log is fetched at once.
    private static let fetchBytes = 8 << 20

    init(_ directory: DataDirectory, of cluster: ClusterID, on disk: any Disk, keys: ClusterKeys?) {
        (self.directory, self.cluster, self.disk, self.keys) = (directory, cluster, disk, keys)
        bare = disk.keys == nil ? disk : RealDisk(keys: nil)
    }

    /// Which log a partition's is: the same on every machine, and no other cluster's, unless it was taken in from elsewhere with
    /// its keys, which are of that log.
    func identity(_ partition: Int) throws(JournalError) -> LogIdentity {
        do throws(KeyTablesError) { return try keys?.identity(partition) ?? newIdentity(partition) } catch {
            throw .displaced(error.words)
        }
    }

    /// That which a partition begins with.
    func newIdentity(_ partition: Int) -> LogIdentity { Self.newIdentity(partition, of: cluster) }

    static func newIdentity(_ partition: Int, of cluster: ClusterID) -> LogIdentity {
        LogIdentity(words: (cluster.words.0, cluster.words.1 &+ UInt64(bitPattern: Int64(partition + 2))))
    }

    static func name(_ partition: Int) -> LogName {
        partition == Partition.everyone ? .everyone : .partition(partition)
    }

    func path(_ partition: Int) -> String { directory.log(Self.name(partition)) }

    /// A partition is another's now, or is read no more: nothing of its keys stays in memory.
    func forgetKeys(of partition: Int) { (disk.keys as? LogKeys)?.forget(path(partition)) }

    // MARK: Held against the database

    /// Up to where a partition's log is here; `nil` where nothing of it is.
    func head(_ partition: Int) throws(JournalError) -> AcknowledgedHead? {
        do throws(JournalError) {
            let log = try LogReader(path(partition), on: bare, isCopy: true)
            guard let identity = log.identity else { return nil }
            guard identity == (try self.identity(partition)) else {
                throw .damaged(
                    Damage(
                        path(partition),
                        "it is no copy of partition \(partition) of the cluster \(cluster); with the directory moved away it is fetched from the database"
                    ))
            }
            return try log.acknowledged().map {
                AcknowledgedHead(partition: partition, position: $0.position, hash: $0.hash)
            }
        } catch .noLog {
            return nil
        }
    }

    /// Looks whether the database still has all that was acknowledged to this machine (`M5`).
    ///
    /// - Parameters:
    ///   - url: where this worker is reached: what it misses is told to the others, who would take its partitions and go on.
    ///   - unreadable: is told of copies that cannot be read, and why. What they had is seen when they can be, before anything is
    ///     decided upon them.
    ///   - readable: is told of all others.
    /// - Returns: whether it had told before that it misses something, and takes that back.
    func findLosses(
        _ connection: any SharedLogConnection, as url: String, unreadable: (Int, String) -> Void,
        readable: (Int) -> Void = { _ in }
    ) throws(MembershipProblem) -> Bool {
        var areAllRead = true
        for partition in Partition.everyone..<connection.cluster.partitions {
            let head: AcknowledgedHead?
            do throws(JournalError) { head = try self.head(partition) } catch {
                let problem = MembershipProblem(error, of: partition)
                guard case .ofCopy(_, let words) = problem else { throw problem }
                areAllRead = false
                unreadable(partition, words)
                continue
            }
            readable(partition)
            guard let head, let loss = try Self.loss(of: head, in: connection) else { continue }
            var failure = otherDatabase("\(path(partition)) \(loss)")
            do throws(SharedLogError) { try connection.tellMissing(MissingHead(head, of: url)) } catch {
                failure.message += ". The other workers could not be told, so stop them: \(error)"
            }
            throw .fatal(failure)
        }
        guard areAllRead else { return false }
        let hadLosses: Bool
        do throws(SharedLogError) { hadLosses = try connection.missNothing(at: url) } catch {
            throw MembershipProblem(error)
        }
        return hadLosses
    }

    /// Looks whether it has what others have told that they miss, and all of a history that was imported.
    static func findLossesOfOthers(_ connection: any SharedLogConnection) throws(MembershipProblem) {
        let missing: [MissingHead]
        do throws(SharedLogError) { missing = try connection.expectImported() } catch { throw MembershipProblem(error) }
        for missing in missing {
            guard let loss = try loss(of: missing.head, in: connection) else { continue }
            throw .fatal(
                Failure(
                    .damaged,
                    "what the worker at \(missing.url) has of \(name(missing.head.partition).told) \(loss). Nothing was changed. Bring the right database back. If this one is to stand, start that worker with an empty directory at the same address, or DELETE FROM belfry.missing: what was acknowledged since is gone"
                ))
        }
    }

    /// What is wrong where the database has not what was acknowledged.
    private static func loss(
        of head: AcknowledgedHead, in connection: any SharedLogConnection
    ) throws(MembershipProblem) -> String? {
        let presence: HeadPresence
        do throws(SharedLogError) { presence = try connection.presence(of: head) } catch {
            throw MembershipProblem(error)
        }
        switch presence {
        case .present: return nil
        case .missing(let end):
            return
                "was acknowledged up to position \(head.position), but in the database \(name(head.partition).told) ends at \(end): it has lost what it had acknowledged (a restored backup, a wrong primary)"
        case .different:
            return
                "was acknowledged up to position \(head.position), and the database has something else there: its \(name(head.partition).told) is another (a restored backup that went on, a primary of before)"
        }
    }

    /// The copy is right, and the database is not the one that it is of.
    private func otherDatabase(_ problem: String) -> Failure {
        Failure(
            .damaged,
            "\(problem). Nothing was changed. Bring the right database back. If this one is to stand, delete \(directory.path) at every worker that has more: what was acknowledged since is gone"
        )
    }

    /// What a partition has forgotten, as far as its copy is; `nil` where that cannot be said.
    func forgotten(in partition: Int) -> SpoolSweep.Forgotten? {
        guard let log = try? LogReader(path(partition), on: disk), let index = try? log.index() else { return nil }
        return SpoolSweep.Forgotten(
            arrival: { (user) throws(JournalError) -> Instant? in
                guard let trail = PersonTrail(log, index, user: user), let first = try trail.commits().first else {
                    return nil
                }
                return try trail.events(at: first).first?.at
            },
            textsErased: { (instant) throws(JournalError) -> Instant? in
                try log.lastTextsErased(in: index.generalCommits, saidSince: instant)?.start
            })
    }

    // MARK: Filled from the database

    /// Fetches the rest of a partition that was taken, which then ends as the database says. `false` where another worker has taken it
    /// by now, and written more.
    func complete(_ holding: Holding, from connection: any SharedLogConnection) throws(MembershipProblem) -> Bool {
        let head: LogHead
        do throws(JournalError) {
            head = try fill(holding.partition, from: connection, through: holding.tail.until)
        } catch {
            throw MembershipProblem(error, of: holding.partition)
        }
        guard head.position == holding.tail.until, head.hash == holding.tail.head || head.position == 0 else {
            let own = AcknowledgedHead(partition: holding.partition, position: head.position, hash: head.hash)
            let presence: HeadPresence
            do throws(SharedLogError) { presence = try connection.presence(of: own) } catch {
                throw MembershipProblem(error)
            }
            guard presence != .present else { return false }
            throw .fatal(
                otherDatabase("\(path(holding.partition)) ends otherwise than the database's log of this partition"))
        }
        return true
    }

    /// Fetches what the copy lacks, for as long as it is wanted. Nobody else has the copy open.
    ///
    /// - Parameter isWanted: asked with how far it is.
    @discardableResult
    func fill(
        _ partition: Int, from connection: any SharedLogConnection, through end: UInt64,
        while isWanted: (UInt64) -> Bool = { _ in true }
    ) throws(JournalError) -> LogHead {
        if end == 0, try head(partition) == nil { return .start }
        var options = JournalOptions()
        options.identity = try identity(partition)
        options.isCopy = true
        options.lockPatience = .short()
        let journal = try Journal(path(partition), on: disk, holder: "a copy being filled", options: options)
        do throws(JournalError) {
            while journal.head.position < end, isWanted(journal.head.position) {
                let rows: [LogRow]
                do throws(SharedLogError) {
                    rows = try connection.rows(of: partition, from: journal.head.position, bytes: Self.fetchBytes)
                } catch {
                    // A row that cannot be read is of this partition alone: the others go on.
                    if error.isAboutRows { throw damaged(partition, journal.head.position, "\(error)") }
                    throw .displaced("\(error)")
                }
                guard !rows.isEmpty else {
                    throw damaged(partition, journal.head.position, "there is no row")
                }
                // What lies behind was not asked for: where this worker was frozen meanwhile, it is another owner's already.
                let before = journal.head.position
                for row in rows where row.position < end {
                    // A flush may have been written here in part: of a row that overlaps, the rest.
                    let known = journal.head.position - min(journal.head.position, row.position)
                    guard known < UInt64(row.frames.count) else { continue }
                    do throws(JournalError) {
                        try journal.append(frames: known == 0 ? row.frames : Array(row.frames[Int(known)...]))
                    } catch .damaged(let damage) {
                        throw damaged(partition, row.position, damage.problem)
                    }
                }
                guard journal.head.position > before else { throw damaged(partition, before, "there is no row") }
                try journal.commit()
            }
        } catch {
            journal.abandon()
            throw error
        }
        let head = journal.head
        try journal.close()
        return head
    }

    /// What the database has is not what was acknowledged.
    private func damaged(_ partition: Int, _ position: UInt64, _ problem: String) -> JournalError {
        .damaged(
            Damage(
                "the database, in the row of \(Self.name(partition).told) at position \(position)", problem,
                cure: "Bring back a database that has it whole: a standby, or a backup"))
    }
}
