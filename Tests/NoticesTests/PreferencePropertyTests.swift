import Notices
import Testing

/// SPEC §3 over random documents and patches.
@Suite("Properties of preferences")
struct PreferencePropertyTests {
    let rules: Rulebook

    init() throws { rules = try shipped("microcommit") }

    private func document(_ differences: JSONValue) -> JSONValue {
        rules.document(differing: differences, saidYes: true, timezone: "UTC")
    }

    @Test(arguments: 0..<40) func `what is stored means what all the patches together mean`(seed: UInt64) {
        var source = RandomPreferences(seed: seed, garbage: 0)
        var stored = JSONValue.emptyObject
        var everything = JSONValue.emptyObject
        for _ in 0..<25 {
            let patch = source.patch()
            // A slot taken away may be the last; the log refuses that.
            guard rules.problem(withPatch: patch, on: stored, saidYes: true) == nil else { continue }
            stored = rules.differences(of: stored, patchedWith: patch, saidYes: true)
            everything = everything.merged(with: patch)
            #expect(document(stored) == document(everything), "\(patch.text)")
            // Whatever way it came about, it is stored in one form.
            #expect(stored == rules.differences(of: everything, patchedWith: .emptyObject, saidYes: true))
            #expect(rules.preferences(differing: stored, saidYes: true).warnings == [])
        }
    }

    @Test(arguments: 0..<40) func `the whole document as a patch changes nothing, and on nobody's gives it again`(
        seed: UInt64
    ) {
        var source = RandomPreferences(seed: 1_000 + seed, garbage: 0)
        for _ in 0..<20 {
            let patch = source.patch()
            guard rules.problem(withPatch: patch, on: .emptyObject, saidYes: true) == nil else { continue }
            let stored = rules.differences(of: .emptyObject, patchedWith: patch, saidYes: true)
            let whole = document(stored)
            #expect(rules.problem(withPatch: whole, on: stored, saidYes: true) == nil)
            #expect(rules.differences(of: stored, patchedWith: whole, saidYes: true) == stored)
            #expect(rules.differences(of: .emptyObject, patchedWith: whole, saidYes: true) == stored)
            #expect(rules.changes(from: stored, to: stored, saidYes: true) == [])
        }
    }

    /// `G6`.
    @Test(arguments: 0..<40) func `no document is too bad to be read`(seed: UInt64) {
        var source = RandomPreferences(seed: 2_000 + seed, garbage: 4)
        var stored = JSONValue.emptyObject
        for _ in 0..<25 {
            let patch = source.patch()
            let problem = rules.problem(withPatch: patch, on: .emptyObject, saidYes: true)
            let next = rules.differences(of: stored, patchedWith: patch, saidYes: true)
            // What is stored can be stored again, and is what was in force.
            #expect(rules.differences(of: next, patchedWith: .emptyObject, saidYes: true) == next)
            #expect(document(next) == document(stored.merged(with: patch)))
            #expect(problem != nil || rules.preferences(differing: patch, saidYes: true).warnings == [])
            // What is in force is a good document whatever it came from.
            let clean = rules.differences(of: .emptyObject, patchedWith: document(next), saidYes: true)
            // Only exceptions stay as they are: the next policy may have a kind of that name.
            let strays = rules.preferences(differing: clean, saidYes: true).warnings
                .filter { !$0.path.hasPrefix("quiet_hours.exceptions[") }
            #expect(strays == [])
            #expect(document(clean) == document(next))
            _ = rules.changes(from: stored, to: next, saidYes: true)
            _ = rules.warnings(from: stored, to: next, saidYes: true, standing: PreferenceStanding())
            stored = next
        }
    }

    @Test func `nor is anything else that JSON can say`() throws {
        var source = RandomJSON(seed: 3_000)
        let books = try [shipped("standard"), shipped("coachme")]
        for _ in 0..<2_000 {
            guard let value = JSONValue(parsing: source.value()) else { continue }
            for rules in books {
                #expect(rules.preferences(differing: value, saidYes: true).kinds.count == rules.kinds.count)
                _ = rules.problem(withPatch: value, on: value, saidYes: false)
                _ = rules.differences(of: value, patchedWith: value, saidYes: false)
            }
        }
    }

    @Test func `the members of a document may come in any order`() {
        var source = RandomPreferences(seed: 4_000, garbage: 5)
        for _ in 0..<300 {
            let patch = source.patch()
            let turned = reversed(patch)
            #expect(
                rules.differences(of: .emptyObject, patchedWith: patch, saidYes: true).text
                    == rules.differences(of: .emptyObject, patchedWith: turned, saidYes: true).text)
            #expect(
                rules.preferences(differing: patch, saidYes: true).warnings
                    == rules.preferences(differing: turned, saidYes: true).warnings)
        }
    }

    /// Not inside what cannot be read, which is kept as it is.
    private func reversed(_ value: JSONValue, depth: Int = 0) -> JSONValue {
        guard case .object(let members) = value, depth == 0 || value["stray"] == nil else { return value }
        return .object(members.reversed())
    }
}
