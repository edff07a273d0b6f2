import Notices
import Testing

@Suite("The roster")
struct RosterTests {
    private static let hash = KeyHash(words: (3, 5))
    private static let ids = (0..<1000).map { "person-\($0)" }

    private func roster(_ ids: some Sequence<String> = Self.ids) -> Roster {
        var roster = Roster(hashedBy: Self.hash)
        for id in ids { _ = roster.numberOrAdd(id) }
        return roster
    }

    @Test func `numbers ids from 0 on first sight, and finds them both ways`() {
        var roster = roster()
        #expect(Array(roster) == Self.ids)
        for (number, id) in Self.ids.enumerated() { #expect(roster.number(of: id) == UInt32(number)) }
        #expect(roster.number(of: "nobody") == nil)
        #expect(roster.number(of: "") == nil)
        #expect(roster.numberOrAdd("person-7") == (7, false))
        #expect(roster.numberOrAdd("") == (1000, true))
        #expect(roster[1000] == "")
    }

    @Test func `tells whether somebody has a number`() {
        let roster = roster()
        #expect(roster.holds("person-7", at: 7))
        #expect(!roster.holds("person-7", at: 8))
        #expect(!roster.holds("nobody", at: 7))
        #expect(!roster.holds("person-7", at: 1000))
    }

    @Test(arguments: [1, 2, 7]) func `whoever is erased leaves no trace in the table, and the others are found`(
        step: Int
    ) {
        var some = roster()
        for number in stride(from: 0, to: 1000, by: step) { some.erase(number) }
        let rest = Self.ids.indices.filter { !$0.isMultiple(of: step) }
        #expect(Set(some.parts.slots).subtracting([0]) == Set(rest.map { UInt32($0) + 1 }))
        for number in rest { #expect(some.number(of: Self.ids[number]) == UInt32(number)) }
        for number in stride(from: 0, to: 1000, by: step) { #expect(some.number(of: Self.ids[number]) == nil) }
        #expect(some.numberOrAdd(Self.ids[0]) == (1000, true))
    }

    @Test func `is a value`() {
        let one = roster()
        var other = one
        _ = other.numberOrAdd("somebody else")
        #expect((one.count, other.count) == (1000, 1001))
        #expect(one.number(of: "somebody else") == nil)
    }

    @Test func `comes back from its parts and goes on`() throws {
        for count in [0, 1, 42, 43, 1000] {
            let parts = roster(Self.ids.prefix(count)).parts
            var again = try #require(
                Roster(hashedBy: Self.hash, text: parts.text, starts: parts.starts, slots: parts.slots))
            #expect(Array(again) == Array(Self.ids.prefix(count)))
            for id in Self.ids { _ = again.numberOrAdd(id) }
            #expect(Array(again) == Self.ids)
        }
    }

    @Test func `where not everybody is here, knows whoever was erased by the log's number`() {
        var some = Roster(hashedBy: Self.hash, of: Share(1, of: 2), holdsAll: false)
        #expect(some.numberOrAdd("anna") == (0, true))
        #expect(some.numberOrAdd("[erased 9]") == (1, true))
        #expect(some.numberOrAdd("[erased 9]") == (1, false))
        #expect(some[1] == "[erased 9]" && some.holds("[erased 9]", at: 1))
        some.erase(0)
        some.erase(0)
        #expect(some.erasedCount == 2)
        #expect(["anna", "[erased 1]", "[erased 3]"].allSatisfy { some.number(of: $0) == nil })
        #expect(some.numberOrAdd("[erased 1]") == (2, true) && some[2] == "[erased 1]")
    }

    @Test(arguments: [2, 3, 1000, 50_000])
    func `keeps no place for those whom nobody can look up`(erased: Int) throws {
        var some = Roster(hashedBy: Self.hash)
        for number in 0..<erased {
            some.addErased()
            if number.isMultiple(of: 50) { _ = some.numberOrAdd("person-\(number)") }
        }
        _ = some.numberOrAdd("the last")
        some.erase(1)
        let parts = some.parts
        // Nor for the one who was somebody.
        #expect(parts.slots.count { $0 != 0 } == some.count - erased - 1)
        var again = try #require(
            Roster(hashedBy: Self.hash, text: parts.text, starts: parts.starts, slots: parts.slots))
        #expect(Array(again) == Array(some))
        #expect(again[0] == "[erased 0]" && again.number(of: "person-0") == nil)
        #expect(again.number(of: "the last") == UInt32(some.count - 1))
        #expect(again.numberOrAdd("somebody new") == (UInt32(some.count), true))
    }

    @Test func `does not come back from parts that do not fit together`() {
        let parts = roster().parts
        func isMade(
            _ text: [UInt8]? = nil, _ starts: [UInt64]? = nil, _ slots: [UInt32]? = nil, hash: KeyHash = Self.hash
        ) -> Bool {
            Roster(
                hashedBy: hash, text: text ?? parts.text, starts: starts ?? parts.starts, slots: slots ?? parts.slots)
                != nil
        }
        #expect(isMade())
        #expect(!isMade(parts.text.dropLast()))
        #expect(!isMade(nil, []))
        #expect(!isMade(nil, parts.starts.dropLast()))
        #expect(!isMade(nil, [1] + parts.starts.dropFirst()))
        var tangled = parts.starts
        tangled.swapAt(3, 4)
        #expect(!isMade(nil, tangled))
        #expect(!isMade(nil, nil, []))
        #expect(!isMade(nil, nil, parts.slots + [0]))
        #expect(!isMade(nil, nil, parts.slots.map { _ in 0 }))
        #expect(!isMade(nil, nil, parts.slots.map { $0 == 1 ? 1001 : $0 }), "somebody who is not there")
        #expect(!isMade(nil, nil, parts.slots.map { $0 == 1 ? 0 : $0 }), "somebody who is not found")
        #expect(!isMade(hash: KeyHash(words: (3, 99))), "another key")
    }
}
