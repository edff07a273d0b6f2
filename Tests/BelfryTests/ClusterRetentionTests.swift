import Delivery
import Foundation
import Shared
import Testing

/// A policy that keeps nobody who left, in a cluster: every worker hears who goes (E1, E4).
@Suite("Retention in a cluster", .withDatabase)
struct ClusterRetentionTests {
    private let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private static let policy =
        #"{"name":"short","retention":{"people_after_days":30},"kinds":[{"name":"note","on_request":true}]}"#

    /// When each leaver was heard of last. A policy that is adopted later catches up with them within a week, each at a moment that hangs
    /// on theirs: these are followed within two seconds.
    private static let leavers = [
        "old1": "09:11:38.603",
        "old2": "09:20:36.718",
        "old3": "09:25:22.650",
        "old4": "09:25:49.290",
        "old5": "09:31:34.847",
        "old6": "09:40:32.611",
    ]

    /// A cluster of two partitions, with people of whom nothing has been heard for months.
    private func cluster(_ name: String) throws -> String {
        try shell.makeDirectory("old")
        try shell.write("belfry-partitions 1\ncount 2\n", to: "old/partitions")
        let adoption = shell.adoption(of: "standard", at: monday("00:00:00"))
        for partition in [Partition.everyone, 0, 1] {
            let people = Self.leavers.filter { Partition.of($0.key, among: 2) == partition }
                .sorted { $0.value < $1.value }
                .map { fact("user_enrolled", user: $0.key, at: monday($0.value), data: #"{"timezone":"UTC"}"#) }
            #expect(partition == Partition.everyone || !people.isEmpty)
            let data = partition == Partition.everyone ? "old/everyone" : "old/\(partition)"
            let done = shell.belfry(
                ["import", "-", "--until", tuesday("00:00:00"), "--data", data],
                input: Array((adoption + people.joined()).utf8))
            #expect(done.code == 0, "\(done)")
        }
        let url = try bench.cluster(name, partitions: 2)
        let imported = shell.belfry(
            ["cluster", "import", "--postgres", url, "--data", "old"] + ClusterBench.keyOption, input: [])
        #expect(imported.code == 0, "\(imported)")
        return url
    }

    /// What a worker has written down of tokens that are revoked.
    private func revoked(_ data: String) -> String {
        (try? shell.read("\(data)/person-tokens.revoked")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Of how many people who were erased a worker knows.
    private func erased(_ data: String) -> Int {
        // Of each log what was said last.
        let said = revoked(data).matches(of: /\berased ([0-9]+) ([0-9]+)/).map { (String($0.1), Int($0.2) ?? 0) }
        return Dictionary(said) { $1 }.values.reduce(0, +)
    }

    @Test(.timeLimit(.minutes(4)))
    func `every worker lets go of those whose time has ended, and nobody else's tokens end anywhere`() throws {
        let leavers = Self.leavers.keys
        let url = try cluster("leavers")
        let workers = [
            "one": try bench.worker(url, "one", lease: 20), "two": try bench.worker(url, "two", lease: 20),
        ]
        try bench.expectOwned(url, by: 2)
        bench.append(bench.enrolled(1...4), "one")
        let tokens = try (1...4).map { number -> String in
            let made = try #require(WorkerDoor(shell, data: "one").post("v1/people/u\(number)/tokens", "{}"))
            return try #require(try Printed(made.text)["token"], "\(made.text)")
        }
        /// Whoever made a token takes it: each worker signs with a secret of its own.
        func takers() throws -> [[String]] {
            try tokens.map { token in
                try workers.filter { try WorkerPort($0.value.port()).get("v1/me", token: token).status == 200 }
                    .map { $0.key }.sorted()
            }
        }
        let before = try takers()
        #expect(before.allSatisfy { !$0.isEmpty }, "\(before)")
        bench.append(fact("policy_adopted", user: nil, id: "p", data: #"{"policy":\#(Self.policy)}"#), "one")
        bench.soon { workers.keys.allSatisfy { erased($0) == leavers.count } }
        for data in workers.keys {
            #expect(erased(data) == leavers.count, "\(data): \(revoked(data))")
            #expect(!revoked(data).contains("everybody"), "\(data): \(revoked(data))")
        }
        #expect(try takers() == before)
        for user in leavers { #expect(shell.belfry("state", "--user", user, "--data", "two").code == 3) }
        for worker in workers.values {
            #expect(!worker.expectStopped().errors.contains("the tokens of all persons were"))
        }
    }
}
