/// The tables of a cluster (`FORMAT.md`).
enum Schema {
    /// In how many children the log lies, so that each has an index of its own to insert into.
    static let children = 16

    /// One script is one transaction: there is all of a cluster, or nothing.
    static func script(_ plan: ClusterPlan) -> String {
        let logs = (0..<children).map { child in
            """
            CREATE TABLE belfry.log_\(child) PARTITION OF belfry.log
              FOR VALUES WITH (MODULUS \(children), REMAINDER \(child));
            ALTER TABLE belfry.log_\(child) ALTER frames SET STORAGE EXTERNAL;
            """
        }
        return """
            CREATE SCHEMA belfry;
            CREATE TABLE belfry.cluster (
              id uuid PRIMARY KEY,
              format int NOT NULL,
              partitions int NOT NULL CHECK (partitions BETWEEN 1 AND \(Cluster.partitionsMax)),
              created timestamptz NOT NULL DEFAULT clock_timestamp(),
              sealed boolean NOT NULL,
              one boolean NOT NULL DEFAULT true UNIQUE CHECK (one));
            CREATE TABLE belfry.worker (
              id uuid PRIMARY KEY,
              url text NOT NULL,
              alive_until timestamptz NOT NULL,
              leaving boolean NOT NULL DEFAULT false) WITH (fillfactor = 50);
            CREATE TABLE belfry.partition (
              id int PRIMARY KEY,
              epoch bigint NOT NULL CHECK (epoch >= 0),
              owner uuid,
              since timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 50);
            CREATE TABLE belfry.log (
              partition int NOT NULL,
              position bigint NOT NULL CHECK (position >= 0 AND position % 8 = 0),
              until bigint NOT NULL CHECK (until > position),
              epoch bigint NOT NULL,
              head bytea NOT NULL CHECK (length(head) = 32),
              frames bytea NOT NULL CHECK (length(frames) = until - position),
              PRIMARY KEY (partition, position)) PARTITION BY HASH (partition);
            ALTER TABLE belfry.log ALTER frames SET STORAGE EXTERNAL;
            \(logs.joined(separator: "\n"))
            CREATE TABLE belfry.snapshot (
              partition int NOT NULL REFERENCES belfry.partition,
              sort smallint NOT NULL,
              position bigint NOT NULL,
              epoch bigint NOT NULL,
              part int NOT NULL CHECK (part BETWEEN 0 AND parts - 1),
              parts int NOT NULL,
              bytes bytea NOT NULL,
              PRIMARY KEY (partition, sort, position, epoch, part));
            ALTER TABLE belfry.snapshot ALTER bytes SET STORAGE EXTERNAL;
            CREATE TABLE belfry.key_table (
              partition int PRIMARY KEY REFERENCES belfry.partition,
              generation bigint NOT NULL,
              destroyed bigint NOT NULL CHECK (destroyed >= 0),
              bytes bytea NOT NULL);
            CREATE TABLE belfry.key_page (
              partition int NOT NULL REFERENCES belfry.partition,
              slot int NOT NULL CHECK (slot >= 0),
              bytes bytea NOT NULL,
              PRIMARY KEY (partition, slot));
            CREATE TABLE belfry.missing (\(PostgresSession.missingColumns));
            ALTER TABLE belfry.key_table ALTER bytes SET STORAGE EXTERNAL;
            ALTER TABLE belfry.key_page ALTER bytes SET STORAGE EXTERNAL;
            INSERT INTO belfry.cluster (id, format, partitions, sealed)
              VALUES ('\(plan.id)', \(Cluster.formatVersion), \(plan.partitions), \(plan.isSealed));
            INSERT INTO belfry.partition (id, epoch)
              SELECT generate_series(\(Partition.everyone), \(plan.partitions - 1)), 0;
            """
    }

    /// What every session is set to, whatever the database or the user has as default.
    ///
    /// - Warnings must be heard: a cancelled wait for a standby answers success, with a warning.
    /// - READ COMMITTED looks again after waiting for a lock; the other levels fail or see what was.
    /// - A commit that did not wait for the disk, or for the standby that the operator asked for, was not durable.
    /// - A connection that appends may have nothing to say for hours.
    /// - The log is found by its key; statistics from when it was empty must not make a plan that reads it all. What has no other plan is
    ///   then so dear that it would be compiled each time.
    /// - Whoever may make functions in this database must not have them called by Belfry's role.
    static func session(patience: Duration) -> String {
        """
        SET client_min_messages = warning;
        SET default_transaction_isolation = 'read committed';
        SET lock_timeout = \(max(1, min(1000, patience.wholeMilliseconds / 2)));
        SET statement_timeout = \(max(1, patience.wholeMilliseconds));
        SET idle_session_timeout = 0;
        SET enable_seqscan = off;
        SET jit = off;
        SET search_path = pg_catalog, pg_temp;
        SELECT set_config('synchronous_commit', 'on', false)
          WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
        """
    }
}
