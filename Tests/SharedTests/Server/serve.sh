#!/bin/sh
# Usage: serve.sh BIN FOLDER [SETTING...]
# Starts a PostgreSQL server of its own in FOLDER, on a Unix socket there and nowhere else. Says "ready" and serves until
# its input ends, however whoever started it came to its end; then stops the server and removes FOLDER.
set -eu
bin=$1 folder=$2
shift 2
trap '' INT HUP TERM

# PostgreSQL refuses to run as root.
as_somebody() {
    if [ "$(id -u)" = 0 ]; then
        user=nobody
        ! id postgres >/dev/null 2>&1 || user=postgres
        chown "$user" "$folder"
        (cd "$folder" && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@")
    else
        "$@"
    fi
}

finish() {
    [ ! -f "$folder/data/postmaster.pid" ] || as_somebody "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap finish EXIT

options="-c listen_addresses= -c unix_socket_directories=$folder -c fsync=off -c shared_buffers=32MB -c max_connections=100"
options="$options -c autovacuum=off -c max_prepared_transactions=8 -c wal_level=replica"
for setting in "$@"; do options="$options -c $setting"; done
as_somebody "$bin/initdb" -D "$folder/data" -U belfry --auth=trust --no-sync --encoding=UTF8 --locale=C >"$folder/made" 2>&1 ||
    { cat "$folder/made" >&2; exit 1; }
: >"$folder/said"
chmod 666 "$folder/said"
as_somebody "$bin/pg_ctl" -D "$folder/data" -w -o "$options" -l "$folder/said" start >"$folder/started" 2>&1 ||
    { cat "$folder/started" "$folder/said" >&2; exit 1; }
echo ready
cat >/dev/null
