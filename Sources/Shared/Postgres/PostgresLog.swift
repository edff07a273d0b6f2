internal import CPostgres

/// The shared log in PostgreSQL.
public struct PostgresLog: SharedLog {
    private let url: String
    /// What libpq is given besides the URL, which goes over it.
    private let defaults: [(String, String)]

    /// - Parameter url: `postgres://…`, or libpq's `host=… dbname=…`. Nothing is connected yet.
    public init(_ url: String) throws(SharedLogError) {
        self.url = url
        var problem: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &problem)
        defer {
            PQconninfoFree(options)
            PQfreemem(problem)
        }
        guard let options else {
            // libpq quotes what it could not read, which may be a password.
            throw .wrongURL(url.contains("=") || url.contains("://") ? "libpq does not understand it" : "it is no URL")
        }
        var hosts = ""
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword).hasPrefix("host"), let value = option.pointee.val {
                hosts += String(cString: value)
            }
            option += 1
        }
        var defaults = [
            ("keepalives_idle", "2"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "6000"),
        ]
        // Of several hosts the primary is meant.
        if hosts.contains(",") { defaults.append(("target_session_attrs", "read-write")) }
        self.defaults = defaults
    }

    public func connect(_ terms: ConnectionTerms) throws(SharedLogError) -> any SharedLogConnection {
        let (link, found) = try sound(as: terms.worker, patience: terms.patience)
        do throws(SharedLogError) {
            guard found.hasSchema else { throw .noCluster(database: found.database) }
            guard found.maySeeSchema else { throw .noRights("to use the schema \(Cluster.schema)") }
            guard found.hasCluster else { throw .foreignSchema(database: found.database) }
            return PostgresSession(link, try cluster(link, found, terms))
        } catch {
            link.finish()
            throw error
        }
    }

    public func create(_ plan: ClusterPlan) throws(SharedLogError) -> Cluster {
        guard (1...Cluster.partitionsMax).contains(plan.partitions) else { throw .unusableCount(plan.partitions) }
        let (link, found) = try sound(as: nil, patience: ConnectionTerms().patience)
        defer { link.finish() }
        if !found.hasSchema {
            guard found.mayCreate else { throw .noRights("to create a schema in the database \(found.database)") }
            do throws(LinkFailure) {
                let answer = try link.run(Schema.script(plan))
                if let warning = answer.warnings.first { throw .broken(warning.message) }
            } catch .refused(let words) where ["42P06", "23505"].contains(words.state) {
                // Somebody else made one meanwhile.
            } catch {
                throw SharedLogError(error, changes: true)
            }
        }
        let made = try cluster(link, try look(link), ConnectionTerms())
        guard made.id == plan.id else { throw .clusterExists(made.id, partitions: made.partitions) }
        return made
    }
}

// MARK: - Where a connection leads

extension PostgresLog {
    /// What a connection leads to.
    private struct Found {
        var database: String
        var hasSchema: Bool
        var maySeeSchema: Bool
        var hasCluster: Bool
        var mayCreate: Bool
        var standbys: String
    }

    /// How the server knows a worker's connections.
    static func applicationName(of worker: WorkerID) -> String { "belfry \(worker)" }

    /// A connection, wherever it leads.
    func link(as worker: WorkerID? = nil, patience: Duration) throws(LinkFailure) -> Link {
        let name = worker.map(Self.applicationName) ?? "belfry"
        return try Link(
            defaults + [("dbname", url), ("application_name", name), ("client_encoding", "UTF8")], patience: patience)
    }

    private func sound(as worker: WorkerID?, patience: Duration) throws(SharedLogError) -> (Link, Found) {
        let link: Link
        do throws(LinkFailure) { link = try self.link(as: worker, patience: patience) } catch {
            throw SharedLogError(error, changes: false)
        }
        do throws(SharedLogError) {
            guard link.serverVersion >= Cluster.serverVersionMin else {
                throw .serverTooOld(version: link.serverVersion)
            }
            let found = try look(link)
            do throws(LinkFailure) {
                _ = try link.run(Schema.session(patience: patience))
            } catch {
                throw SharedLogError(error, changes: false)
            }
            return (link, found)
        } catch {
            link.finish()
            throw error
        }
    }

    private func look(_ link: Link) throws(SharedLogError) -> Found {
        let answer: Answer
        do throws(LinkFailure) {
            answer = try link.run(
                """
                SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                  current_database(), n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
                  EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'cluster'),
                  has_database_privilege(current_database(), 'CREATE'), current_setting('synchronous_standby_names')
                FROM (SELECT) o LEFT JOIN pg_namespace n ON n.nspname = '\(Cluster.schema)'
                """)
        } catch {
            throw SharedLogError(error, changes: false)
        }
        guard answer.count == 1 else { throw .unintelligible("\(answer.count) rows about the server") }
        func isTrue(_ column: Int) -> Bool { answer.text(0, column) == "t" }
        // A pooler draws a number of its own for each client; the server's is another.
        guard answer.text(0, 0) == "\(link.backend)" else { throw .pooled }
        guard !isTrue(1) else { throw .standby }
        guard !isTrue(2) else { throw .readOnly }
        return Found(
            database: answer.text(0, 3), hasSchema: isTrue(4), maySeeSchema: isTrue(5), hasCluster: isTrue(6),
            mayCreate: isTrue(7), standbys: answer.text(0, 8))
    }

    private func cluster(
        _ link: Link, _ found: Found, _ terms: ConnectionTerms
    ) throws(SharedLogError) -> Cluster {
        guard found.hasCluster else { throw .foreignSchema(database: found.database) }
        let (id, format, partitions): (ClusterID, Int, Int)
        var isSealed = false
        do throws(LinkFailure) {
            let answer = try link.ask(.cluster)
            guard answer.count == 1, let found = answer.identity(0, 0) as ClusterID?,
                let version = answer.integer(0, 1), let count = answer.integer(0, 2)
            else { throw .refused(ServerWords(severity: "ERROR", state: "42P01", message: "no cluster")) }
            (id, format, partitions) = (found, Int(version), Int(count))
            if format <= Cluster.formatVersion, terms.cluster.map({ $0 == id }) ?? true {
                let lacking = try link.ask(.rights)
                if lacking.count > 0 {
                    let all = (0..<lacking.count).map { lacking.text($0, 0) }
                    throw .refused(
                        ServerWords(severity: "ERROR", state: "42501", message: all.joined(separator: ", ")))
                }
                if format >= Cluster.formatWithKeys { isSealed = try link.ask(.sealing).bool(0, 0) }
            }
        } catch .refused(let words) where words.state.hasPrefix("42") && words.state != "42501" {
            throw .foreignSchema(database: found.database)
        } catch {
            throw SharedLogError(error, changes: false)
        }
        guard format <= Cluster.formatVersion else { throw .newerFormat(found: format) }
        if isSealed { try checkKeys(link) }
        if let expected = terms.cluster, expected != id { throw .anotherCluster(expected: expected, found: id) }
        if let expected = terms.partitions, expected != partitions {
            throw .anotherCount(expected: expected, found: partitions)
        }
        return Cluster(
            id: id, partitions: partitions, format: format, isSealed: isSealed, database: found.database,
            serverVersion: link.serverVersion, synchronousStandbys: found.standbys)
    }

    /// That the tables with the keys are there, and may be used.
    private func checkKeys(_ link: Link) throws(SharedLogError) {
        let lacking: [(isMissing: Bool, words: String)]
        do throws(LinkFailure) {
            let answer = try link.ask(.keyRights)
            lacking = (0..<answer.count).map { (answer.bool($0, 0), answer.text($0, 1)) }
        } catch {
            throw SharedLogError(error, changes: false)
        }
        guard let first = lacking.first else { return }
        let words = lacking.map(\.words).joined(separator: ", ")
        throw first.isMissing ? .keysMissing(words) : .noRights(words)
    }
}
