import Testing

@testable import Notices

/// Of a document that is settled only what a patch touches is worked out, and comes to what the whole would.
@Suite("Properties of changed preferences")
struct PreferenceTouchedPropertyTests {
    /// Each remembers what it has worked out, so the other way has one of its own.
    let rules: Rulebook
    let whole: Rulebook

    init() throws { (rules, whole) = (try shipped("microcommit"), try shipped("microcommit")) }

    private func expectSame(_ now: Preferences, _ then: Preferences, _ patch: JSONValue) {
        #expect(now.origin.stored == then.origin.stored, "\(patch.text)")
        #expect(
            now.origin.fields.document(rules.ownRules) == then.origin.fields.document(whole.ownRules), "\(patch.text)")
        // What the document does not tell apart.
        #expect(now.reminderTime == then.reminderTime)
        #expect(now.checkInDays == then.checkInDays)
        #expect((now.goals, now.subjects) == (then.goals, then.subjects))
        #expect(now.warnings == then.warnings)
        #expect(now.origin.isSettled == then.origin.isSettled)
    }

    @Test(arguments: 0..<60, [0, 4]) func `a patch comes to the same whatever is looked at`(
        seed: UInt64, garbage: Int
    ) {
        var source = RandomPreferences(seed: 4_000 + seed, garbage: garbage)
        var now = rules.preferences(differing: .emptyObject, saidYes: seed.isMultiple(of: 2))
        var settled = 0
        for _ in 0..<40 {
            let (patch, stored) = (source.patch(), now.origin.stored)
            let problem = whole.problem(withPatch: patch, on: stored.differences, saidYes: stored.saidYes)
            #expect(rules.problem(withPatch: patch, on: stored, inForce: now) == problem, "\(patch.text)")
            let differences = whole.differences(
                of: stored.differences, patchedWith: patch, saidYes: stored.saidYes)
            now = rules.preferences(now, of: stored, patchedWith: patch)
            expectSame(now, whole.preferences(differing: differences, saidYes: stored.saidYes), patch)
            settled += now.origin.isSettled ? 1 : 0
            guard !now.origin.isSettled else { continue }
            // Garbage stays, so one begins again.
            now = rules.preferences(differing: .emptyObject, saidYes: stored.saidYes)
        }
        #expect(settled > 0)
    }

    @Test func `of another rulebook's preferences nothing is taken over`() throws {
        let other = try shipped("standard")
        let patch = JSONValue.object([.init("digest_mode", .bool(true))])
        let theirs = other.preferences(differing: .emptyObject, saidYes: true)
        let mine = rules.preferences(theirs, of: theirs.origin.stored, patchedWith: patch)
        #expect(!rules.isSettled(theirs, on: theirs.origin.stored))
        expectSame(
            mine, whole.preferences(differing: mine.origin.stored.differences, saidYes: true), patch)
    }
}
