/// What a database is, as an operator is to know it: looked at, and nothing refused for it.
public struct Examination: Sendable {
    public struct Finding: Sendable, Equatable {
        public var name: String
        public var isWell: Bool
        public var detail: String
    }

    public private(set) var findings: [Finding] = []

    /// A difference that anybody would notice.
    private static let clockMsMax: Int64 = 1_000
    /// What a worker has.
    private static let connections = 4
    private static let rounds = 9
    private static let patience = Duration.seconds(5)

    /// - Parameter now: this machine's clock, in milliseconds since 1970.
    public init(_ log: PostgresLog, now: () -> Int64) {
        let link: Link
        do throws(LinkFailure) { link = try log.link(patience: Self.patience) } catch {
            note("connection", false, "\(SharedLogError(error, changes: false))")
            return
        }
        defer { link.finish() }
        do throws(LinkFailure) {
            guard version(link) else { return }
            let facts = try Facts(link, now: now)
            guard primary(facts, link) else { return }
            encoding(facts)
            durability(facts)
            try standbys(facts, link)
            timeOuts(facts)
            try room(facts, link)
            try speed(link)
            clock(facts)
            schema(facts, log)
        } catch {
            note("connection", false, "\(SharedLogError(error, changes: false))")
        }
    }

    private mutating func note(_ name: String, _ isWell: Bool, _ detail: String) {
        findings.append(Finding(name: name, isWell: isWell, detail: detail))
    }

    // MARK: What it says of itself

    /// Read in one statement, as the database's user sees it.
    private struct Facts {
        var backend: String
        var isStandby: Bool
        var isReadOnly: Bool
        var database: String
        var user: String
        var encoding: String
        var settings: [String: String] = [:]
        /// By how much the database's clock is ahead, give or take half the time that the question took.
        var aheadMs: Int64
        var hasSchema: Bool
        var mayCreate: Bool

        private static let names = [
            "synchronous_standby_names", "synchronous_commit", "fsync", "full_page_writes", "statement_timeout",
            "idle_in_transaction_session_timeout", "idle_session_timeout", "max_connections",
            "superuser_reserved_connections", "data_checksums",
        ]

        init(_ link: Link, now: () -> Int64) throws(LinkFailure) {
            let settings = Self.names.map { "current_setting('\($0)')" }.joined(separator: ", ")
            let before = now()
            let answer = try link.run(
                """
                SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                  current_database(), current_user, pg_encoding_to_char(d.encoding),
                  (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                  EXISTS (SELECT FROM pg_namespace WHERE nspname = '\(Cluster.schema)'),
                  has_database_privilege(current_database(), 'CREATE'), \(settings)
                FROM pg_database d WHERE d.datname = current_database()
                """)
            let after = now()
            func text(_ column: Int) -> String { answer.text(0, column) }
            guard answer.count == 1, let clock = Int64(text(6)) else { throw .broken("it says nothing of itself") }
            (backend, isStandby, isReadOnly) = (text(0), text(1) == "t", text(2) == "t")
            (database, user, encoding) = (text(3), text(4), text(5))
            aheadMs = clock - (before + after) / 2
            (hasSchema, mayCreate) = (text(7) == "t", text(8) == "t")
            for (place, name) in Self.names.enumerated() { self.settings[name] = text(9 + place) }
        }

        subscript(_ setting: String) -> String { settings[setting] ?? "" }
    }

    private mutating func version(_ link: Link) -> Bool {
        let isNew = link.serverVersion >= Cluster.serverVersionMin
        note(
            "version", isNew,
            isNew
                ? "PostgreSQL \(SharedLogError.text(link.serverVersion))"
                : "\(SharedLogError.serverTooOld(version: link.serverVersion))")
        return isNew
    }

    /// `false` where it makes no sense to go on.
    private mutating func primary(_ facts: Facts, _ link: Link) -> Bool {
        // A pooler draws a number of its own for each client; the server's is another.
        let problem: SharedLogError? =
            facts.backend != "\(link.backend)"
            ? .pooled : facts.isStandby ? .standby : facts.isReadOnly ? .readOnly : nil
        note(
            "primary", problem == nil,
            problem.map { "\($0)" } ?? "the database \(facts.database) takes writes, asked directly as \(facts.user)")
        return problem == nil
    }

    private mutating func encoding(_ facts: Facts) {
        note(
            "encoding", true,
            facts.encoding == "UTF8"
                ? facts.encoding : "\(facts.encoding): the workers' addresses alone are text there, all else is bytes")
    }

    private mutating func durability(_ facts: Facts) {
        let missing = ["fsync", "full_page_writes"].filter { facts[$0] != "on" }
        note(
            "durability", missing.isEmpty,
            missing.isEmpty
                ? "fsync and full_page_writes are on, checksums of pages \(facts["data_checksums"]); workers commit with synchronous_commit on"
                : "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") off, so a power cut loses what was acknowledged; switch on in postgresql.conf"
        )
    }

    private mutating func standbys(_ facts: Facts, _ link: Link) throws(LinkFailure) {
        let names = facts["synchronous_standby_names"]
        let lags = try lags(link)
        guard !names.isEmpty else {
            return note(
                "standbys", true,
                "synchronous_standby_names is empty: what is acknowledged is on this server alone, unless its storage is replicated. 'FIRST 1 (s1)' puts it on a standby first (M5)\(lags)"
            )
        }
        let answer = try link.run(
            """
            SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),
              pg_has_role(current_user, 'pg_monitor', 'USAGE') OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
            FROM pg_stat_replication
            """)
        guard answer.text(0, 1) == "t" else {
            return note(
                "standbys", true,
                "commits wait for \(names); whether one is connected \(facts.user) may not see (GRANT pg_monitor TO \(facts.user))"
            )
        }
        let count = Int(answer.text(0, 0)) ?? 0
        note(
            "standbys", count > 0,
            count > 0
                ? "commits wait for \(names); synchronous at present: \(count)\(lags)"
                : "commits wait for \(names), and none of them is connected: every commit hangs until one comes. Start it, or take it out of synchronous_standby_names"
        )
    }

    /// How far each standby is behind, as far as the user may see it; nothing where there is none.
    private func lags(_ link: Link) throws(LinkFailure) -> String {
        let answer = try link.run(
            """
            SELECT coalesce(string_agg(format('; %s (%s) is %s behind', application_name, sync_state,
              pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))), '' ORDER BY application_name), '')
            FROM pg_stat_replication WHERE replay_lsn IS NOT NULL
            """)
        return answer.text(0, 0)
    }

    private mutating func timeOuts(_ facts: Facts) {
        let others = ["statement_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout"].filter {
            facts[$0] != "0"
        }
        note(
            "time-outs", true,
            others.isEmpty
                ? "none is set for \(facts.user)"
                : others.map { "\($0) is \(facts[$0])" }.joined(separator: ", ")
                    + "; workers set their own, and leave no transaction open")
    }

    private mutating func room(_ facts: Facts, _ link: Link) throws(LinkFailure) {
        let answer = try link.run(
            """
            SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
              (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user),
              (SELECT datconnlimit FROM pg_database WHERE datname = current_database())
            """)
        let most = (Int(facts["max_connections"]) ?? 0) - (Int(facts["superuser_reserved_connections"]) ?? 0)
        let used = Int(answer.text(0, 0)) ?? 0
        let limits = [answer.text(0, 1), answer.text(0, 2)].compactMap { Int($0) }.filter { $0 >= 0 }
        let free = max(0, most - used)
        let least = min(free, limits.min() ?? .max)
        note(
            "connections", least >= Self.connections,
            least >= Self.connections
                ? "\(free) of \(most) are free; a worker has \(Self.connections), and up to 2 more while partitions move"
                : "\(least) are left for \(facts.user), and a worker needs \(Self.connections); raise max_connections, or the limit of the user or the database"
        )
    }

    /// How long a question takes there and back: every commit takes at least that.
    private mutating func speed(_ link: Link) throws(LinkFailure) {
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let start = BootInstant.current
            _ = try link.run("SELECT 1")
            times.append(Double((BootInstant.current - start).wholeNanoseconds) / 1e6)
        }
        let middle = times.sorted()[Self.rounds / 2]
        note("distance", true, "a question takes \((middle * 100).rounded() / 100) ms there and back")
    }

    private mutating func clock(_ facts: Facts) {
        let isNear = abs(facts.aheadMs) <= Self.clockMsMax
        note(
            "clocks", isNear,
            isNear
                ? "the database's and this machine's agree within a second"
                : "the database's is \(abs(facts.aheadMs)) ms \(facts.aheadMs > 0 ? "ahead of" : "behind") this machine's; set them by one time service. Leases hold all the same, but recorded time stands still where a partition comes to a machine that is behind"
        )
    }

    // MARK: What is in it

    private mutating func schema(_ facts: Facts, _ log: PostgresLog) {
        guard facts.hasSchema else {
            return note(
                "cluster", facts.mayCreate,
                facts.mayCreate
                    ? "there is none in \(facts.database) yet; `belfry cluster create` makes it"
                    : "there is none in \(facts.database), and \(facts.user) may not create a schema there: GRANT CREATE ON DATABASE \(facts.database) TO \(facts.user), or have its owner run `belfry cluster create`"
            )
        }
        do throws(SharedLogError) {
            let connection = try log.connect(ConnectionTerms(patience: Self.patience))
            defer { connection.close() }
            let cluster = connection.cluster
            let view = try connection.view()
            let orphans = view.partitions.count { view.url(ofOwnerOf: $0.number) == nil }
            note(
                "cluster", true,
                "\(cluster.id), format \(cluster.format), of \(cluster.partitions) partitions, \(cluster.isSealed ? "with seals" : "without seals: nobody can be erased"); \(view.living.count) workers live, \(orphans) logs have no owner; \(facts.user) may do all that a worker does"
            )
            if try connection.missing().contains(where: \.isOfImport) {
                note("import", false, "\(SharedLogError.halfImported(database: cluster.database))")
            }
            guard cluster.isSealed else { return }
            let lost = SharedLogError(missing: try connection.missingKeyPages(of: nil))
            note("keys", lost == nil, lost.map { "\($0)" } ?? "every page that the tables of keys name is there")
        } catch {
            note("cluster", false, "\(error)")
        }
    }
}
