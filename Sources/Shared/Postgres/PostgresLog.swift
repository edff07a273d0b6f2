internal import CPostgres

/// The shared log in PostgreSQL.
public struct PostgresLog: SharedLog {
    private let url: String
    /// What libpq is given besides the URL, which goes over it.
    private let defaults: [(String, String)]
    private let hosts: PostgresHosts

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
        let given = Self.values(of: options)
        // Directories of sockets, and sockets without one, may be called as they like.
        let names = (given["host"] ?? "").split(separator: ",").filter { !$0.hasPrefix("/") && !$0.hasPrefix("@") }
        if names.contains(where: { $0.contains { "@= \t".contains($0) } }) {
            throw .wrongURL(
                "the host's name cannot be read; in a password `@`, `:`, `/`, `%` and blanks are written as %40, %3A, %2F, %25 and %20"
            )
        }
        self.hosts = PostgresHosts(given)
        let usual = PQconndefaults()
        defer { PQconninfoFree(usual) }
        let elsewhere = usual.map { Self.values(of: $0) } ?? [:]
        let named = ["host", "hostaddr"].compactMap { given[$0] ?? elsewhere[$0] }
        var defaults = [
            ("keepalives_idle", "2"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "6000"),
        ]
        // Of several hosts the primary is meant.
        if named.contains(where: { $0.contains(",") }) { defaults.append(("target_session_attrs", "primary")) }
        self.defaults = defaults
    }

    /// What is said of each keyword of libpq's that something is said of.
    private static func values(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return values
    }

    public func connect(_ terms: ConnectionTerms) throws(SharedLogError) -> any SharedLogConnection {
        let (link, found) = try sound(terms)
        do throws(SharedLogError) {
            guard found.hasSchema else { throw .noCluster(database: found.database) }
            return PostgresSession(link, try cluster(link, found, terms))
        } catch {
            link.finish()
            throw error
        }
    }

    public func create(_ plan: ClusterPlan) throws(SharedLogError) -> Cluster {
        guard (1...Cluster.partitionsMax).contains(plan.partitions) else { throw .unusableCount(plan.partitions) }
        let (link, found) = try sound(ConnectionTerms())
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
        let made = try cluster(link, try look(link, ConnectionTerms()), ConnectionTerms())
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
        var mayCreate: Bool
        var standbys: String
    }

    /// How the server knows a worker's connections.
    static func applicationName(of worker: WorkerID) -> String { "belfry \(worker)" }

    /// A connection, wherever it leads.
    func link(as worker: WorkerID? = nil, patience: Duration) throws(LinkFailure) -> Link {
        let name = worker.map(Self.applicationName) ?? "belfry"
        let settings = defaults + [("dbname", url), ("application_name", name), ("client_encoding", "UTF8")]
        guard hosts.names.count > 1 else { return try Link(settings, patience: patience) }
        return try hosts.first { (host) throws(LinkFailure) in
            try Link(settings + host, patience: patience, opening: patience / hosts.names.count)
        }
    }

    private func sound(_ terms: ConnectionTerms) throws(SharedLogError) -> (Link, Found) {
        let link: Link
        do throws(LinkFailure) { link = try self.link(as: terms.worker, patience: terms.patience) } catch {
            throw SharedLogError(error, changes: false)
        }
        do throws(SharedLogError) {
            guard link.serverVersion >= Cluster.serverVersionMin else {
                throw .serverTooOld(version: link.serverVersion)
            }
            let found = try look(link, terms)
            do throws(LinkFailure) {
                _ = try link.run(Schema.session(patience: terms.patience))
            } catch {
                throw SharedLogError(error, changes: false)
            }
            return (link, found)
        } catch {
            link.finish()
            throw error
        }
    }

    private func look(_ link: Link, _ terms: ConnectionTerms) throws(SharedLogError) -> Found {
        let answer: Answer
        do throws(LinkFailure) {
            answer = try link.run(
                """
                SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                  current_database(), n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
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
        guard !isTrue(2) || terms.isReading else { throw .readOnly }
        return Found(
            database: answer.text(0, 3), hasSchema: isTrue(4), maySeeSchema: isTrue(5),
            mayCreate: isTrue(6), standbys: answer.text(0, 7))
    }

    private func cluster(
        _ link: Link, _ found: Found, _ terms: ConnectionTerms
    ) throws(SharedLogError) -> Cluster {
        let needs = try Needs(link, found, toRead: terms.isReading)
        guard needs.isCluster else { throw .foreignSchema(database: found.database) }
        // Which cluster it is, and of which format, is said before what it lacks, where it can be read.
        guard needs.mayRead else {
            throw needs.problem(isSealed: needs.hasKeyTables) ?? .foreignSchema(database: found.database)
        }
        let (id, format, partitions): (ClusterID, Int, Int)
        var isSealed = false
        do throws(LinkFailure) {
            let answer = try link.ask(.cluster)
            guard answer.count == 1, let found = answer.identity(0, 0) as ClusterID?,
                let version = answer.integer(0, 1), let count = answer.integer(0, 2)
            else { throw .refused(ServerWords(severity: "ERROR", state: "42P01", message: "no cluster")) }
            (id, format, partitions) = (found, Int(version), Int(count))
            if format >= Cluster.formatWithKeys, format <= Cluster.formatVersion {
                isSealed = try link.ask(.sealing).bool(0, 0)
            }
        } catch .refused(let words) where words.state.hasPrefix("42") && words.state != "42501" {
            throw .foreignSchema(database: found.database)
        } catch {
            throw SharedLogError(error, changes: false)
        }
        guard format <= Cluster.formatVersion else { throw .newerFormat(found: format) }
        if let expected = terms.cluster, expected != id { throw .anotherCluster(expected: expected, found: id) }
        if let problem = needs.problem(isSealed: isSealed) { throw problem }
        if let expected = terms.partitions, expected != partitions {
            throw .anotherCount(expected: expected, found: partitions)
        }
        return Cluster(
            id: id, partitions: partitions, format: format, isSealed: isSealed, database: found.database,
            serverVersion: link.serverVersion, synchronousStandbys: found.standbys)
    }

    /// What the schema and its user lack, read at once, so that whoever mends it sees all of it.
    private struct Needs {
        private struct Lack {
            var isMissing: Bool
            var isOfKeys: Bool
            var words: String
        }

        private let lacks: [Lack]
        private let maySeeSchema: Bool
        private let database: String

        /// - Parameter toRead: and nothing else.
        init(_ link: Link, _ found: Found, toRead: Bool) throws(SharedLogError) {
            do throws(LinkFailure) {
                let answer = try link.ask(.needs, [.bool(toRead)])
                lacks = (0..<answer.count).map {
                    Lack(isMissing: answer.bool($0, 0), isOfKeys: answer.bool($0, 1), words: answer.text($0, 2))
                }
            } catch {
                throw SharedLogError(error, changes: false)
            }
            (maySeeSchema, database) = (found.maySeeSchema, found.database)
        }

        /// Where most of the tables are there it is a cluster that lost some, and else somebody else's schema.
        var isCluster: Bool {
            let missing = lacks.filter { $0.isMissing && !$0.isOfKeys }
            return missing.count <= (missing.contains { $0.words == "belfry.cluster" } ? 1 : Self.lostMost)
        }

        /// Whether what the cluster says of itself can be read.
        var mayRead: Bool { maySeeSchema && !lacks.contains { $0.words.hasSuffix("belfry.cluster") } }

        var hasKeyTables: Bool { !lacks.contains { $0.isMissing && $0.isOfKeys } }

        /// Of five.
        private static let lostMost = 3

        func problem(isSealed: Bool) -> SharedLogError? {
            let lacks = lacks.filter { isSealed || !$0.isOfKeys }
            let missing = lacks.filter(\.isMissing)
            if !missing.isEmpty {
                let words = missing.map(\.words).joined(separator: ", ")
                guard missing.allSatisfy(\.isOfKeys) else { return .tablesMissing(database: database, words) }
                return .keysMissing("\(words) \(missing.count == 1 ? "is" : "are") missing")
            }
            let rights = (maySeeSchema ? [] : ["to use the schema \(Cluster.schema)"]) + lacks.map(\.words)
            return rights.isEmpty ? nil : .noRights(rights.joined(separator: ", "))
        }
    }
}
