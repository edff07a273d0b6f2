import Journal
import Simulation
import Testing

@testable import Sealing

@Suite("E2, sealed fields")
struct SealerTests {
    private let ring: KeyRing

    init() throws {
        ring = try Sample.begin(on: Sample.disk())
        try ring.makeKeys(below: 8)
    }

    @Test func `what is sealed is opened again, whatever its length`() throws {
        let sealer = Sealer(ring)
        for count in 0..<100 {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let value = try sealer.seal(plain, of: 3, at: Sample.place)
            #expect(value.count == SealedForm.size(sealing: count))
            #expect(try sealer.open(value, of: 3, at: Sample.place) == .opened(plain))
        }
    }

    /// `G1`: a replay makes the same bytes.
    @Test func `the same field is sealed to the same bytes, by whoever seals it`() throws {
        let first = try Sealer(ring).seal(Array("anna@example.org".utf8), of: 3, at: .person)
        let sealer = Sealer(ring)
        _ = try sealer.seal([1], of: 4, at: Sample.place)
        #expect(try sealer.seal(Array("anna@example.org".utf8), of: 3, at: .person) == first)
    }

    @Test func `a field is bound to its person, its event, its number and its item`() throws {
        let plain = Array("the same words".utf8)
        let places = [
            Sample.place, FieldPlace(sequence: 8, field: 2), FieldPlace(sequence: 7, field: 3),
            FieldPlace(sequence: 7, field: 2, item: 1), .around(sequence: 7, field: 2), .person,
        ]
        let sealer = Sealer(ring)
        let values = try places.map { try sealer.seal(plain, of: 1, at: $0) }
        #expect(Set(values).count == places.count, "the same words are seen to be the same")
        for (value, own) in zip(values, places) {
            for place in places where place != own {
                #expect(throws: SealedFieldError.notOpened(person: 1, place)) {
                    try sealer.open(value, of: 1, at: place)
                }
            }
            #expect(throws: SealedFieldError.notOpened(person: 2, own)) { try sealer.open(value, of: 2, at: own) }
        }
    }

    @Test func `a field of one log is not opened in another`() throws {
        let disk = Sample.disk()
        let other = try KeyRing.begin(
            Sample.directory, of: Sample.otherIdentity, on: disk, master: Sample.given(), peopleAPage: 4)
        try other.makeKeys(below: 8)
        let value = try Sealer(other).seal([1, 2, 3], of: 1, at: Sample.place)
        #expect(throws: SealedFieldError.notOpened(person: 1, Sample.place)) {
            try Sealer(ring).open(value, of: 1, at: Sample.place)
        }
    }

    @Test func `texts that were never sealed are what they are`() throws {
        let sealer = Sealer(ring)
        for text in ["", "Läuft", "[erased]", "\u{10FFFF}"] {
            #expect(try sealer.open(Array(text.utf8), of: 1, at: Sample.place) == .plain(Array(text.utf8)))
            #expect(try sealer.open(Array(text.utf8), of: 1, at: Sample.place).shown == text)
        }
    }

    @Test func `the mark begins no text and no protobuf message`() {
        #expect(String(validating: [SealedForm.mark], as: UTF8.self) == nil)
        // The low three bits of a message's first byte are its wire type, of which there are 0 to 5.
        #expect(SealedForm.mark & 7 > 5)
    }

    @Test func `what is cut or changed is told, and nothing of it is shown`() throws {
        let sealer = Sealer(ring)
        let value = try sealer.seal(Sample.text(of: 1), of: 1, at: Sample.place)
        for count in 1..<value.count {
            #expect(throws: SealedFieldError.self) {
                try sealer.open(Array(value.prefix(count)), of: 1, at: Sample.place)
            }
        }
        for bit in 8..<value.count * 8 {
            var changed = value
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealedFieldError.notOpened(person: 1, Sample.place)) {
                try sealer.open(changed, of: 1, at: Sample.place)
            }
        }
    }

    @Test func `the length of a text is hidden within a block`() throws {
        let sealer = Sealer(ring)
        let sizes = try (0..<16).map { count in
            try sealer.seal([UInt8](repeating: 7, count: count), of: 1, at: Sample.place).count
        }
        #expect(Set(sizes) == [33])
    }

    @Test func `a sealer does not go on with a key that was destroyed`() throws {
        let sealer = Sealer(ring)
        let value = try sealer.seal(Sample.text(of: 1), of: 1, at: Sample.place)
        try ring.destroy([1])
        #expect(try sealer.open(value, of: 1, at: Sample.place) == .erased)
        #expect(try sealer.open(value, of: 1, at: Sample.place).shown == "[erased]")
        #expect(throws: KeyRingError.destroyed(person: 1)) { try sealer.seal([1], of: 1, at: Sample.place) }
        #expect(try ring.says(ring.values(of: 2..<3)[2], of: 2) == .opened(Sample.text(of: 2)))
    }

    /// Whoever is looked for first: one whose key the reader knows, or another.
    @Test(arguments: [[3, 4, 5], [4, 3, 5]])
    func `who reads beside a writer sees that a number that was nobody's has another key by now`(order: [UInt32])
        throws
    {
        let disk = Sample.disk()
        let writer = try Sample.begin(on: disk)
        try writer.makeKeys(below: 6)
        let reader = try Sample.open(on: disk, isWriter: false)
        // What a write that was cut off had sealed is known to the reader, and so is its key.
        let lost = try #require(try writer.values(of: 4..<5)[4])
        #expect(try reader.says(lost, of: 4) == .opened(Sample.text(of: 4)))
        try writer.renewKeys(beyond: 3)
        try writer.makeKeys(below: 6)
        let values = try writer.values(of: 3..<6)
        for person in order {
            #expect(try reader.says(values[person], of: person) == .opened(Sample.text(of: person)))
        }
        #expect(throws: SealedFieldError.self) { _ = try reader.says(lost, of: 4) }
    }

    @Test func `somebody who has no key is told by number`() throws {
        #expect(throws: KeyRingError.behind(file: "/log/keys.table", people: 8...8)) {
            try Sealer(ring).seal([1], of: 8, at: Sample.place)
        }
    }

    @Test func `many threads seal and open at once`() async throws {
        let ring = ring
        let values = try ring.values(of: 0..<8)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for turn in 0..<8 {
                group.addTask {
                    let sealer = Sealer(ring)
                    return (0..<400).count { step in
                        let person = UInt32((step * 5 + turn) % 8)
                        let again = try? sealer.seal(Sample.text(of: person), of: person, at: Sample.place)
                        return again != values[person]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
