import Foundation
import Testing

/// A kind, at a moment.
extension ExplainTests {
    @Test func `a kind now: what would become of it, by every rule, and when it could come next`() {
        shell.importing(Histories.anna)
        let outcome = explain("--kind", "alert", "--at", "2026-03-03T07:10:00+01:00")
        #expect(outcome.code == 0)
        #expect(
            outcome.lines.prefix(3) == [
                "anna, tue 2026-03-03 07:10 (Europe/Paris; 2026-03-03T06:10:00.000Z)", "alert",
                "  last: event 13, mon 2026-03-02 22:30 (Europe/Paris; 2026-03-02T21:30:00.000Z): anna/alert/#12 was held until tue 2026-03-03 08:00 (Europe/Paris; 2026-03-03T07:00:00.000Z): quiet_hours",
            ])
        #expect(
            outcome.line(3)
                == "  raised now: it would be held, and sent at tue 2026-03-03 08:30 (Europe/Paris; 2026-03-03T07:30:00.000Z)"
        )
        #expect(rules(outcome.lines).count == 13)
        // It comes on request: there is no slot to tell of.
        #expect(outcome.lines.count == 17)
    }

    @Test func `what was decided last is no test, sent or dropped (N8)`() throws {
        shell.importing(
            Histories.anna
                + fact("test_requested", at: monday("21:34:00"), data: #"{"kind":"alert","channel":"sms"}"#)
                + fact("test_requested", at: monday("21:35:00"), data: #"{"kind":"alert"}"#))
        #expect(shell.belfry("log").lines.contains { $0.contains("job_emitted") && $0.contains(#""test":true"#) })
        let told = try json("--kind", "alert", "--at", monday("21:40:00"))
        #expect(told["kinds.0.last.seq"] == "13", "\(told.text)")
        #expect(told["kinds.0.last.says"]?.hasPrefix("anna/alert/#12 was held until ") == true, "\(told.text)")
    }

    @Test func `the next eligible instant follows a hold to its end, and the hold after it`() throws {
        shell.importing(Histories.anna)
        for (moment, eligible) in [
            (monday("09:29:59.999"), "2026-03-02T09:29:59.999Z"), (monday("09:30:00"), "2026-03-02T10:00:00.000Z"),
            // One that waits already goes first.
            (monday("09:59:59.999"), "2026-03-02T10:30:00.000Z"), (monday("10:00:00"), "2026-03-02T10:30:00.000Z"),
            // What is due at the instant itself is decided before (T10).
            (tuesday("06:59:59.999"), "2026-03-03T07:30:00.000Z"), (tuesday("07:00:00"), "2026-03-03T07:30:00.000Z"),
            // So does one that was raised at the instant itself.
            (monday("21:30:00"), "2026-03-03T07:30:00.000Z"),
        ] {
            #expect(try json("--kind", "alert", "--at", moment)["kinds.0.now.next_eligible"] == eligible, "\(moment)")
        }
        let gathered = try json("--kind", "reminder", "--at", monday("12:00:00"))
        #expect(gathered.keys("kinds.0.now") == ["gathered_at", "reason", "next_eligible", "explanation"])
        // The digest's moment, at 18:00 in Paris.
        #expect(gathered["kinds.0.now.next_eligible"] == "2026-03-02T17:00:00.000Z")
        #expect(gathered["kinds.0.now.gathered_at"] == "2026-03-02T12:00:00.000Z")
        #expect(gathered["kinds.0.now.reason"] == "digest_mode")
    }

    /// The alert goes out at 08:00 and a check-in at 09:00. The day's third place is kept for the digest of 18:00, which tells the
    /// points.
    @Test func `an instant behind the end of the log is asked about as things will stand then`() throws {
        shell.importing(
            fact("user_enrolled", at: monday("06:00:00"), data: #"{"timezone":"Etc/UTC"}"#)
                + fact("notice_requested", at: monday("07:00:00"), data: #"{"kind":"alert"}"#)
                + fact("points_earned", at: monday("07:00:01"), data: #"{"points":5}"#))
        let alert = try json("--kind", "alert", "--at", monday("12:00:00"))
        #expect(alert["at"] == "2026-03-02T12:00:00.000Z")
        #expect(alert["kinds.0.now.gathered_at"] == "2026-03-02T12:00:00.000Z", "\(alert.text)")
        #expect(alert["kinds.0.now.reason"] == "daily_cap")
        #expect(alert["kinds.0.now.next_eligible"] == "2026-03-02T18:00:00.000Z")
        #expect(
            alert["kinds.0.now.explanation.rules.12.saw"] == "2 of 3 jobs today, one kept for today's digest")
        let digest = try json("--kind", "daily_digest", "--at", monday("20:00:00"))
        #expect(digest["kinds.0.now.never"]?.hasSuffix("(D1)") == true, "\(digest.text)")
        let checkIn = try json("--kind", "check_in", "--at", monday("12:00:00"))
        #expect(checkIn["kinds.0.next_slot.at"] == "2026-03-04T09:00:00.000Z")
    }

    /// A slot that is minutes behind another of its kind is told in that one's job.
    @Test func `a slot that will be told in another's job says so, and when`() throws {
        let goals = [("g1", "07:30"), ("g2", "07:40"), ("g3", "20:00")].map { goal, time in
            #"{"type":"goal_started","user":"anna","at":"2026-03-02T09:00:00Z","data":{"goal":"\#(goal)","title":"T","reminder_time":"\#(time)"}}"#
                + "\n"
        }
        let enrolled =
            #"{"type":"user_enrolled","user":"anna","at":"2026-03-02T00:00:00Z","data":{"timezone":"Europe/London"}}"#
            + "\n"
            + #"{"type":"preferences_changed","user":"anna","at":"2026-03-02T00:00:00Z","data":{"patch":{"quiet_hours":{"enabled":false}}}}"#
            + "\n"
        shell.importing(enrolled + goals.joined(), policy: "microcommit")
        func asked(_ goal: String, at moment: String) throws -> Printed {
            try json("--kind", "goal_reminder", "--subject", "goal:\(goal)", "--at", moment)
        }
        let prospect = "kinds.0.next_slot.prospect"
        let before = try asked("g2", at: "2026-03-03T07:29:59.999Z")
        #expect(before["kinds.0.next_slot.at"] == "2026-03-03T07:40:00.000Z")
        #expect(before[prospect + ".joined_at"] == "2026-03-03T07:30:00.000Z")
        #expect(before[prospect + ".next_eligible"] == "2026-03-03T07:30:00.000Z")
        // It has been told by then.
        let behind = try asked("g2", at: "2026-03-03T07:35:00Z")
        #expect(behind["kinds.0.next_slot.at"] == "2026-03-04T07:40:00.000Z")
        for goal in ["g1", "g3"] {
            #expect(try asked(goal, at: "2026-03-03T07:00:00Z").keys(prospect) == ["next_eligible", "explanation"])
        }
        let told = explain(
            "--kind", "goal_reminder", "--subject", "goal:g2", "--at", "2026-03-03T07:00:00Z"
        ).output
        #expect(told.contains("as things stand it would be told with another of its kind, at tue 2026-03-03 07:30"))
        #expect(told.contains("P11 and P13 are not asked (P19)"))
    }

    /// Fourteen reminders a day are more than is lived ahead until Sunday.
    @Test func `what is gathered comes with its digest, however much comes before it`() throws {
        let goals = (10..<24).map { hour in
            fact(
                "goal_started", at: monday("00:00:00"),
                data: #"{"goal":"g\#(hour)","title":"T","reminder_time":"\#(hour):00"}"#)
        }
        let weekly = #"{"product_update":{"enabled":true,"digest":"weekly"},"weekly_digest":{"enabled":true}}"#
        shell.importing(
            fact(
                "user_enrolled", at: monday("00:00:00"),
                data: #"{"timezone":"Europe/London","email":"anna@example.org"}"#)
                + fact(
                    "preferences_changed", at: monday("00:00:00"),
                    data: #"{"patch":{"quiet_hours":{"enabled":false},"kinds":\#(weekly)}}"#)
                + goals.joined(), policy: "microcommit")
        let gathered = try json("--kind", "product_update", "--at", "2026-03-02T07:00:00Z")
        #expect(gathered["kinds.0.now.gathered_at"] == "2026-03-02T07:00:00.000Z", "\(gathered.text)")
        #expect(gathered["kinds.0.now.next_eligible"] == "2026-03-08T19:00:00.000Z", "\(gathered.text)")
    }

    /// *Sent* is what was taken (SPEC §11): until then it was handed out, and what failed was never sent.
    @Test func `what became of a job is told, of the kind, of the notice and of those in its digest`() throws {
        let digest = "anna/daily_digest/2026-03-02T18:00"
        // Without the alert of the evening, which is later than the digest can be sent.
        let afternoon = Histories.anna.split(separator: "\n").dropLast().map { "\($0)\n" }.joined()
        func ends(_ events: String...) -> String { afternoon + events.joined() }
        func about(_ type: String, _ rest: String, at moment: String) -> String {
            fact(type, at: moment, data: #"{"job":"\#(digest)","channel":"push"\#(rest)}"#)
        }
        func says() throws -> [String?] {
            [
                try json("--kind", "daily_digest")["kinds.0.last.says"],
                try json("--kind", "reminder")["kinds.0.last.says"],
            ]
        }
        let failed = about("job_failed", #","reason":"too_late","permanent":false"#, at: monday("18:00:00"))
        shell.importing(ends(failed))
        #expect(
            try says() == [
                "\(digest) failed on push: too_late",
                "anna/reminder/#9 is in \(digest), which failed on push: too_late",
            ])
        #expect(
            explain("--notice", "anna/reminder/#9").lines.last { $0.hasPrefix("  event") }?
                .hasSuffix("failed in \(digest) on push: too_late") == true)
        shell.forget("events")
        let again = fact("job_retry_requested", at: monday("18:01:00"), data: #"{"job":"\#(digest)"}"#)
        shell.importing(ends(failed, again))
        #expect(try says().first == "\(digest) was handed out on push")
        shell.forget("events")
        shell.importing(ends(failed, again, about("job_delivered", "", at: monday("18:02:00"))))
        #expect(try says().first == "\(digest) was sent on push")
    }

    @Test func `a kind of which the last is in a digest says so`() throws {
        shell.importing(Histories.anna)
        #expect(
            try json("--kind", "reminder")["kinds.0.last"]
                == #"{"seq":11,"at":"2026-03-02T17:00:00.000Z","says":"anna/reminder/#9 is in anna/daily_digest/2026-03-02T18:00, which was handed out on push"}"#
        )
        #expect(try json("--kind", "reminder", "--at", "10")["kinds.0.last.seq"] == "10")
        #expect(try json("--kind", "urgent")["kinds.0.last"] == "null")
    }

    @Test func `what is locked or critical says which rules it passes (P14), an open app which are not asked (P15)`() {
        shell.importing(Histories.mia, policy: shell.goals)
        #expect(
            explain("--kind", "payment", user: "mia").lines.contains(
                "    payment is locked: it passes P3–P5 and P8–P13 (P14)"))
        shell.forget("events")
        shell.importing(fact(at: monday("23:00:00")))
        let urgent = explain("--kind", "urgent").lines
        #expect(urgent.contains("  raised now: it would be sent at once"))
        #expect(urgent.contains { $0.contains("critical notices pass P8–P13 (P14)") })
        #expect(urgent.contains { $0.contains("the app is open: it is shown there at once") })
        #expect(explain("--kind", "alert", "--at", monday("23:01:59.999")).output.contains("the app is open"))
        #expect(!explain("--kind", "alert", "--at", monday("23:02:00")).output.contains("the app is open"))
    }

    @Test func `without a kind there is a line for every one`() throws {
        shell.importing(Histories.anna)
        let lines = explain().lines
        #expect(
            lines.filter { !$0.hasPrefix(" ") } == [
                "anna, mon 2026-03-02 22:30 (Europe/Paris; 2026-03-02T21:30:00.000Z)", "urgent", "alert", "reminder",
                "check_in", "daily_digest", "weekly_review",
            ])
        #expect(rules(lines) == [])
        #expect(lines.filter { $0.hasPrefix("  raised now: ") }.count == 6)
        #expect(lines.filter { $0.hasPrefix("  next slot: ") }.count == 3)
        let all = try json()
        #expect(all.keys() == ["user", "at", "kinds"])
        #expect(all.count("kinds") == 6)
        #expect(all.keys("kinds.3") == ["kind", "last", "now", "next_slot"])
        #expect(all["kinds.3.next_slot.at"] == "2026-03-04T08:00:00.000Z")
        #expect(all["kinds.3.next_slot.prospect.next_eligible"] == "2026-03-04T08:00:00.000Z")
        #expect(all["kinds.1.next_slot"] == "null")
    }
}
