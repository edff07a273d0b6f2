"""Jobs in a PostgreSQL table with an index on when they are due, fetched by one poller that pauses for 10 ms.

JOBS  how late they are taken and committed, with 1,000 due every second

A cluster of its own with default settings, in a temporary directory; as the user postgres where this runs as root.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

PAUSE_SECONDS = 0.010
TAKE = """
    WITH due AS (
        SELECT id FROM job WHERE due <= clock_timestamp() ORDER BY due LIMIT 1000 FOR UPDATE SKIP LOCKED
    )
    DELETE FROM job USING due WHERE job.id = due.id RETURNING extract(epoch FROM job.due)::float8
"""


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    return found[-1] if found else None


def as_postgres(arguments):
    prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(
        prefix + arguments, check=True, cwd="/", stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
    )


def measure(directory, count):
    import psycopg

    with psycopg.connect(f"host={directory} dbname=postgres user=postgres", autocommit=True) as database:
        version = database.info.server_version // 10000
        database.execute("CREATE TABLE job (id bigserial PRIMARY KEY, due timestamptz NOT NULL)")
        start = time.time() + 3
        database.execute(
            "INSERT INTO job (due) SELECT to_timestamp(%s + number * 0.001) FROM generate_series(0, %s) number",
            (start, count - 1),
        )
        database.execute("CREATE INDEX ON job (due)")
        database.execute("ANALYZE job")
        lags = []
        while len(lags) < count and time.time() < start + 2 * count / 1000 + 5:
            rows = database.execute(TAKE, prepare=True).fetchall()
            # Autocommit: when the statement has returned, what it took is durable.
            now = time.time()
            lags += [now - due for (due,) in rows]
            time.sleep(PAUSE_SECONDS)
    lags.sort()
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    print(
        f"PostgreSQL {version}, a table polled every 10 ms: lag with {count:,} armed, 1,000 due/s\t"
        f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, {len(lags):,} taken"
    )


def main(count):
    bin = programs()
    if bin is None:
        print("a polled table\tleft out: PostgreSQL is not installed")
        return
    directory = tempfile.mkdtemp(prefix="polled-")
    data = directory + "/data"
    try:
        if os.geteuid() == 0:
            shutil.chown(directory, "postgres")
        as_postgres([f"{bin}/initdb", "-D", data, "-U", "postgres", "--auth=trust"])
        options = f"-c listen_addresses='' -c unix_socket_directories={directory}"
        as_postgres([f"{bin}/pg_ctl", "-D", data, "-l", directory + "/log", "-o", options, "-w", "start"])
        try:
            measure(directory, count)
        finally:
            as_postgres([f"{bin}/pg_ctl", "-D", data, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(int(sys.argv[1]))
