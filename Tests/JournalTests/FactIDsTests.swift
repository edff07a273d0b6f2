@testable import Journal
import Notices
import Simulation
import Testing

@Suite("The memory of fact ids")
struct FactIDsTests {
    private static let identity = LogIdentity(words: (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))

    /// Half of them random, half of them alike: counted, of one letter, or with all the difference in one place.
    private func id(_ number: Int, _ random: inout SeededRandom) -> [UInt8] {
        switch number % 6 {
        case 0: return Array("fact-\(number)".utf8)
        case 1: return Array("order:2026-03-02T09:00:00.000Z:\(number)".utf8)
        case 2:
            // The same 40 bytes but for one, in any place of them.
            var bytes = [UInt8](repeating: 0x61, count: 40)
            var rest = number
            for place in 0..<4 {
                bytes[(number + place * 9) % 40] = UInt8(0x30 + rest % 64)
                rest /= 64
            }
            return bytes + Array("\(number)".utf8)
        default:
            return (0..<Int.random(in: 1...40, using: &random)).map { _ in .random(in: 0x21...0x7E, using: &random) }
        }
    }

    @Test func `an id that was seen is never called new`() throws {
        var random = SeededRandom(seed: 1)
        var seen: [[UInt8]: UInt64] = [:]
        var ids = FactIDs(Self.identity)
        for number in 0..<200_000 {
            let id = id(number, &random)
            if seen[id] != nil { continue }
            let position = UInt64(number) * 8 * 13
            seen[id] = position
            id.withUnsafeBytes { ids.insert($0, at: position) }
            if number >= 100_000, number % 10_000 == 0 {
                #expect(try bytesPerID(ids) <= 12.5, "\(ids.count) ids")
            }
        }
        #expect(ids.count == seen.count)
        try expectAllFound(seen, in: ids)

        let (counts, entries) = ids.entries()
        let restored = try #require(FactIDs(Self.identity, counts: counts, entries: entries))
        #expect(restored.count == seen.count)
        try expectAllFound(seen, in: restored)
        #expect(try bytesPerID(restored) <= 12.5)
        expectFewFalseAlarms(seen, ids, &random)
    }

    private func expectAllFound(_ seen: [[UInt8]: UInt64], in ids: FactIDs) throws {
        for (id, position) in seen {
            let candidates = id.withUnsafeBytes { ids.candidates($0) }
            guard candidates.contains(position) else { throw Broken("\(id) is not where it was put") }
        }
    }

    /// Each costs the reading of a commit: fewer than one in ten thousand here.
    private func expectFewFalseAlarms(_ seen: [[UInt8]: UInt64], _ ids: FactIDs, _ random: inout SeededRandom) {
        var alarms = 0
        for number in 0..<50_000 {
            let id = id(number + 1_000_000, &random)
            if seen[id] == nil, !id.withUnsafeBytes({ ids.candidates($0) }).isEmpty { alarms += 1 }
        }
        #expect(alarms <= 5)
    }

    /// What the tables take, whatever they call their parts.
    private func bytesPerID(_ ids: FactIDs) throws -> Double {
        var slots = 0
        for case (label: "parts"?, value: let parts) in Mirror(reflecting: ids).children {
            for part in Mirror(reflecting: parts).children {
                for case (label: "slots"?, value: let table as [UInt64]) in Mirror(reflecting: part.value).children {
                    slots += table.count
                }
            }
        }
        try #require(slots > 0)
        return Double(slots * MemoryLayout<UInt64>.size) / Double(ids.count)
    }

    @Test func `the same id in several commits has all of them as candidates`() {
        var ids = FactIDs(Self.identity)
        let id = Array("twice".utf8)
        for position in [UInt64(0), 8, 800_000, 1 << 42] { id.withUnsafeBytes { ids.insert($0, at: position) } }
        #expect(id.withUnsafeBytes { ids.candidates($0) }.sorted() == [0, 8, 800_000, 1 << 42])
    }

    @Test func `an empty memory knows nothing`() {
        let ids = FactIDs(Self.identity)
        #expect(Array("a".utf8).withUnsafeBytes { ids.candidates($0) }.isEmpty)
    }

    @Test func `sections that do not fit together are refused`() {
        let counts = [UInt32](repeating: 0, count: FactIDs.partCount)
        #expect(FactIDs(Self.identity, counts: counts, entries: []) != nil)
        #expect(FactIDs(Self.identity, counts: Array(counts.dropLast()), entries: []) == nil)
        #expect(FactIDs(Self.identity, counts: counts, entries: [1]) == nil)
        #expect(FactIDs(Self.identity, counts: [1] + counts.dropFirst(), entries: []) == nil)
        #expect(FactIDs(Self.identity, counts: [1] + counts.dropFirst(), entries: [1 << 40]) == nil)
    }

    /// The key is the log's own: nobody can choose ids that fall together in everybody's log.
    @Test func `another log has another hash`() {
        let hashes = Set(
            (UInt64(0)..<100).map { seed in
                Array("fact-1".utf8).withUnsafeBytes { KeyHash(LogIdentity(words: (seed * 2, seed * 4)))($0) }
            })
        #expect(hashes.count == 100)
    }

    @Test func `every byte of an id counts, and its length`() {
        let hash = KeyHash(Self.identity)
        for length in 0...70 {
            let id = [UInt8](repeating: 0x61, count: length)
            var hashes = [id.withUnsafeBytes { hash($0) }, (id + [0]).withUnsafeBytes { hash($0) }]
            for place in 0..<length {
                var other = id
                other[place] ^= 1
                hashes.append(other.withUnsafeBytes { hash($0) })
            }
            #expect(Set(hashes).count == length + 2, "\(length) bytes")
        }
    }
}
