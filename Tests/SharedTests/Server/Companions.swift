import Foundation

/// A program that serves beside the tests' PostgreSQL, started by a script that ends it when its input ends.
class Companion {
    let folder: String
    private let process = Process()
    private let input = Pipe()

    /// - Parameter script: what starts it, in `$folder`, as `as_somebody`; it must have been started when the script ends.
    ///   `finish` ends it.
    init(start: String, finish: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let output = Pipe()
        for end in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            set -eu
            folder=\(folder) bin=\(PostgresServer.programs ?? "")
            trap '' INT HUP TERM
            as_somebody() {
                if [ "$(id -u)" = 0 ]; then
                    user=nobody
                    ! id postgres >/dev/null 2>&1 || user=postgres
                    chown -R "$user" "$folder"
                    (cd "$folder" && setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups "$@")
                else
                    "$@"
                fi
            }
            finish() { \(finish); rm -rf "$folder"; }
            trap finish EXIT
            \(start)
            echo ready
            cat >/dev/null
            """,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.availableData
        guard said == Data("ready\n".utf8) else {
            throw PostgresServer.Failure(words: "it did not start: \(String(decoding: said, as: UTF8.self))")
        }
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func url(_ database: String) -> String { "postgres://belfry@/\(database)?host=\(folder)" }
}

/// PgBouncer in front of the tests' server.
final class Pooler: Companion {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")

    init(in server: PostgresServer, mode: String) throws {
        try super.init(
            start: """
                cat >"$folder/pooler.ini" <<TEXT
                [databases]
                * = host=\(server.folder) user=belfry
                [pgbouncer]
                listen_addr =
                listen_port = 5432
                unix_socket_dir = $folder
                auth_type = any
                pool_mode = \(mode)
                ignore_startup_parameters = extra_float_digits
                logfile = $folder/said
                pidfile = $folder/pid
                TEXT
                as_somebody /usr/sbin/pgbouncer -q -d "$folder/pooler.ini" >/dev/null 2>&1
                tries=0
                while [ ! -S "$folder/.s.PGSQL.5432" ] || [ ! -s "$folder/pid" ]; do
                    tries=$((tries + 1))
                    [ $tries -lt 200 ] || exit 1
                    sleep 0.05
                done
                """,
            finish: "[ ! -f \"$folder/pid\" ] || kill -9 \"$(cat \"$folder/pid\")\"")
    }
}

/// A hot standby of the tests' server.
final class Standby: Companion {
    init(of server: PostgresServer) throws {
        try super.init(
            start: """
                as_somebody "$bin/pg_basebackup" -h \(server.folder) -U belfry -D "$folder/data" -R -X stream -c fast --no-sync
                as_somebody chmod 700 "$folder/data"
                : >"$folder/said"
                as_somebody "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/said" \\
                    -o "-c listen_addresses= -c unix_socket_directories=$folder -c fsync=off -c max_connections=100 -c max_prepared_transactions=8" \\
                    start >/dev/null
                """,
            finish: "as_somebody \"$bin/pg_ctl\" -D \"$folder/data\" -m immediate stop >/dev/null 2>&1 || true")
    }
}
