import CPostgres
import Shared

/// A client of PostgreSQL that does what it is told, and waits for it: the tests' hand in the database.
final class RawClient {
    private var connection: OpaquePointer?

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    init(_ url: String, as name: String = "test") throws {
        connection = PQconnectdb(
            url + (url.contains("?") ? "&" : "?") + "application_name=" + name.replacing(" ", with: "%20"))
        guard PQstatus(connection) == CONNECTION_OK else { throw Failure(description: said) }
        // What is being looked for are not notices.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { close() }

    var backend: Int32 { PQbackendPID(connection) }
    private var said: String { PQerrorMessage(connection).map { String(cString: $0) } ?? "" }

    func close() {
        if let connection { PQfinish(connection) }
        connection = nil
    }

    /// The rows of the last statement, as text.
    @discardableResult
    func run(_ script: String) throws -> [[String]] {
        let result = PQexec(connection, script)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw Failure(description: said) }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
        }
    }

    func value(_ query: String) throws -> String { try run(query).first?.first ?? "" }

    /// Sends a statement in a pipeline and stops before the end of it: the server has carried it out, and holds its locks.
    func runAndPauseBeforeSync(_ statement: String) throws {
        guard PQenterPipelineMode(connection) == 1,
            PQsendQueryParams(connection, statement, 0, nil, nil, nil, nil, 0) == 1,
            PQsendFlushRequest(connection) == 1, PQflush(connection) == 0
        else { throw Failure(description: said) }
        let result = PQgetResult(connection)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw Failure(description: said) }
    }

    /// Asks again and again until the answer is as wanted. Each asking is a round trip, which takes its time.
    func wait(until query: String, is wanted: String) throws {
        let patience = BootInstant.current + .seconds(20)
        while try value(query) != wanted {
            guard BootInstant.current < patience else { throw Failure(description: "\(query) is not \(wanted)") }
        }
    }
}
