import Delivery
import Foundation
import Testing

/// Partitions that change hands on purpose (`M4`).
@Suite("A worker that is to stop", .withDatabase)
struct DrainTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    @Test(.timeLimit(.minutes(3))) func `it gives all away while facts go on, takes nothing back, and can be stopped`()
        throws
    {
        let url = try bench.cluster("drained")
        let (one, other) = (try bench.worker(url, "one", lease: 20), try bench.worker(url, "other", lease: 20))
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...40), "one")
        let before = recorded("other")
        #expect(before > 0)
        let draining = shell.start(["cluster", "drain", "--data", "other"])
        // Through both, for as long as partitions move: nothing is answered as in doubt, and nothing is lost.
        var round = 0
        var counts: [Int: Int] = [:]
        let ids = (1...40).map { "u\($0)" }
        while round < 4 {
            for (place, user) in ids.enumerated() {
                let door = WorkerDoor(shell, data: place % 2 == 0 ? "one" : "other")
                for _ in 0..<1000 {
                    let answer = door.append(fact(user: user, id: "\(round)-\(user)"))
                    counts[answer?.status ?? 0, default: 0] += 1
                    #expect(answer?.text.contains("in_doubt") == false, "\(String(describing: answer?.text))")
                    if answer?.status == 200 { break }
                }
            }
            round += 1
        }
        let drained = draining.end()
        #expect(drained.code == 0 && drained.lines.last == "it has no partition any more; stop it", "\(drained)")
        #expect(counts[200] == 160, "\(counts)")
        let status = shell.belfry("cluster", "status", "--postgres", url)
        #expect(status.code == 0 && !status.output.contains("(leaving)"), "\(status)")
        #expect(recorded("other") >= before, "a counter never goes back")
        // It still passes on what it is asked.
        #expect(shell.belfry("state", "--user", "u1", "--data", "other").code == 0)
        #expect(shell.belfry("cluster", "drain", "--data", "other").code == 0)
        other.expectStopped()
        one.expectStopped()
        bench.export(url, to: "exported")
        let replayed = shell.belfry(["replay", "--verify", "--data", "exported"] + ClusterBench.keyOption, input: [])
        #expect(replayed.code == 0 && replayed.lines.last?.hasSuffix(", 0 differ") == true, "\(replayed)")
        #expect(shell.belfry(["audit", "--data", "exported"] + ClusterBench.keyOption, input: []).code == 0)
        var seen: [String: Int] = [:]
        for partition in 0..<8 {
            let log = shell.belfry(
                ["log", "--partition", "\(partition)", "--data", "exported"] + ClusterBench.keyOption, input: [])
            for event in try log.events() { if let id = event.id { seen[id, default: 0] += 1 } }
        }
        for user in ids { for round in 0..<4 { #expect(seen["\(round)-\(user)"] == 1, "\(round)-\(user)") } }
    }

    /// Facts that a worker says it has recorded.
    private func recorded(_ data: String) -> Int {
        let page = WorkerDoor(shell, data: data).get("metrics")?.text ?? ""
        return page.matches(of: #/belfry_facts_total\{[^}]*result="recorded"[^}]*\} ([0-9]+)/#)
            .reduce(0) { $0 + (Int($1.1) ?? 0) }
    }

    /// A text that is not answered may have been taken; another worker would send it again.
    @Test(.timeLimit(.minutes(3)), .withProviders) func `what is being sent is answered before a partition goes`()
        throws
    {
        let provider = try Provider(.push, shell, "hold-texts")
        try shell.write("ding dong\n", to: "twilio.token")
        #expect(chmod(shell.path("twilio.token"), 0o600) == 0)
        try shell.write(
            """
            {"sms":{"twilio":{"account":"AC\(String(repeating: "0", count: 32))","token_file":"twilio.token",
             "from":"+14155550199","url":"https://127.0.0.1:\(provider.port)","ca_file":"\(provider.caFile)"}}}
            """, to: "senders.json")
        try shell.write(
            """
            {"name":"mine","cooldown_minutes":0,"kinds":[{"name":"text","on_request":true,"channels":["sms"]}]}
            """, to: "mine.json")
        let url = try bench.cluster("texts", partitions: 4)
        let more = ["--senders", "senders.json", "--policy", "mine.json"]
        let one = try bench.worker(url, "one", lease: 20, more + ["--log-level", "debug"])
        let other = try bench.worker(url, "other", lease: 20, more)
        try bench.expectOwned(url, by: 2)
        let people = (1...8).map { number in
            fact("user_enrolled", user: "u\(number)", id: "e\(number)", data: #"{"timezone":"UTC"}"#)
                + fact(
                    "contact_changed", user: "u\(number)", id: "c\(number)",
                    data: #"{"phone":"+1415555010\#(number)","phone_verified":true}"#)
                + fact(
                    "preferences_changed", user: "u\(number)", id: "p\(number)",
                    data: #"{"patch":{"channels":{"sms":true},"quiet_hours":{"enabled":false}}}"#)
                + fact(
                    "notice_requested", user: "u\(number)", id: "n\(number)",
                    data: #"{"kind":"text","title":"Hello","body":"There"}"#)
        }
        bench.append(people.joined(), "one")
        for _ in 1...8 { #expect(provider.hearHeld()) }
        let draining = shell.start(["cluster", "drain", "--data", "one"])
        #expect(one.complaint(of: "what is being sent ends before a partition goes") != nil)
        provider.answerHeld()
        let drained = draining.end()
        #expect(drained.code == 0, "\(drained)")
        one.expectStopped()
        let door = WorkerDoor(shell, data: "other")
        var delivered = 0
        bench.soon {
            let told = door.get("v1/events?type=job_delivered")?.text ?? ""
            delivered = told.matches(of: #/"type":"job_delivered"/#).count
            return delivered == 8
        }
        #expect(delivered == 8)
        other.expectStopped()
        #expect(try provider.end().count == 8, "each text once")
    }

    @Test(.timeLimit(.minutes(2))) func `the last one keeps what it has, and says who could take it`() throws {
        let url = try bench.cluster("last", partitions: 2)
        let one = try bench.worker(url, "one", lease: 6)
        try bench.expectOwned(url, by: 1)
        bench.append(bench.enrolled(1...4), "one")
        let refused = shell.belfry("cluster", "drain", "--data", "one")
        #expect(refused.code == 1 && refused.errors.contains("there is no other worker that stays"), "\(refused)")
        // What is refused changes nothing.
        #expect(!shell.belfry("cluster", "status", "--postgres", url).output.contains("(leaving)"))
        bench.append(fact(user: "u1", id: "still"), "one")
        // Once another has come it is given all of it.
        let other = try bench.worker(url, "other", lease: 6)
        var drained = refused
        // Each look takes the time that a program takes to start; the other is seen at the next look of this one.
        for _ in 0..<500 where drained.code == 1 { drained = shell.belfry("cluster", "drain", "--data", "one") }
        #expect(drained.code == 0, "\(drained)")
        one.expectStopped()
        #expect(shell.belfry("state", "--user", "u1", "--data", "other").code == 0)
        other.expectStopped()
        #expect(shell.belfry("cluster", "drain", "--data", "one").code == 5)
        #expect(shell.belfry("append", "--data", "single", input: fact()).code == 0)
        let single = shell.start(["run", "--data", "single"])
        try single.expectReady()
        let alone = shell.belfry("cluster", "drain", "--data", "single")
        #expect(alone.code == 3 && alone.errors.contains("is none of a cluster"), "\(alone)")
        single.expectStopped()
    }
}
