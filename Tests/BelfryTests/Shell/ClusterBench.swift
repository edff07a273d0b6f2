import Foundation
import Testing

/// A PostgreSQL server of a test's own, and workers over it.
struct ClusterBench {
    let shell = Shell()
    let database: Database

    init() throws {
        database = try Database()
        try shell.write(WorkerPort.token + "\n", to: "token")
        try shell.write(Self.masterKey + "\n", to: Self.keyFile)
        for file in ["token", Self.keyFile] { #expect(chmod(shell.path(file), 0o600) == 0) }
    }

    /// What all workers are given to open people's keys.
    static let keyFile = "cluster.key"
    static let keyOption = ["--master-key-file", keyFile]
    private static let masterKey = (0..<64).map { String(format: "%02x", ($0 * 7 + 13) % 256) }.joined()

    /// The URL of a new cluster.
    func cluster(_ name: String, partitions: Int = 8) throws -> String {
        let url = try database.make(name)
        let made = shell.belfry("cluster", "create", "--postgres", url, "--partitions", "\(partitions)")
        try #require(made.code == 0, "\(made.errors)")
        return url
    }

    /// Waits until it is so, for half a minute: other processes do not tell when they are done.
    func soon(_ isSo: () throws -> Bool) rethrows {
        for _ in 0..<600 {
            if try isSo() { return }
            usleep(50_000)
        }
    }

    /// - Parameter lease: in seconds. A machine that is busy enough loses a short one without a fault.
    func worker(_ url: String, _ data: String, lease: Int = 2, _ more: [String] = []) throws -> Running {
        let worker = start(url, data, lease: lease, more)
        try worker.expectReady()
        return worker
    }

    /// One that is not ready yet.
    func start(_ url: String, _ data: String, lease: Int = 2, _ more: [String] = []) -> Running {
        shell.start(
            [
                "run", "--postgres", url, "--data", data, "--listen", "0", "--token-file", "token", "--lease",
                "\(lease)",
                "--jobs", "spool:jobs-\(data)",
            ] + Self.keyOption + more)
    }

    /// A worker looks for what it should own several times in this.
    private static let looksAlike = 20

    /// Waits until so many workers own all partitions between them, and no more of them change hands. Each look takes the time
    /// that a program takes to start.
    func expectOwned(_ url: String, by workers: Int) throws {
        var status = ""
        var (owners, looks): ([Substring], Int) = ([], 0)
        for _ in 0..<1000 {
            let answer = shell.belfry("cluster", "status", "--postgres", url)
            status = answer.output
            let seen = answer.lines.dropFirst().compactMap { $0.firstMatch(of: /http:\S+/)?.0 }
            (owners, looks) = (seen, seen == owners ? looks + 1 : 0)
            if answer.code == 0, Set(owners).count == workers, looks >= Self.looksAlike { return }
        }
        Issue.record("not owned by \(workers): \(status)")
    }

    /// The partitions that a worker owns, in order, everyone's log first.
    func owned(_ url: String, by worker: Running) throws -> [Int] {
        let suffix = ":\(try worker.port())"
        let lines = shell.belfry("cluster", "status", "--postgres", url, "--json").lines
        return try lines.map { try Printed($0) }.filter { $0["owner"]?.hasSuffix(suffix) == true }
            .compactMap { $0["partition"].flatMap { Int($0) } }
    }

    func enrolled(_ names: ClosedRange<Int>) -> String {
        names.map { fact("user_enrolled", user: "u\($0)", id: "e\($0)", data: #"{"timezone":"\#(Noon.zone)"}"#) }
            .joined()
    }

    /// Appends them, again and again while nobody can say what became of some of them: all have ids.
    func append(_ lines: String, _ data: String) {
        var told = Outcome(code: 0, output: "", errors: "")
        for _ in 0..<1000 {
            told = shell.belfry(["append", "--data", data], input: Array(lines.utf8))
            if told.code != 5 { break }
        }
        #expect(told.code == 0 && told.lines.count == lines.split(separator: "\n").count, "\(told)")
    }

    /// What the database holds, in a directory by itself.
    func export(_ url: String, to data: String) {
        let exported = shell.belfry(
            ["cluster", "export", "--postgres", url, "--data", data] + Self.keyOption, input: [])
        #expect(exported.code == 0, "\(exported)")
    }
}
