internal import Hashing

/// What workers miss in the database. It is a table of its own, made by the first that misses something: whoever brings the right
/// database back brings one without it.
extension PostgresSession {
    private static let table = "belfry.missing"

    func tellMissing(_ missing: MissingHead) throws(SharedLogError) {
        let made = """
            CREATE TABLE IF NOT EXISTS \(Self.table) (
              url text NOT NULL,
              partition int NOT NULL,
              position bigint NOT NULL,
              head text NOT NULL,
              told timestamptz NOT NULL DEFAULT clock_timestamp(),
              PRIMARY KEY (url, partition));
            """
        let head = missing.head
        let told = """
            INSERT INTO \(Self.table) (url, partition, position, head)
              VALUES (\(Self.quoted(missing.url)), \(head.partition), \(head.position), '\(Hexadecimal.text(head.hash.bytes))')
              ON CONFLICT (url, partition) DO UPDATE SET position = excluded.position, head = excluded.head;
            """
        guard try run(made + told) else { throw .unknown("it was not said what is missing") }
    }

    func missing() throws(SharedLogError) -> [MissingHead] {
        guard try isThere() else { return [] }
        return try look("SELECT url, partition, position, head FROM \(Self.table) ORDER BY partition, url") {
            answer throws(SharedLogError) in
            var all: [MissingHead] = []
            for row in 0..<answer.count {
                guard let partition = Int(answer.text(row, 1)), let position = UInt64(answer.text(row, 2)),
                    let hash = Self.digest(answer.text(row, 3))
                else { throw .unintelligible("a row of \(Self.table)") }
                let head = AcknowledgedHead(partition: partition, position: position, hash: hash)
                all.append(MissingHead(head, of: answer.text(row, 0)))
            }
            return all
        }
    }

    func missNothing(at url: String) throws(SharedLogError) {
        guard try isThere() else { return }
        _ = try run("DELETE FROM \(Self.table) WHERE url = \(Self.quoted(url))")
    }

    private func isThere() throws(SharedLogError) -> Bool {
        try look("SELECT to_regclass('\(Self.table)') IS NOT NULL") { $0.count == 1 && $0.text(0, 0) == "t" }
    }

    private static func digest(_ text: String) -> Digest? {
        let digits = Array(text)
        guard digits.count == 2 * Digest.size else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        guard bytes.count == Digest.size else { return nil }
        // There are 32 bytes, so there is an address.
        return bytes.withUnsafeBytes { raw in raw.baseAddress.map { Digest(at: $0) } }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.filter { $0 != "\0" }.replacing("'", with: "''") + "'"
    }
}
