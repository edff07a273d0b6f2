import Foundation
import Shared
import SimulatedShared
import Testing

/// People's keys beside the log, on both databases.
@Suite("Keys in the shared log")
struct KeysTests {
    private func table(
        _ holding: Holding, _ generation: UInt64, after replacing: UInt64?, slots: [UInt32] = [], destroyed: Int = 0
    ) -> KeyFlush {
        KeyFlush(
            partition: holding.partition, epoch: holding.epoch, generation: generation, replacing: replacing,
            slots: slots, destroyed: destroyed, bytes: [UInt8(truncatingIfNeeded: generation), 7])
    }

    @Test(arguments: LogKind.available) func `a table takes the place of the one that it was made from`(kind: LogKind)
        throws
    {
        let worker = try kind.bench().worker()
        let (connection, holding) = (worker.connection, try worker.take(3))
        #expect(try connection.keyTable(of: 3) == nil && connection.erasures().isEmpty)
        #expect(try !connection.putKeyTable(table(holding, 2, after: 1)))
        #expect(try connection.putKeyTable(table(holding, 1, after: nil)))
        #expect(try !connection.putKeyTable(table(holding, 1, after: nil)))
        #expect(try connection.putKeyTable(table(holding, 2, after: 1, slots: [0])))
        // Another was made from the same one.
        #expect(try !connection.putKeyTable(table(holding, 2, after: 1)))
        #expect(try connection.putKeyTable(table(holding, 3, after: 2, slots: [1], destroyed: 2)))
        #expect(try connection.putKeyTable(table(holding, 4, after: 3, slots: [1], destroyed: 1)))
        #expect(try connection.keyTable(of: 3) == SharedKeyTable(generation: 4, destroyed: 3, bytes: [4, 7]))
        #expect(try connection.erasures() == [3: 3])
        #expect(try connection.dropsOldKeyTables())
        #expect(try connection.keyTable(of: 3)?.generation == 4)
    }

    @Test(arguments: LogKind.available) func `pages go with the table that referred to them`(kind: LogKind) throws {
        let worker = try kind.bench().worker()
        let (connection, holding, other) = (worker.connection, try worker.take(3), try worker.take(4))
        #expect(try connection.putKeyTable(table(holding, 1, after: nil)))
        let page = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(try connection.putKeyPage(page, of: 3, epoch: holding.epoch, slot: 0))
        #expect(try connection.putKeyPage([1], of: 3, epoch: holding.epoch, slot: 1))
        #expect(try connection.putKeyPage([2], of: 3, epoch: holding.epoch, slot: 1))
        #expect(try connection.putKeyPage([3], of: 4, epoch: other.epoch, slot: 0))
        #expect(try connection.keyPage(of: 3, slot: 0) == page && connection.keyPage(of: 3, slot: 1) == [2])
        #expect(try connection.putKeyTable(table(holding, 2, after: 1, slots: [1])))
        #expect(try connection.keyPage(of: 3, slot: 0) == nil && connection.keyPage(of: 3, slot: 1) == [2])
        #expect(try connection.keyPage(of: 4, slot: 0) == [3])
        // One that is refused removes nothing.
        #expect(try !connection.putKeyTable(table(holding, 2, after: 1, slots: [])))
        #expect(try connection.keyPage(of: 3, slot: 1) == [2])
    }

    /// A table as Sealing writes it, as far as its pages can be found by it: one person a page.
    private func table(of slots: [UInt32]) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        var table = [UInt8](repeating: 0, count: 152)
        table.replaceSubrange(40..<48, with: bytes(1) + bytes(UInt32(slots.count)))
        for slot in slots { table += [1, 2, 3, 4] + bytes(slot) + [UInt8](repeating: 9, count: 88) }
        return table
    }

    @Test(arguments: LogKind.available) func `pages that a table names and that are not there are found`(
        kind: LogKind
    ) throws {
        let worker = try kind.bench().worker()
        let (connection, holding, other) = (worker.connection, try worker.take(3), try worker.take(4))
        for held in [holding, other] {
            let slots: [UInt32] = held.partition == 3 ? [0, 300, 1] : [7]
            let flush = KeyFlush(
                partition: held.partition, epoch: held.epoch, generation: 1, replacing: nil, slots: slots, destroyed: 0,
                bytes: table(of: slots))
            #expect(try connection.putKeyTable(flush))
        }
        let page = [UInt8](repeating: 5, count: 80)
        #expect(try connection.putKeyPage(page, of: 3, epoch: holding.epoch, slot: 300))
        // Not whole.
        #expect(try connection.putKeyPage(Array(page.dropLast()), of: 3, epoch: holding.epoch, slot: 1))
        // Nobody's.
        #expect(try connection.putKeyPage(page, of: 3, epoch: holding.epoch, slot: 4))
        let lost = [KeyPageName(partition: 3, slot: 0), KeyPageName(partition: 3, slot: 1)]
        #expect(try connection.missingKeyPages(of: 3) == lost)
        #expect(try connection.missingKeyPages(of: nil) == lost + [KeyPageName(partition: 4, slot: 7)])
        #expect(try connection.missingKeyPages(of: 5) == [])
        for slot in [0, 1] as [UInt32] {
            #expect(try connection.putKeyPage(page, of: 3, epoch: holding.epoch, slot: slot))
        }
        #expect(try connection.missingKeyPages(of: 3) == [])
    }

    @Test(arguments: LogKind.available) func `an old owner neither makes keys nor destroys them`(kind: LogKind) throws {
        let bench = try kind.bench()
        let (old, new) = (try bench.worker(), try bench.worker(for: .seconds(600)))
        let holding = try old.take(0)
        #expect(try old.connection.putKeyTable(table(holding, 1, after: nil)))
        #expect(try old.connection.putKeyPage([1], of: 0, epoch: holding.epoch, slot: 0))
        #expect(try old.connection.putKeyTable(table(holding, 2, after: 1, slots: [0])))
        try bench.lapse(old.id)
        let taken = try new.take(0)
        #expect(try !old.connection.putKeyPage([9], of: 0, epoch: holding.epoch, slot: 0))
        #expect(try !old.connection.putKeyPage([9], of: 0, epoch: holding.epoch, slot: 1))
        #expect(try !old.connection.putKeyTable(table(holding, 3, after: 2, slots: [], destroyed: 1)))
        #expect(try new.connection.keyPage(of: 0, slot: 0) == [1] && new.connection.keyPage(of: 0, slot: 1) == nil)
        #expect(try new.connection.keyTable(of: 0)?.generation == 2 && new.connection.erasures() == [0: 0])
        #expect(try new.connection.putKeyTable(table(taken, 3, after: 2, slots: [0], destroyed: 1)))
    }
}

extension SharedLogConnection {
    /// Whether old versions of the keys' table go at last. Whatever changes something in any database of the server, such as the making of
    /// one for another test, keeps them meanwhile.
    func dropsOldKeyTables() throws -> Bool {
        let patience = BootInstant.current + .seconds(60)
        while BootInstant.current < patience {
            if try dropOldKeyTables() { return true }
        }
        return false
    }
}
