import Delivery
import Foundation
import Testing

@Suite("belfry stats (V6)")
struct StatsTests {
    let shell = Shell()

    private func stats(_ words: String...) -> Outcome { stats(words) }
    private func stats(_ words: [String]) -> Outcome { shell.belfry(["stats"] + words, input: []) }

    @Test func `figures by day, kind and channel, for people, for machines and as a table with commas`() throws {
        shell.importing(
            Histories.anna
                + fact("job_delivered", at: monday("21:40:00"), data: #"{"job":"anna/alert/#3","channel":"push"}"#)
                + fact("notice_opened", at: monday("21:41:00"), data: #"{"job":"anna/alert/#3"}"#),
            until: tuesday("09:00:00"))
        let day = try stats("--json").json()
        #expect(day.keys() == ["from", "to", "by", "rows", "use", "through_seq"])
        #expect((day["rows.0.day"], day["rows.0.raised"], day["rows.0.emitted"]) == ("2026-03-02", "5", "3"))
        #expect((day["rows.0.sent"], day["rows.0.opened"], day["rows.0.held"]) == ("1", "1", "2"))
        #expect((day["rows.0.gathered"], day["rows.1.emitted"]) == ("1", "1"))
        #expect(
            (day["use.people"], day["use.quiet_hours"], day["use.digest_mode"], day["use.frequency.few_times_a_week"])
                == ("1", "1", "1", "1"))
        let kinds = try stats("--json", "--by", "kind").json()
        #expect(
            (0..<kinds.count("rows")).compactMap { kinds["rows.\($0).kind"] } == ["alert", "daily_digest", "reminder"])
        let channels = try stats("--json", "--by", "channel").json()
        #expect(channels["rows.0.channel"] == "any" && channels["rows.1.channel"] == "push")
        #expect(channels["rows.1.emitted"] == "4" && channels["rows.1.sent"] == "1")
        let csv = stats("--csv", "--to", "2026-03-02").lines
        #expect(csv.count == 2 && csv[0].hasPrefix("day,raised,held,gathered,dropped,emitted,sent,"))
        #expect(csv[1].hasPrefix("2026-03-02,5,2,1,0,3,1,0,0,1,0,0,0,"))
        #expect(stats().lines.first == "from 2026-03-02 to 2026-03-03, days of UTC")
        // As it was then: the digest mode came on the same day.
        #expect(try stats("--json", "--to", "2026-03-01").json()["use.people"] == "0")
    }

    @Test func `a stretch without anything is told from a log without anything`() throws {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let later = stats("--from", "2027-01-01")
        #expect(Array(later.lines.prefix(2)) == ["from 2027-01-01 to 2027-01-01, days of UTC", "nothing was counted"])
        #expect(later.lines.contains("people       1"))
        // Of the policy, and nobody was sent one yet.
        let never = stats("--kind", "weekly_review")
        #expect(Array(never.lines.prefix(2)) == ["from 2026-03-02 to 2026-03-02, days of UTC", "nothing was counted"])
        let json = try stats("--json", "--from", "2027-01-01").json()
        #expect((json["from"], json["to"], json["rows"]) == ("2027-01-01", "2027-01-01", "[]"))
    }

    @Test func `a kind that there is not is refused with those that there are, by a worker too`() throws {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let alone = stats("--kind", "remindre")
        #expect(alone.code == 3 && alone.output == "")
        #expect(
            alone.errorLine(0).hasPrefix(
                #"belfry: kind: "remindre" is not a kind of this log or its policy (known here: alert, "#))
        #expect(alone.errorLine(0).hasSuffix("; did you mean reminder?"))
        // From what is kept beside the log as well.
        #expect(stats("--kind", "remindre") == alone)
        #expect(stats("--kind", "no kind at all").code == 3)
        let worker = shell.start(["run", "--jobs", "spool:out"])
        try worker.expectReady()
        #expect(stats("--kind", "remindre") == alone)
        let answer = try #require(WorkerDoor(shell).get("v1/stats?kind=remindre"))
        #expect(answer.status == 400 && answer.text.contains("did you mean reminder?"))
        worker.expectStopped()
    }

    @Test func `what is kept beside the log is read on from, and is worth nothing when it is damaged`() throws {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let first = stats("--json")
        #expect(shell.names(in: "events/log").contains("numbers.snapshot"))
        #expect(stats("--json") == first)
        try shell.edit("events/log/numbers.snapshot") { $0[$0.count / 2] ^= 1 }
        #expect(stats("--json") == first)
        try shell.remove("events/log/numbers.snapshot")
        #expect(shell.belfry("append", input: fact("app_opened")).code == 0)
        #expect(stats("--json").code == 0)
        #expect(shell.belfry("verify").code == 0)
    }

    @Test func `a running worker gives the same figures`() throws {
        shell.importing(Histories.anna, until: monday("22:00:00"))
        let worker = shell.start(["run", "--jobs", "spool:\(shell.path("spool"))"])
        try worker.expectReady()
        func figures() -> [Outcome] { [["--json"], ["--csv"], []].map { stats($0 + ["--to", "2026-03-02"]) } }
        let beside = figures()
        let door = WorkerDoor(shell)
        #expect(door.get("v1/stats?from=2026-03-02&to=2026-03-01")?.status == 400)
        #expect(door.get("v1/stats?by=week")?.status == 400)
        worker.expectStopped()
        let alone = figures()
        #expect(beside[1...] == alone[1...])
        #expect(beside[1].code == 0 && beside[1].lines.count == 2 && beside[2].code == 0)
        let (one, other) = (try beside[0].json(), try alone[0].json())
        // The worker has gone on since: how far they go is all that differs.
        #expect(one.keys() == other.keys() && one.count("rows") == 1)
        for key in one.keys() where key != "through_seq" { #expect(one[key] == other[key], "\(key)") }
    }

    @Test(arguments: [
        (["--by", "week"], #"--by takes day, kind or channel, not "week""#),
        (["--from", "soon"], #"--from takes a day such as 2026-03-02 or an instant, not "soon""#),
        (["--from", "2026-03-02", "--to", "2026-03-01"], "--to 2026-03-01 is before --from 2026-03-02"),
    ])
    func `what cannot be asked is told with what can`(words: [String], complaint: String) {
        let outcome = shell.belfry(["stats"] + words, input: [])
        #expect(outcome.code == 2 && outcome.errorLine(0) == "belfry: " + complaint)
    }
}
