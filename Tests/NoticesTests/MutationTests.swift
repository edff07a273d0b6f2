import Foundation
import Notices
import Simulation
import Testing

/// Bytes that no writer of ours made: an error or a record, never a trap.
@Suite("Damaged bytes")
struct MutationTests {
    @Test(arguments: try CatalogFolder.goldens()) func `a golden file cut at any byte`(golden: CommittedGolden) throws {
        let starts = try WireOccurrence.all(in: golden.bytes).reduce(into: Set([0])) { starts, field in
            starts.insert((starts.max() ?? 0) + field.bytes.count)
        }
        for length in 0...golden.bytes.count {
            let read = try? judged(golden.number, Array(golden.bytes.prefix(length)))
            #expect((read != nil) == starts.contains(length), "\(golden.name) cut at \(length)")
        }
    }

    @Test func `mutated golden files`() throws {
        let goldens = try CatalogFolder.goldens().filter { !$0.bytes.isEmpty }
        let rounds = isLong ? 200_000 : 20_000
        var random = SeededRandom(seed: 12)
        var accepted = 0
        for _ in 0..<rounds {
            let drawn = goldens.randomElement(using: &random)
            let golden = try #require(drawn)
            let bytes = mutated(golden.bytes, with: goldens, &random)
            // Sometimes as another type than it was written for.
            let number =
                Int.random(in: 0..<8, using: &random) == 0 ? Int.random(in: 0..<128, using: &random) : golden.number
            if (try? judged(number, bytes)) ?? nil != nil { accepted += 1 }
        }
        #expect(accepted > rounds / 10 && accepted < rounds, "\(accepted) of \(rounds) were records")
    }

    @Test(arguments: [
        ("{ \"a\" :\n1 }", "{\"a\":1}"), ("5", "5"), ("", "\"\""), ("{\"a\":1", "\"{\\\"a\\\":1\""), ("\n", "\"\\n\""),
        ("{\"a\":1}}", "\"{\\\"a\\\":1}}\""),
    ]) func `a document that no reader of ours would keep is still printed as one JSON value`(
        text: String, json: String
    ) throws {
        let bytes = message { $0.appendText(1, text) }
        #expect(try judged(PolicyAdopted.type.number, bytes)?.json == "{\"policy\":\(json)}")
        let patch = try judged(PreferencesChanged.type.number, bytes)
        #expect(patch?.json == "{\"patch\":\(json)}")
        guard case .preferencesChanged(let changed)? = patch else { return }
        #expect(changed.patch.timezone == nil)
    }

    /// What is read is written so that it is read the same again, and as JSON that anyone can read.
    private func judged(_ number: Int, _ bytes: [UInt8]) throws -> Payload? {
        guard let read = try Payload.decode(number, bytes) else { return nil }
        #expect(try Payload.decode(number, read.bytes) == read, "type \(number), bytes \(bytes)")
        let json = read.json
        #expect(throws: Never.self, "type \(number), bytes \(bytes), \(json)") {
            try JSONSerialization.jsonObject(with: Data(json.utf8))
        }
        #expect(!json.utf8.contains(UInt8(ascii: "\n")), "one line: \(json)")
        return read
    }

    private func mutated(_ bytes: [UInt8], with others: [CommittedGolden], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
            case 2: bytes.insert(.random(in: 0...255, using: &random), at: place)
            case 3 where place < bytes.count: bytes.remove(at: place)
            case 4: bytes.removeSubrange(place...)
            default:
                let donor = others.randomElement(using: &random)?.bytes ?? []
                let from = Int.random(in: 0...donor.count, using: &random)
                bytes.insert(contentsOf: donor[from...].prefix(24), at: place)
            }
        }
        return bytes
    }
}
