import CivilTime
import Foundation
import Notices
import Testing

/// SPEC §15.
@Suite("Shipped policies")
struct ShippedPolicyTests {
    @Test func `each can be adopted, is what it is called, and its file is where it is looked for`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Notices/Policy/Shipped")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.standardized.path)
        #expect(Set(files) == Set(ShippedPolicies.names.map { $0 + ".json" }))
        let zones = try ZoneDatabase(searching: ZoneDatabase.usualDirectories)
        for name in ShippedPolicies.names {
            let text = try #require(ShippedPolicies.text(of: name))
            #expect(try String(contentsOf: folder.appending(path: name + ".json"), encoding: .utf8) == text)
            let policy = try Policy(document: text) { zones.names.contains($0) ? nil : "unknown" }
            #expect(policy.name.text == name)
            #expect(try Policy(recorded: JSONDocument(JSONTape().parse(text)).text) == policy)
        }
        #expect(ShippedPolicies.text(of: "Standard") == nil)
    }

    @Test func `standard spells out what a policy begins with`() throws {
        let standard = try shipped("standard").policy
        var bare = Policy()
        bare.name = standard.name
        bare.about = standard.about
        bare.kinds = standard.kinds
        bare.defaults = standard.defaults
        #expect(standard == bare)
        bare.defaults = .emptyObject
        let (spelled, left) = (Rulebook(standard), Rulebook(bare))
        for saidYes in [false, true] {
            #expect(
                spelled.document(differing: .emptyObject, saidYes: saidYes, timezone: "UTC")
                    == left.document(differing: .emptyObject, saidYes: saidYes, timezone: "UTC"))
        }
        #expect(
            standard.kinds.map(\.name.text) == [
                "urgent", "alert", "reminder", "check_in", "daily_digest", "weekly_review",
            ])
        #expect(standard.kinds.map(\.priority) == [.critical, .high, .medium, .medium, .medium, .medium])
        #expect(standard.kinds.map(\.isOnRequest) == [true, true, true, false, false, false])
        #expect(standard.kinds.map(\.isDigestible) == [false, false, true, false, false, false])
        #expect(standard.kinds.map(\.isBundling) == [false, false, true, false, false, false])
        #expect(standard.kinds.map(\.overCap) == [.gather, .gather, .gather, .drop, .drop, .hold])
        #expect(standard.kinds.map(\.digest) == [nil, nil, nil, nil, .daily, .weekly])
        #expect(
            standard.kinds.map(\.schedule).suffix(3) == [.checkIn, .daily(time("18:00")), .weekly(.sun, time("19:00"))])
        #expect(standard.kinds.allSatisfy { $0.channels == .push })
    }

    @Test func `quiet hours, cap, cooldown, consent and check-ins are those of the table`() throws {
        let table = try ShippedPolicies.names.map { name in
            let rules = try shipped(name)
            let (before, after) = (
                rules.preferences(differing: .emptyObject, saidYes: false),
                rules.preferences(differing: .emptyObject, saidYes: true)
            )
            let quiet = try #require(after.quietHours)
            #expect(quiet.days == .all)
            #expect(before.warnings == [] && after.warnings == [])
            let policy = rules.policy
            return [
                name, "\(quiet.start)–\(quiet.end)", policy.quietPass.name, policy.dailyCap.map(String.init) ?? "none",
                "\(policy.cooldownMinutes)", policy.consent.name, "\(before.checkInsEnabled)",
                "\(after.checkInsEnabled)",
                "\(after.checkInTime)", "\(after.checkInDays)",
            ].joined(separator: " ")
        }
        #expect(
            table == [
                "standard 22:00–08:00 critical 3 30 none true true 09:00 mon,wed,fri",
                "coachme 22:00–08:00 critical 3 30 none false true 10:00 mon,wed,fri",
                "screentime 20:00–08:00 critical 3 30 guardian_for_minors false false 09:00 mon,wed,fri",
                "messageai 22:00–08:00 high none 0 none false false 09:00 mon,wed,fri",
                "microcommit 22:00–08:00 critical none 0 none false false 08:00 mon,wed,fri",
            ])
    }

    @Test func `coachme asks in the app and with the words of its story`() throws {
        let kinds = try shipped("coachme").policy.kinds
        #expect(kinds.map(\.name.text) == ["check_in", "permission_prompt"])
        #expect(kinds[0].copy.bodies.count > 1)
        #expect(kinds[1].schedule == .session)
        #expect(kinds[1].channels == .inApp)
        #expect(kinds[1].copy.title == "Want me to check in with you between sessions?")
        #expect(
            kinds[1].copy.body
                == "I'd love to check in between our sessions — a quick nudge to see how things are going. You can always adjust this later."
        )
    }

    @Test func `screentime tells of achievements at once and of the rest in digests`() throws {
        let kinds = try shipped("screentime").policy.kinds
        #expect(
            kinds.map(\.name.text) == [
                "goal_achieved", "streak_achieved", "points_earned", "daily_summary", "weekly_milestone",
            ])
        #expect(kinds.map(\.isOnRequest) == [true, true, false, false, false])
        #expect(kinds.map(\.isDigestible) == [true, true, false, false, false])
        #expect(kinds.map(\.overCap) == [.gather, .gather, .drop, .drop, .hold])
        #expect(kinds.map(\.schedule) == [nil, nil, nil, .daily(time("18:00")), .weekly(.sun, time("19:00"))])
        #expect(kinds[3].pointsKind?.text == "points_earned" && kinds[2].isToldInDigest)
        #expect(kinds.map(\.countsAsGoal) == [true, false, false, false, false])
    }

    @Test func `messageai asks for consent, not for a switch, and drops in quiet hours what is below high`() throws {
        let rules = try shipped("messageai")
        let message = rules.policy.kinds[0]
        #expect(rules.policy.isSmart)
        #expect(rules.preferences(differing: .emptyObject, saidYes: true).isEnabled)
        #expect(message.schedule == .message)
        #expect(message.inQuietHours == .drop)
        #expect(message.category?.text == "SMART_NOTIFICATION_CATEGORY")
        #expect(message.actions.map(\.text) == ["reply", "mark_read", "helpful", "not_helpful"])
        #expect(rules.policy.ranges == PreferenceRanges())
        #expect(rules.policy.kinds[1].schedule == .overload)
    }

    @Test func `microcommit has the eight types of its story, with their sub-types as they are ticked there`() throws {
        let rules = try shipped("microcommit")
        let kinds = rules.policy.kinds
        func ticked(_ name: String) -> [String] {
            kinds.first { $0.name.text == name }?.subtypes.filter(\.isOnByDefault).map(\.name.text) ?? []
        }
        #expect(
            kinds.prefix(8).map(\.name.text) == [
                "goal_reminder", "deadline_warning", "achievement", "referee", "payment", "goal_lifecycle", "social",
                "product_update",
            ])
        #expect(kinds.prefix(8).map(\.isOnByDefault) == [true, true, true, true, true, true, false, false])
        #expect(kinds.prefix(8).map(\.isOnRequest) == [false, false, true, true, true, true, true, true])
        #expect(
            kinds.prefix(8).map(\.channels) == [
                [.push, .email], [.push, .email, .sms], .push, [.push, .email], [.push, .email], [.push, .email], .push,
                .email,
            ])
        #expect(ticked("deadline_warning") == ["24_hours", "6_hours", "1_hour"])
        #expect(ticked("referee") == ["new_request", "evidence_approved", "evidence_rejected", "comment"])
        #expect(ticked("payment") == ["payment_successful", "payment_failed", "refund_processed"])
        #expect(ticked("goal_lifecycle") == ["goal_started", "goal_completed", "goal_failed"])
        #expect(ticked("social") == [] && ticked("product_update") == [])
        #expect(kinds.filter(\.isLocked).map(\.name.text) == ["payment"])
        #expect(kinds[4].requiredChannels == [.push, .email])
        #expect(kinds[4].subtypes.map(\.isLocked) == [true, true, true, false])
        guard case .deadline(let deadline) = kinds[1].schedule else {
            Issue.record("deadline warnings come before deadlines")
            return
        }
        #expect(deadline.criticalMinutes == 60)
        #expect(deadline.offsets.filter { $0.escalation == nil }.map(\.minutes) == [1440, 360, 60])
        #expect(deadline.offsets.filter { $0.escalation == "escalation" }.map(\.minutes) == [180, 30, 15])
        #expect(kinds[0].copy.bundleTitle == "Time to check in on {count} goals")
        #expect(kinds[0].schedule == .goal(time("08:00")))
        #expect(kinds.suffix(4).map { $0.schedule?.word } == ["missed_check_in", "travel", "overload", "weekly"])
        // Product updates: immediate or weekly. What the week came to is told to whoever switches that on.
        #expect(kinds[7].digests == [.none, .weekly])
        #expect(kinds.last?.digest == .weekly && kinds.last?.isOnByDefault == false)
        #expect(rules.policy.choices.map(\.name.text) == ["celebration_level"])
        #expect(rules.policy.choices[0].usual == .string("standard"))
        #expect(
            rules.document(differing: .emptyObject, saidYes: true, timezone: "UTC")["quiet_hours"]?["exceptions"]?.text
                == #"["critical"]"#)
    }

    @Test func `the presets of microcommit are minimal, balanced and all`() throws {
        let rules = try shipped("microcommit")
        #expect(rules.policy.presets.map(\.name.text) == ["minimal", "balanced", "all"])
        let minimal = try #require(rules.preset(named: "minimal"))
        let reduced = rules.differences(of: .emptyObject, patchedWith: minimal.patch, saidYes: true)
        let on = zip(rules.kinds, rules.preferences(differing: reduced, saidYes: true).kinds).filter { $1.isEnabled }
        #expect(on.map { $0.0.name.text } == ["deadline_warning", "payment", "overload_summary"])
        #expect(on[0].1.subtypesOff.count == 6 && !on[0].1.subtypesOff.contains("1_hour"))
        let balanced = try #require(rules.preset(named: "balanced"))
        #expect(rules.differences(of: reduced, patchedWith: balanced.patch, saidYes: true) == .emptyObject)
        let all = try #require(rules.preset(named: "all"))
        let everything = rules.differences(of: reduced, patchedWith: all.patch, saidYes: true)
        for kind in rules.preferences(differing: everything, saidYes: true).kinds {
            #expect(kind.isEnabled && kind.subtypesOff.isEmpty)
        }
        #expect(rules.preset(named: "custom") == nil)
    }
}
