import Audit
import Testing

@Suite("The reasons of drops, as the judge sees them")
struct DropTests {
    private static let ten = "2026-03-02T10:02:00Z"
    private static let evening = "2026-03-02T18:00:00Z"
    private static let digest = "anna/daily_digest/2026-03-02T18:00"

    private func found(_ steps: [Step], under policy: String = Policies.standard) throws -> [String] {
        try History(policy, steps).report().violations.map { "\($0.check.name) \($0.seq)" }
    }

    /// A reminder that is asked for under what a patch says, and dropped at once.
    private func reminder(_ reason: String, _ patch: String = "{}", _ more: String = "") throws -> [String] {
        try found([
            enrolled(), wants(patch), requested(Self.ten, "reminder", more),
            dropped(Self.ten, "anna/reminder/#3", reason),
        ])
    }

    @Test(
        arguments: [
            "expired", "settled", "no_consent", "opted_out", "kind_off", "no_channel", "viewing", "quiet_hours",
            "daily_cap",
            "superseded", "analysis_limit", "ai_unavailable", "no_rule_matched", "suppressed",
        ]) func `nothing is dropped for a reason that there is not`(reason: String) throws
    {
        #expect(try reminder(reason) == ["drops 4"])
    }

    @Test(arguments: [
        (#"{"enabled":false}"#, "opted_out"), (#"{"kinds":{"reminder":{"enabled":false}}}"#, "kind_off"),
        (#"{"channels":{"push":false}}"#, "no_channel"), (#"{"kinds":{"reminder":{"channels":[]}}}"#, "no_channel"),
    ]) func `what stands against a notice is why it is dropped`(patch: String, reason: String) throws {
        #expect(try reminder(reason, patch) == [])
        for other in ["opted_out", "kind_off", "no_channel", "viewing", "daily_cap"] where other != reason {
            #expect(try reminder(other, patch) == ["drops 4"], "\(other)")
        }
    }

    @Test func `what expired is dropped for that, whatever else stands against it`() throws {
        let over = #","expires_at":"\#(Self.ten)""#
        #expect(try reminder("expired", #"{"enabled":false}"#, over) == [])
        #expect(try reminder("opted_out", #"{"enabled":false}"#, over) == ["drops 4"])
        #expect(try reminder("expired", "{}", #","expires_at":"2026-03-02T10:02:00.001Z""#) == ["drops 4"])
    }

    @Test func `quiet hours drop what their kind says, while they last`() throws {
        func message(_ at: String, _ reason: String) throws -> [String] {
            let came = fact(at, "message_received", #"{"conversation":"c","message":"m"}"#)
            return try found(
                [enrolled(), came, dropped(at, "anna/message/conversation:c/#2", reason)], under: Policies.chatty)
        }
        #expect(try message("2026-03-02T23:00:00Z", "quiet_hours") == [])
        #expect(try message(Self.ten, "quiet_hours") == ["drops 3"])
        // A reminder is held.
        let night = "2026-03-02T23:00:00Z"
        #expect(
            try found([enrolled(), requested(night), dropped(night, "anna/reminder/#2", "quiet_hours")]) == ["drops 3"])
    }

    @Test func `a full day drops what may neither wait nor be gathered`() throws {
        func day(_ jobs: Int, _ last: [Step]) throws -> [String] {
            let times = ["08:00", "08:20", "08:40"].prefix(jobs).map { "2026-03-02T\($0):00Z" }
            let kinds = ["alert", "reminder", "alert"]
            let told = times.enumerated().flatMap { place, at in
                [requested(at, kinds[place]), job(at, "anna/\(kinds[place])/#\(2 + 2 * place)")]
            }
            return try found(
                [enrolled()] + told + last,
                under: Policies.standard.replacing(#""standard","#, with: #""standard","cooldown_minutes":0,"#))
        }
        let checkIn = dropped("2026-03-02T09:00:00Z", "anna/check_in/2026-03-02T09:00", "daily_cap")
        #expect(try day(3, [checkIn]) == [])
        #expect(try day(2, [checkIn]) == ["drops 6"])
        // The last place is kept for points, and not for those that are switched off.
        let earned = fact("2026-03-02T09:00:00Z", "points_earned", #"{"points":5}"#)
        let off = wants(#"{"kinds":{"daily_digest":{"enabled":false}}}"#, at: "2026-03-02T09:00:00Z")
        #expect(try day(2, [earned, checkIn]) == [])
        #expect(try day(2, [earned, off, checkIn]) == ["drops 8"])
        // What is gathered over the cap is not dropped.
        let asked = [requested(Self.ten), dropped(Self.ten, "anna/reminder/#8", "daily_cap")]
        #expect(try day(3, asked) == ["drops 9"])
    }

    @Test func `a digest takes along what it gathered, for its own reason`() throws {
        func evening(_ digestReason: String, _ noticeReason: String) throws -> [String] {
            let wish = wants(#"{"digest_mode":true,"kinds":{"reminder":{"channels":["push","email"]}}}"#)
            return try found([
                enrolled("UTC", #","email":"a@b.c""#), wish, requested(Self.ten),
                gathered(Self.ten, "anna/reminder/#3", into: Self.digest, "digest_mode"),
                fact("2026-03-02T11:00:00Z", "push_permission_changed", #"{"status":"denied"}"#),
                dropped(Self.evening, Self.digest, digestReason),
                dropped(Self.evening, "anna/reminder/#3", noticeReason),
            ])
        }
        #expect(try evening("no_channel", "no_channel") == [])
        #expect(try evening("no_channel", "opted_out") == ["drops 7"])
        #expect(try evening("opted_out", "opted_out") == ["drops 6"])
    }

    @Test func `only a slot that waits gives way to the next`() throws {
        let night = "2026-03-02T23:00:00Z"
        let hold = held(night, "anna/reminder/#2", until: "2026-03-03T08:00:00Z")
        let gone = dropped("2026-03-03T07:00:00Z", "anna/reminder/#2", "superseded")
        #expect(try found([enrolled(), requested(night), hold, gone]) == ["drops 4"])
    }

    @Test func `a slot that was gathered waits as well, and gives way to the next`() throws {
        let eight = "2026-03-02T08:00:00Z"
        func found(_ raised: Step, _ notice: String) throws -> [String] {
            let waits = gathered(eight, notice, into: "anna/summary/#2", "overload")
            let gone = dropped("2026-03-03T08:00:00Z", notice, "superseded")
            let all = try self.found([enrolled(), raised, waits, gone], under: Policies.busy)
            return all.filter { $0.hasPrefix("drops") }
        }
        let goal = fact("2026-03-01T12:00:00Z", "goal_started", #"{"goal":"g1","title":"Read"}"#)
        #expect(try found(goal, "anna/goal_reminder/goal:g1/2026-03-02T08:00") == [])
        #expect(try found(requested(eight, "note"), "anna/note/#2") == ["drops 4"])
    }
}

@Suite("N9, as the judge sees it")
struct PhoneCodeTests {
    private func found(_ codes: [Bool], _ word: String, phone: String = "0100") throws -> [String] {
        let at = "2026-03-02T10:00:00Z"
        let asked = fact(at, "phone_verification_requested", #"{"phone":"+14155550100"}"#)
        let entered = codes.map { fact(at, "phone_code_entered", #"{"correct":\#($0)}"#) }
        return try History(
            Policies.busy, [enrolled(), asked] + entered + [fact(at, word, #"{"phone":"\#(phone)"}"#)]
        ).found()
    }

    @Test func `a phone is verified by a right code alone`() throws {
        #expect(try found([true], "phone_verified") == [])
        #expect(try found([false, true], "phone_verified") == [])
        #expect(try found([false], "phone_verified") == ["phone_codes 4"])
        #expect(try found([], "phone_verified") == ["phone_codes 3"])
        #expect(try found([true], "phone_verified", phone: "0199") == ["phone_codes 4"])
    }

    @Test func `a phone is locked after five wrong ones alone`() throws {
        #expect(try found([false, false, false, false, false], "phone_locked") == [])
        #expect(try found([false, false, false, false], "phone_locked") == ["phone_codes 7"])
        #expect(try found([false, false, false, false, true], "phone_locked") == ["phone_codes 8"])
    }
}

@Suite("§1 and P10, as the judge sees them")
struct KindOfJobTests {
    private static let ten = "2026-03-02T10:02:00Z"

    @Test func `a job is of the kind of its notices`() throws {
        let alert = requested(Self.ten, "alert")
        #expect(try History(enrolled(), alert, job(Self.ten, "anna/alert/#2")).found() == [])
        for kind in ["urgent", "reminder"] {
            let other = job(Self.ten, "anna/alert/#2", "high", kind: kind)
            #expect(try History(enrolled(), alert, other).found().contains("names 3"), "\(kind)")
        }
    }

    @Test(arguments: [
        ("anna/daily_digest/2026-03-02T18:00", true), ("anna/daily_digest/2026-03-03T18:00", false),
        ("anna/daily_digest/2026-03-02T18:07", false), ("anna/daily_digest/2027-03-02T18:00", false),
        ("anna/daily_digest/goal:g/2026-03-02T18:00", false), ("bert/daily_digest/2026-03-02T18:00", false),
        ("anna/daily_digest/#3", false),
    ]) func `what is gathered waits for the next digest`(into: String, isNext: Bool) throws {
        let waits = gathered(Self.ten, "anna/reminder/#3", into: into, "digest_mode")
        let found = try History(
            enrolled(), wants(#"{"digest_mode":true}"#), requested(Self.ten), waits
        ).found()
        #expect(found == (isNext ? [] : ["waiting 4"]))
    }
}
