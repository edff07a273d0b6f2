/// What is asked of the database, in its words. Each is one transaction of its own; none is ever left open.
enum Statement: CaseIterable {
    case needs, cluster, sealing
    case register, renew, announce, leave, bury
    case acquire, terminate, handOver, concede, partitions, workers
    case tail, append, rows, presence
    case putPart, part, snapshots, prune
    case keyTable, keyPage, putKeyPage, putKeyTable, erasures, missingKeyPages

    var name: String { "belfry_\(self)" }
}

extension Statement {
    var sql: String {
        switch self {
        case .needs: Self.needsSQL
        case .cluster: "SELECT id, format, partitions FROM belfry.cluster"
        case .sealing: "SELECT sealed FROM belfry.cluster"
        case .register, .renew, .announce, .leave, .bury, .workers: workersSQL
        case .acquire, .terminate, .handOver, .concede, .partitions: partitionsSQL
        case .tail, .append, .rows, .presence: logSQL
        case .putPart, .part, .snapshots, .prune: snapshotsSQL
        case .keyTable, .keyPage, .putKeyPage, .putKeyTable, .erasures, .missingKeyPages: keysSQL
        }
    }

    /// What a cluster lacks for a worker, or for whoever only reads, all of it in one list: whether it is a table or a right, whether it is about people's keys,
    /// and in words. Asked of the catalog by name and number, since without USAGE on the schema a name is not looked up there.
    private static let needsSQL = """
        SELECT DISTINCT s.isMissing, s.isOfKeys, CASE WHEN s.isMissing THEN 'belfry.' || s.relation
          ELSE 'to ' || lower(s."right") || ' in belfry.' || s.relation END
        FROM (
          SELECT c.oid IS NULL AS isMissing, need.relation LIKE 'key%' AS isOfKeys, need.relation, need."right", c.oid
          FROM (VALUES ('cluster', 'SELECT'), ('worker', 'SELECT'), ('worker', 'INSERT'), ('worker', 'UPDATE'),
            ('worker', 'DELETE'), ('partition', 'SELECT'), ('partition', 'UPDATE'), ('log', 'SELECT'), ('log', 'INSERT'),
            ('snapshot', 'SELECT'), ('snapshot', 'INSERT'), ('snapshot', 'UPDATE'), ('snapshot', 'DELETE'),
            ('key_table', 'SELECT'), ('key_table', 'INSERT'), ('key_table', 'UPDATE'), ('key_page', 'SELECT'),
            ('key_page', 'INSERT'), ('key_page', 'UPDATE'), ('key_page', 'DELETE'),
            ('missing', 'SELECT'), ('missing', 'INSERT'), ('missing', 'UPDATE'), ('missing', 'DELETE')) need(relation, "right")
          LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'belfry')
            ON c.relname = need.relation AND c.relkind IN ('r', 'p')) s
        -- A cluster of before has no such table, which is made when there is something to tell.
        WHERE s.isMissing AND s.relation <> 'missing' OR (s."right" = 'SELECT' OR NOT $1::bool) AND NOT has_table_privilege(s.oid, s."right")
        ORDER BY 1 DESC, 3
        """

    /// Of the pages that the tables in force name, those that are not there, or not of their size. The table's layout is that of
    /// Sealing's FORMAT.md. `MATERIALIZED`, so that its bytes are
    /// fetched once, and not carried along with each number that is read out of them.
    private static let missingKeyPagesSQL = """
        WITH t AS MATERIALIZED (
          SELECT partition, bytes || ''::bytea AS b FROM belfry.key_table
          WHERE ($1::int IS NULL OR partition = $1::int) AND length(bytes) >= 152),
        n AS MATERIALIZED (
          SELECT partition, b, \(littleEndian("44")) AS pages, \(littleEndian("40")) * 80 AS size FROM t),
        e AS MATERIALIZED (
          SELECT partition, size, \(littleEndian("156 + 96 * i")) AS slot
          FROM n CROSS JOIN LATERAL generate_series(0, least(pages, (length(b) - 152) / 96)::int - 1) i)
        SELECT e.partition, e.slot FROM e WHERE NOT EXISTS (
          SELECT FROM belfry.key_page p WHERE p.partition = e.partition AND p.slot = e.slot AND length(p.bytes) = e.size)
        UNION ALL
        SELECT o.id, -1 FROM belfry.partition o
        WHERE ($1::int IS NULL OR o.id = $1::int) AND EXISTS (SELECT FROM belfry.log l WHERE l.partition = o.id)
          AND NOT EXISTS (SELECT FROM belfry.key_table k WHERE k.partition = o.id)
        ORDER BY 1, 2
        """

    private static func littleEndian(_ offset: String) -> String {
        "(" + (0..<4).map { "(get_byte(b, \(offset) + \($0))::bigint << \(8 * $0))" }.joined(separator: " + ") + ")"
    }

    private var keysSQL: String {
        switch self {
        case .keyTable: "SELECT generation, destroyed, bytes FROM belfry.key_table WHERE partition = $1::int"
        case .keyPage: "SELECT bytes FROM belfry.key_page WHERE partition = $1::int AND slot = $2::int"
        case .putKeyPage:
            """
            WITH f AS MATERIALIZED (
              SELECT id FROM belfry.partition WHERE id = $1::int AND epoch = $2::bigint FOR NO KEY UPDATE)
            INSERT INTO belfry.key_page SELECT f.id, $3::int, $4::bytea FROM f
            ON CONFLICT (partition, slot) DO UPDATE SET bytes = excluded.bytes RETURNING 1
            """
        case .putKeyTable:
            // The pages go in the same moment as the table that referred to them: there is no other time at which somebody would
            // know that nobody needs them.
            """
            WITH f AS MATERIALIZED (
              SELECT id FROM belfry.partition WHERE id = $1::int AND epoch = $2::bigint FOR NO KEY UPDATE),
            u AS (
              UPDATE belfry.key_table k SET generation = $3::bigint, destroyed = k.destroyed + $5::bigint, bytes = $6::bytea
              FROM f WHERE k.partition = f.id AND k.generation = $4::bigint RETURNING 1),
            i AS (
              INSERT INTO belfry.key_table SELECT f.id, $3::bigint, $5::bigint, $6::bytea FROM f WHERE $4::bigint IS NULL
              ON CONFLICT DO NOTHING RETURNING 1),
            d AS (
              DELETE FROM belfry.key_page p USING f
              WHERE p.partition = f.id AND NOT p.slot = ANY ($7::int[]) AND EXISTS (SELECT FROM u) RETURNING 1)
            SELECT (SELECT count(*) FROM u) + (SELECT count(*) FROM i), (SELECT count(*) FROM d)
            """
        case .missingKeyPages: Self.missingKeyPagesSQL
        default: "SELECT partition, destroyed FROM belfry.key_table"
        }
    }

    private var workersSQL: String {
        switch self {
        case .register:
            """
            INSERT INTO belfry.worker VALUES ($1::uuid, $2::text, clock_timestamp() + $3::bigint * interval '1 ms')
            ON CONFLICT DO NOTHING RETURNING 1
            """
        case .renew:
            """
            UPDATE belfry.worker SET alive_until = clock_timestamp() + $2::bigint * interval '1 ms'
            WHERE id = $1::uuid RETURNING 1
            """
        case .announce: "UPDATE belfry.worker SET leaving = true WHERE id = $1::uuid RETURNING 1"
        case .leave: "DELETE FROM belfry.worker WHERE id = $1::uuid"
        case .bury:
            """
            DELETE FROM belfry.worker WHERE alive_until < clock_timestamp() - $1::bigint * interval '1 ms' RETURNING 1
            """
        default:
            """
            SELECT w.id, w.url, (extract(epoch FROM w.alive_until) * 1000)::bigint,
              (extract(epoch FROM clock_timestamp()) * 1000)::bigint, w.leaving
            FROM (SELECT) o LEFT JOIN belfry.worker w ON true ORDER BY w.id
            """
        }
    }

    private var partitionsSQL: String {
        switch self {
        case .acquire:
            """
            UPDATE belfry.partition p SET epoch = epoch + 1, owner = $2::uuid, since = clock_timestamp()
            WHERE p.id = $1::int AND p.epoch = $3::bigint
              AND EXISTS (SELECT FROM belfry.worker w WHERE w.id = $2::uuid AND w.alive_until > clock_timestamp())
              AND (p.owner IS NULL OR p.owner = $2::uuid OR NOT EXISTS
                (SELECT FROM belfry.worker w WHERE w.id = p.owner AND w.alive_until > clock_timestamp()))
            RETURNING epoch
            """
        case .terminate:
            // Whoever holds a row has a transaction. Whoever is alive is left alone, unless it asks itself.
            """
            SELECT pg_terminate_backend(a.pid, 1000) FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.application_name LIKE 'belfry %-%' AND a.xact_start IS NOT NULL
              AND a.pid <> pg_backend_pid() AND NOT a.pid = ANY ($2::int[])
              AND (a.application_name = 'belfry ' || $1::uuid OR NOT EXISTS
                (SELECT FROM belfry.worker w
                 WHERE a.application_name = 'belfry ' || w.id AND w.alive_until > clock_timestamp()))
            """
        case .handOver:
            """
            UPDATE belfry.partition SET epoch = epoch + 1, owner = $3::uuid, since = clock_timestamp()
            WHERE id = $1::int AND epoch = $2::bigint
              AND EXISTS (SELECT FROM belfry.worker w WHERE w.id = $3::uuid AND w.alive_until > clock_timestamp())
            RETURNING epoch
            """
        case .concede:
            """
            UPDATE belfry.partition SET epoch = epoch + 1, owner = NULL, since = clock_timestamp()
            WHERE id = $1::int AND epoch = $2::bigint RETURNING epoch
            """
        default:
            """
            SELECT id, epoch, owner, (extract(epoch FROM since) * 1000)::bigint FROM belfry.partition ORDER BY id
            """
        }
    }

    private var logSQL: String {
        switch self {
        case .append:
            // The fence is the lock on the partition's row. FOR NO KEY UPDATE waits for whoever changes the epoch and then looks
            // again; FOR KEY SHARE would do neither, and a stale owner would write. It makes no version of the row.
            // A scalar subquery for the row in front, because no planner ever turns that into a scan of the whole log.
            """
            WITH b AS MATERIALIZED (
              SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[],
                $7::bytea[], $8::bytea[]) t(partition, epoch, prev, position, until, expected, head, frames)),
            f AS MATERIALIZED (
              SELECT p.id FROM belfry.partition p JOIN b ON p.id = b.partition AND p.epoch = b.epoch
              ORDER BY p.id FOR NO KEY UPDATE OF p)
            INSERT INTO belfry.log
            SELECT b.partition, b.position, b.until, b.epoch, b.head, b.frames FROM b JOIN f ON f.id = b.partition
            WHERE b.position = 0 OR (
              SELECT l.until = b.position AND l.head = b.expected FROM belfry.log l
              WHERE l.partition = b.partition AND l.position = b.prev)
            ON CONFLICT DO NOTHING RETURNING partition
            """
        case .rows:
            """
            SELECT position, until, epoch, head, frames FROM belfry.log
            WHERE partition = $1::int AND position < $2::bigint + $3::bigint AND until > $2::bigint AND position >= coalesce(
              (SELECT max(position) FROM belfry.log WHERE partition = $1::int AND position <= $2::bigint), 0)
            ORDER BY position
            """
        case .presence:
            // Of a long row only the piece is read that is looked at, and of one row alone.
            """
            SELECT until, head, CASE WHEN until > $2::bigint
              THEN substring(frames FROM ($2::bigint - position)::int + 1 FOR \(AcknowledgedHead.headerBytes)) END
            FROM (SELECT position, until, head, frames FROM belfry.log WHERE partition = $1::int AND position < $2::bigint
              ORDER BY position DESC LIMIT 1) l
            """
        default:
            """
            SELECT position, until, epoch, head FROM belfry.log WHERE partition = $1::int ORDER BY position DESC LIMIT 1
            """
        }
    }

    private var snapshotsSQL: String {
        switch self {
        case .putPart:
            """
            WITH f AS MATERIALIZED (
              SELECT id FROM belfry.partition WHERE id = $1::int AND epoch = $2::bigint FOR NO KEY UPDATE)
            INSERT INTO belfry.snapshot SELECT f.id, $3::smallint, $4::bigint, $2::bigint, $5::int, $6::int, $7::bytea FROM f
            ON CONFLICT (partition, sort, position, epoch, part) DO UPDATE SET parts = excluded.parts, bytes = excluded.bytes
            RETURNING 1
            """
        case .snapshots:
            """
            SELECT position, epoch, max(parts) FROM belfry.snapshot WHERE partition = $1::int AND sort = $2::smallint
            GROUP BY position, epoch HAVING count(*) = max(parts) AND min(parts) = max(parts)
            ORDER BY position DESC, epoch DESC
            """
        case .part:
            """
            SELECT bytes FROM belfry.snapshot WHERE partition = $1::int AND sort = $2::smallint AND position = $3::bigint
              AND epoch = $4::bigint AND part = $5::int AND parts = $6::int
            """
        default:
            // Fenced like a write: who has the partition by now may be reading what an old owner would remove.
            """
            WITH f AS MATERIALIZED (
              SELECT id FROM belfry.partition WHERE id = $1::int AND epoch = $2::bigint FOR NO KEY UPDATE),
            d AS (
              DELETE FROM belfry.snapshot s USING f WHERE s.partition = f.id AND s.ctid = ANY (ARRAY (
                SELECT o.ctid FROM belfry.snapshot o WHERE o.partition = $1::int AND o.sort = $3::smallint
                  AND NOT EXISTS (SELECT FROM unnest($4::bigint[], $5::bigint[]) k(position, epoch)
                    WHERE k.position = o.position AND k.epoch = o.epoch) LIMIT $6::int)) RETURNING 1)
            SELECT (SELECT count(*) FROM f), (SELECT count(*) FROM d)
            """
        }
    }
}
