/// Why the shared database did not do what it was asked, in a sentence for whoever runs it.
///
/// No sentence has the URL in it: it may hold a password.
public enum SharedLogError: Error, Equatable, Sendable {
    /// The URL is none that libpq understands.
    case wrongURL(String)
    /// There is no connection, or there is none any more.
    case unreachable(String)
    /// The server turned the user away.
    case loginRefused(String)
    case noDatabase(String)
    case serverTooOld(version: Int)
    /// A pooler answers in the server's place.
    case pooled
    /// The server is a standby.
    case standby
    case readOnly
    /// No cluster was made in this database.
    case noCluster(database: String)
    /// The schema's name is taken by something that is no cluster of Belfry's.
    case foreignSchema(database: String)
    case clusterExists(ClusterID, partitions: Int)
    case anotherCluster(expected: ClusterID, found: ClusterID)
    case anotherCount(expected: Int, found: Int)
    case newerFormat(found: Int)
    case unusableCount(Int)
    case noRights(String)
    /// Tables of a cluster are not there any more.
    case tablesMissing(database: String, String)
    /// Of a cluster whose logs have seals the tables with the keys are not whole.
    case keysMissing(String)
    /// An import into it runs, or was cut off.
    case halfImported(database: String)
    case full(String)
    /// The server has too little memory, too few connections or locks.
    case overloaded(String)
    /// A row was held by another statement for longer than one waits.
    case busy
    /// The server ended the statement, by a time-out or because somebody cancelled it.
    case canceled(String)
    case tooLarge(bytes: Int)
    /// A worker of this id is known already.
    case workerKnown(WorkerID)
    /// Nobody can say whether the change was made.
    case unknown(String)
    /// Anything else that the server said.
    case refused(state: String, String)
    /// The answer was none that this program knows.
    case unintelligible(String)
}

extension SharedLogError {
    /// Whether what was asked for lies there and cannot be read, as a page whose checksum is wrong.
    public var isAboutRows: Bool {
        switch self {
        // Internal errors: data and indexes that are damaged (XX001, XX002), and what else the server finds impossible.
        case .refused(let state, _): state.hasPrefix("XX")
        case .unintelligible: true
        default: false
        }
    }
}

extension SharedLogError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongURL(let words): "the database's URL cannot be read: \(words). Write postgres://USER@HOST/DATABASE"
        case .unreachable(let words): "the database cannot be reached: \(words)"
        case .loginRefused(let words):
            "the database refused the login: \(words). Look at the user, the password and pg_hba.conf"
        case .noDatabase(let words): "there is no such database: \(words). Make it with createdb, or correct the URL"
        case .serverTooOld(let version):
            "the server is PostgreSQL \(Self.text(version)), and Belfry needs \(Self.text(Cluster.serverVersionMin)) or later. Upgrade it, or name another"
        case .pooled:
            "a pooler answers in the database's place, and it may give a worker's session to others. Connect to PostgreSQL directly; a worker needs 4 connections"
        case .standby:
            "the server is a standby, which takes no writes. Name the primary, or all hosts with target_session_attrs=read-write"
        case .readOnly:
            "the database takes no writes: default_transaction_read_only is on there. Somebody set it, or a provider did because its disk is nearly full"
        case .noCluster(let database):
            "the database \(database) holds no log of Belfry's. `belfry cluster create` begins one"
        case .foreignSchema(let database):
            "the schema \(Cluster.schema) in the database \(database) is somebody else's: it is no cluster of Belfry's. Name another database"
        case .clusterExists(let id, let partitions):
            "there is a cluster in this database already: \(id), of \(partitions) partitions. One database holds one cluster"
        case .anotherCluster(let expected, let found):
            "the database holds the cluster \(found), and the log kept here is of the cluster \(expected). Correct the URL, or name another --data directory"
        case .anotherCount(let expected, let found):
            "the cluster has \(found) partitions, not \(expected). Their number is fixed when a cluster is made"
        case .newerFormat(let found):
            "the cluster was made by a newer Belfry (format \(found)); this one reads up to \(Cluster.formatVersion). Use the newer version"
        case .unusableCount(let count):
            "a cluster has from 1 to \(Cluster.partitionsMax) partitions, not \(count)"
        case .noRights(let words):
            "the database's user may not do what this needs: \(words). Grant it, or make that user the schema's owner"
        case .tablesMissing(let database, let words):
            "the cluster in the database \(database) is not whole: \(words) is missing. Restore it from the newest backup of the database"
        case .keysMissing(let words):
            "the database lacks what opens people's keys: \(words). Restore the tables belfry.key_table and belfry.key_page from the newest backup of the database"
        case .halfImported(let database):
            "the cluster in the database \(database) holds no more than a part of a history: the import into it has not come to its end, and nobody decides on it. Where `belfry cluster import` still runs, wait for it; where it was cut off, make another database, begin a cluster there (`belfry cluster create`), and import again"
        case .full(let words):
            "the database's disk is full: \(words). Make room there; what was not acknowledged is not lost to its sender"
        case .overloaded(let words): "the database has no room for this: \(words)"
        case .busy: "another statement holds that row of the database for too long"
        case .canceled(let words): "the database gave the statement up: \(words)"
        case .tooLarge(let bytes):
            "a commit of \(bytes) bytes is more than one row of the database holds (\(LogRow.bytesMax)); nothing of it was recorded. Send less at once"
        case .workerKnown(let id): "the database knows a worker \(id) already; every start draws a new id"
        case .unknown(let words): "nobody can say whether the database did it: \(words)"
        case .refused(let state, let words): "the database refused: \(words) (SQLSTATE \(state))"
        case .unintelligible(let words): "the database gave an answer that Belfry does not know: \(words)"
        }
    }

    /// 150018 as 15.18, 150000 as 15.
    static func text(_ version: Int) -> String {
        version % 10_000 == 0 ? "\(version / 10_000)" : "\(version / 10_000).\(version % 10_000)"
    }
}
