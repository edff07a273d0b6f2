internal import Shared

/// People's keys in the simulated database.
extension SimulatedSession {
    private typealias Slot = SimulatedSharedLog.KeySlot

    func keyTable(of partition: Int) throws(SharedLogError) -> SharedKeyTable? {
        try send(changes: false) { state throws(SharedLogError) in Effect(answer: state.tables.keyTables[partition]) }
    }

    func keyPage(of partition: Int, slot: UInt32) throws(SharedLogError) -> [UInt8]? {
        try send(changes: false) { state throws(SharedLogError) in
            Effect(answer: state.tables.keyPages[Slot(partition: partition, slot: slot)])
        }
    }

    func putKeyPage(
        _ page: [UInt8], of partition: Int, epoch: Int64, slot: UInt32
    ) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            guard state.tables.partitions[partition]?.epoch == epoch else { return Effect(answer: false) }
            return Effect(answer: true, locks: [partition]) {
                $0.keyPages[Slot(partition: partition, slot: slot)] = page
            }
        }
    }

    func putKeyTable(_ flush: KeyFlush) throws(SharedLogError) -> Bool {
        try send { state throws(SharedLogError) in
            let known = state.tables.keyTables[flush.partition]
            guard state.tables.partitions[flush.partition]?.epoch == flush.epoch,
                known?.generation == flush.replacing
            else { return Effect(answer: false) }
            let next = SharedKeyTable(
                generation: flush.generation, destroyed: (known?.destroyed ?? 0) + flush.destroyed,
                bytes: flush.bytes)
            return Effect(answer: true, locks: [flush.partition]) { tables in
                tables.keyTables[flush.partition] = next
                guard known != nil else { return }
                tables.keyPages = tables.keyPages.filter {
                    $0.key.partition != flush.partition || flush.slots.contains($0.key.slot)
                }
            }
        }
    }

    func erasures() throws(SharedLogError) -> [Int: Int] {
        try send(changes: false) { state throws(SharedLogError) in
            Effect(answer: state.tables.keyTables.mapValues(\.destroyed))
        }
    }

    func missingKeyPages(of partition: Int?) throws(SharedLogError) -> [KeyPageName] {
        try send(changes: false) { state throws(SharedLogError) in
            var missing: [KeyPageName] = []
            for (number, table) in state.tables.keyTables.sorted(by: { $0.key < $1.key })
            where partition == nil || partition == number {
                let size = table.bytes.count < 152 ? 0 : 80 * Self.number(in: table.bytes, at: 40)
                missing += stride(from: 152, through: table.bytes.count - 96, by: 96)
                    .map { KeyPageName(partition: number, slot: Self.number(in: table.bytes, at: $0 + 4)) }
                    .filter { name in
                        let page = name.slot.flatMap { state.tables.keyPages[Slot(partition: number, slot: $0)] }
                        return page?.count != Int(size)
                    }
            }
            let unopened = state.tables.log.filter {
                !$0.value.isEmpty && state.tables.keyTables[$0.key] == nil && (partition == nil || partition == $0.key)
            }
            missing += unopened.keys.map { KeyPageName(partition: $0, slot: nil) }
            return Effect(answer: missing.sorted { ($0.partition, $0.slot ?? 0) < ($1.partition, $1.slot ?? 0) })
        }
    }

    /// As Sealing's FORMAT.md has it.
    private static func number(in table: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(table[offset + $1]) << UInt32(8 * $1) }
    }

    func dropOldKeyTables() throws(SharedLogError) -> Bool {
        try send { _ throws(SharedLogError) in Effect(answer: true) { _ in } }
    }
}
