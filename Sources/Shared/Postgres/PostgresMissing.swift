internal import Hashing

/// What workers miss in the database. Whoever brings the right one back brings one in which nothing of it is told.
extension PostgresSession {
    private static let table = "belfry.missing"
    static let missingColumns = """
        url text NOT NULL, partition int NOT NULL, position bigint NOT NULL, head text NOT NULL,
              told timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (url, partition)
        """

    func tellMissing(_ missing: MissingHead) throws(SharedLogError) {
        // A cluster of before has none; another worker may make it at the same moment.
        if try !isThere() { _ = try run("CREATE TABLE IF NOT EXISTS \(Self.table) (\(Self.missingColumns))") }
        let head = missing.head
        let told = """
            INSERT INTO \(Self.table) (url, partition, position, head)
              VALUES (\(Self.quoted(missing.url)), \(head.partition), \(head.position), '\(head.hash)')
              ON CONFLICT (url, partition) DO UPDATE SET position = excluded.position, head = excluded.head
            """
        guard try run(told) else { throw .unknown("\(Self.table) takes nothing from this user") }
    }

    func missing() throws(SharedLogError) -> [MissingHead] {
        guard try isThere() else { return [] }
        return try look("SELECT url, partition, position, head FROM \(Self.table) ORDER BY partition, url") {
            answer throws(SharedLogError) in
            var all: [MissingHead] = []
            for row in 0..<answer.count {
                guard let partition = Int(answer.text(row, 1)), let position = UInt64(answer.text(row, 2)),
                    let hash = Digest(hexadecimal: answer.text(row, 3))
                else { throw .unintelligible("a row of \(Self.table)") }
                let head = AcknowledgedHead(partition: partition, position: position, hash: hash)
                all.append(MissingHead(head, of: answer.text(row, 0)))
            }
            return all
        }
    }

    func missNothing(at url: String) throws(SharedLogError) -> Bool {
        guard try missing().contains(where: { $0.url == url }) else { return false }
        guard try run("DELETE FROM \(Self.table) WHERE url = \(Self.quoted(url))") else {
            throw .unknown("\(Self.table) lets this user take nothing back")
        }
        return true
    }

    private func isThere() throws(SharedLogError) -> Bool {
        try look("SELECT to_regclass('\(Self.table)') IS NOT NULL") { $0.count == 1 && $0.text(0, 0) == "t" }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.filter { $0 != "\0" }.replacing("'", with: "''") + "'"
    }
}
