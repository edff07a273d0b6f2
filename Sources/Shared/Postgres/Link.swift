internal import CPostgres

/// Why a statement has no answer.
enum LinkFailure: Error {
    /// The server did not let the connection be made.
    case turnedAway(ServerWords)
    /// The server refused the statement, and undid what it had done.
    case refused(ServerWords)
    /// The connection broke, or the server ended it: whether the statement was carried out, nobody knows.
    case broken(String)
    /// There was no answer in time. The connection has been given up, and nobody knows either.
    case late
}

/// One connection through libpq, used by one thread at a time.
///
/// libpq never waits here: it is given and asks for bytes as the socket allows, and this waits for the socket with a
/// deadline. (Looking up a host's name is the exception; libpq has no other way.)
final class Link {
    private var connection: OpaquePointer?
    private let heard = Heard()
    private var prepared: Set<Statement> = []
    private let patience: Duration

    /// What the server says unasked, for as long as one statement is under way.
    private final class Heard {
        var warnings: [ServerWords] = []
    }

    /// - Parameters:
    ///   - settings: pairs of libpq's keywords and values; later ones go over earlier ones.
    ///   - opening: how long the connection may take to be made; as long as any answer unless said.
    init(_ settings: [(String, String)], patience: Duration, opening: Duration? = nil) throws(LinkFailure) {
        self.patience = patience
        var keywords = settings.map { UnsafePointer(strdup($0.0)) } + [nil]
        var values = settings.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for word in keywords + values { free(UnsafeMutablePointer(mutating: word)) } }
        // 1: what stands for `dbname` may be a URL.
        connection = PQconnectStartParams(&keywords, &values, 1)
        do throws(LinkFailure) {
            try open(by: BootInstant.current + (opening ?? patience))
        } catch {
            finish()
            throw error
        }
        PQsetnonblocking(connection, 1)
        listen()
    }

    deinit { finish() }

    var isOpen: Bool { connection != nil }
    var backend: Int32 { PQbackendPID(connection) }
    var serverVersion: Int { Int(PQserverVersion(connection)) }
    var database: String { PQdb(connection).map { String(cString: $0) } ?? "" }

    func finish() {
        if let connection { PQfinish(connection) }
        connection = nil
    }

    // MARK: Asking

    /// Sends a statement that is kept prepared, and waits for all of its answer.
    func ask(_ statement: Statement, _ parameters: [Parameter] = []) throws(LinkFailure) -> Answer {
        let deadline = BootInstant.current + patience
        if !prepared.contains(statement) {
            _ = try exchange(by: deadline) { PQsendPrepare($0, statement.name, statement.sql, 0, nil) }
            prepared.insert(statement)
        }
        return try exchange(by: deadline) { connection in
            let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            return Self.withPointers(parameters[...]) { values in
                PQsendQueryPrepared(
                    connection, statement.name, Int32(parameters.count), values, lengths, formats, 1)
            }
        }
    }

    /// Sends statements without parameters, which the server carries out as one transaction. The answer is the last one's.
    func run(_ script: String) throws(LinkFailure) -> Answer {
        try exchange(by: BootInstant.current + patience) { PQsendQuery($0, script) }
    }

    private func exchange(
        by deadline: BootInstant, _ send: (OpaquePointer) -> Int32
    ) throws(LinkFailure) -> Answer {
        guard let connection else { throw .broken("the connection was closed") }
        heard.warnings = []
        do throws(LinkFailure) {
            guard send(connection) == 1 else { throw .broken(said(connection)) }
            try flush(connection, by: deadline)
            return try collect(connection, by: deadline)
        } catch {
            if case .refused = error { throw error }
            // Bytes of this exchange may still come: nothing can be asked here any more.
            finish()
            throw error
        }
    }

    private func flush(_ connection: OpaquePointer, by deadline: BootInstant) throws(LinkFailure) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                try wait(connection, reading: true, writing: true, by: deadline)
                guard PQconsumeInput(connection) == 1 else { throw .broken(said(connection)) }
            default: throw .broken(said(connection))
            }
        }
    }

    /// Reads until the server is ready for another statement; the last result counts, unless one is an error.
    private func collect(_ connection: OpaquePointer, by deadline: BootInstant) throws(LinkFailure) -> Answer {
        var last: OpaquePointer?
        var failure: LinkFailure?
        while true {
            while PQisBusy(connection) == 1 {
                try wait(connection, reading: true, writing: false, by: deadline, freeing: last)
                guard PQconsumeInput(connection) == 1 else {
                    PQclear(last)
                    throw .broken(said(connection))
                }
            }
            guard let result = PQgetResult(connection) else { break }
            PQclear(last)
            last = result
            let status = PQresultStatus(result)
            if status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK, failure == nil { failure = self.failure(result) }
        }
        let answer = Answer(last, warnings: heard.warnings)
        if PQstatus(connection) != CONNECTION_OK { failure = .broken(said(connection)) }
        if let failure { throw failure }
        return answer
    }

    /// Only an ERROR without a warning is a refusal: the others say nothing of what has been committed by then.
    private func failure(_ result: OpaquePointer) -> LinkFailure {
        let words = ServerWords(result)
        return words.severity == "ERROR" && heard.warnings.isEmpty ? .refused(words) : .broken(words.message)
    }

    private func wait(
        _ connection: OpaquePointer, reading: Bool, writing: Bool, by deadline: BootInstant,
        freeing result: OpaquePointer? = nil
    ) throws(LinkFailure) {
        while true {
            let left = (deadline - BootInstant.current).wholeMilliseconds
            guard left > 0 else {
                PQclear(result)
                throw .late
            }
            switch belfry_pq_wait(connection, reading ? 1 : 0, writing ? 1 : 0, Int32(min(left, 1000))) {
            case 0: continue
            case 1: return
            default:
                PQclear(result)
                throw .broken("the connection has no socket")
            }
        }
    }

    // MARK: Connecting

    private func open(by deadline: BootInstant) throws(LinkFailure) {
        guard let connection else { throw .broken("no memory for a connection") }
        guard PQstatus(connection) != CONNECTION_BAD else { throw .broken(said(connection)) }
        // So that the reason has its code with it: a failed connection leaves nothing but a text.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        // The socket may be another one after each step.
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            guard step != PGRES_POLLING_FAILED else { throw reason(connection) }
            let isReading = step == PGRES_POLLING_READING
            try wait(connection, reading: isReading, writing: !isReading, by: deadline)
            step = PQconnectPoll(connection)
        }
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
    }

    /// Why there is no connection: `FATAL:  28000: role "x" does not exist`, after libpq's own words, or those alone.
    private func reason(_ connection: OpaquePointer) -> LinkFailure {
        let words = said(connection)
        for part in words.split(separator: ":  ").dropFirst().reversed() {
            let state = part.prefix(5)
            let isState = state.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
            guard isState, state.utf8.count == 5, part.dropFirst(5).hasPrefix(": ") else { continue }
            let message = part.dropFirst(7).split(separator: "; ").first ?? ""
            return .turnedAway(ServerWords(severity: "FATAL", state: String(state), message: String(message)))
        }
        return .broken(words)
    }

    private func listen() {
        // Safe: libpq calls it from within this connection's own calls, and the connection is finished before `heard` goes.
        PQsetNoticeReceiver(
            connection,
            { heard, notice in
                guard let heard, let notice else { return }
                let words = ServerWords(notice)
                guard words.isDoubt || words.keepsOldRows else { return }
                Unmanaged<Heard>.fromOpaque(heard).takeUnretainedValue().warnings.append(words)
            }, Unmanaged.passUnretained(heard).toOpaque())
    }

    /// What libpq says, in one line.
    private func said(_ connection: OpaquePointer) -> String {
        let words = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let lines = words.split(separator: "\n").map { line in
            line.drop { $0 == " " || $0 == "\t" }
        }
        return lines.isEmpty ? "the connection broke" : lines.joined(separator: "; ")
    }

    /// Calls the body with the address of each parameter's bytes, `nil` for a null.
    private static func withPointers<Result>(
        _ parameters: ArraySlice<Parameter>, _ found: [UnsafePointer<CChar>?] = [],
        _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        guard let first = parameters.first else { return body(found) }
        let rest = parameters.dropFirst()
        guard let bytes = first.bytes else { return withPointers(rest, found + [nil], body) }
        return bytes.withUnsafeBytes { raw in
            guard let start = raw.bindMemory(to: CChar.self).baseAddress else {
                // No bytes, which is not a null.
                return "".withCString { withPointers(rest, found + [$0], body) }
            }
            return withPointers(rest, found + [start], body)
        }
    }
}
