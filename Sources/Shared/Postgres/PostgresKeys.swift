/// People's keys beside the log (`E2`), in the bytes of Sealing's FORMAT.md.
extension PostgresSession {
    func keyTable(of partition: Int) throws(SharedLogError) -> SharedKeyTable? {
        try read(.keyTable, [.int4(partition)]) { answer throws(SharedLogError) in
            guard answer.count == 1 else { return nil }
            return SharedKeyTable(
                generation: try answer.position(0, 0), destroyed: Int(try answer.number(0, 1)),
                bytes: answer.bytes(0, 2))
        }
    }

    func keyPage(of partition: Int, slot: UInt32) throws(SharedLogError) -> [UInt8]? {
        try read(.keyPage, [.int4(partition), .int4(Int(slot))]) { $0.count == 1 ? $0.bytes(0, 0) : nil }
    }

    func putKeyPage(
        _ page: [UInt8], of partition: Int, epoch: Int64, slot: UInt32
    ) throws(SharedLogError) -> Bool {
        try change(.putKeyPage, [.int4(partition), .int8(epoch), .int4(Int(slot)), .bytea(page)]) { $0.count == 1 }
    }

    func putKeyTable(_ flush: KeyFlush) throws(SharedLogError) -> Bool {
        let parameters: [Parameter] = [
            .int4(flush.partition), .int8(flush.epoch), .position(flush.generation),
            flush.replacing.map { .position($0) } ?? .null, .int8(Int64(flush.destroyed)), .bytea(flush.bytes),
            .int4s(flush.slots.map(Int.init)),
        ]
        return try change(.putKeyTable, parameters) { answer throws(SharedLogError) in try answer.number(0, 0) == 1 }
    }

    func erasures() throws(SharedLogError) -> [Int: Int] {
        try read(.erasures, []) { answer throws(SharedLogError) in
            var counts: [Int: Int] = [:]
            for row in 0..<answer.count { counts[Int(try answer.number(row, 0))] = Int(try answer.number(row, 1)) }
            return counts
        }
    }

    func missingKeyPages(of partition: Int?) throws(SharedLogError) -> [KeyPageName] {
        try read(.missingKeyPages, [partition.map { .int4($0) } ?? .null]) { answer throws(SharedLogError) in
            var missing: [KeyPageName] = []
            for row in 0..<answer.count {
                let slot = try answer.number(row, 1)
                missing.append(
                    KeyPageName(
                        partition: Int(try answer.number(row, 0)),
                        slot: slot < 0 ? nil : UInt32(truncatingIfNeeded: slot)))
            }
            return missing
        }
    }

    /// A row that was changed stays in its file until that is written anew: only so is the old root gone that opened the pages of
    /// before. The file is small. Rows that somebody may still see, a standby's reader or a backup, are copied with the others: then it has
    /// to be done once more.
    func dropOldKeyTables() throws(SharedLogError) -> Bool { try run("VACUUM (FULL, VERBOSE) belfry.key_table") }
}
