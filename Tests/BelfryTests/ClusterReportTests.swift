import Delivery
import Foundation
import Testing

/// What providers tell a worker of a cluster about people and jobs that other workers have (`M3`).
@Suite("Reports to any worker of a cluster", .withDatabase)
struct ClusterReportTests {
    let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    @Test(.timeLimit(.minutes(3))) func `whoever answers STOP is found, whichever worker has them`() throws {
        try shell.write("ding dong\n", to: "twilio.token")
        #expect(chmod(shell.path("twilio.token"), 0o600) == 0)
        try shell.write(
            """
            {"public_url":"https://bell.example.org",
             "sms":{"twilio":{"account":"AC00000000000000000000000000000000","token_file":"twilio.token","from":"+14155550100"}}}
            """, to: "senders.json")
        let url = try bench.cluster("answers")
        let more = ["--senders", "senders.json", "--public-listen", "127.0.0.1:0"]
        let (one, other) = (
            try bench.worker(url, "one", lease: 20, more), try bench.worker(url, "other", lease: 20, more)
        )
        let address = try #require(one.complaint(of: "listening for providers") ?? nil)
        let port = WorkerPort(try #require(address.firstMatch(of: #/127\.0\.0\.1:([0-9]+)/#).flatMap { Int($0.1) }))
        try bench.expectOwned(url, by: 2)
        let people = (1...8).map { number in
            fact(
                "user_enrolled", user: "u\(number)", id: "e\(number)",
                data: #"{"timezone":"UTC","phone":"+1415555011\#(number % 2)"}"#)
        }
        bench.append(people.joined(), "one")
        let words = WordsToTwilio(shell, token: "ding dong")
        #expect(try words.say("STOP", from: "+14155550111", to: port).status == 200)
        let stream = try #require(WorkerDoor(shell, data: "other").get("v1/events?type=unsubscribed"))
        let stopped = stream.text.split(separator: "\n").compactMap { $0.firstMatch(of: #/"user":"(u[0-9])"/#)?.1 }
        #expect(Set(stopped) == ["u1", "u3", "u5", "u7"] && stopped.count == 4, "\(stream.text)")
        one.expectStopped()
        other.expectStopped()
    }
}
