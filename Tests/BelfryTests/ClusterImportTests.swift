@testable import belfry
import Journal
import Notices
import Shared
import SimulatedShared
import Simulation
import Testing

/// A history on its way into a cluster, which may end anywhere: whoever decided on a part of it would not know what came later.
@Suite("An import into a cluster")
struct ClusterImportTests {
    private let shell = Shell()
    private let disk = RealDisk(keys: nil)

    /// A directory of partitions, with something in each of its logs.
    private func history(of partitions: Int) throws -> String {
        let directory = try DataDirectory.made(shell.path("history"), partitions: partitions, on: disk)
        for name in directory.allNames {
            let journal = try Journal(directory.log(name), on: disk, holder: "a test")
            _ = try journal.append([Entry(user: "u", payload: .appOpened(AppOpened()))], at: .exampleStart)
            try journal.commit()
            try journal.close()
        }
        return directory.path
    }

    private func database(_ partitions: Int) throws -> SimulatedSharedLog {
        let database = SimulatedSharedLog()
        _ = try database.create(ClusterPlan(id: .random(), partitions: partitions, isSealed: false))
        return database
    }

    private func takeIn(_ path: String, _ database: SimulatedSharedLog) throws {
        let world = World(disk: disk, output: Output(), clock: { .exampleStart }, zoneDirectories: [])
        try ClusterTransfer(database, path, world).takeIn()
    }

    /// Where each log of the cluster ends.
    private func ends(_ database: SimulatedSharedLog) throws -> [UInt64] {
        let connection = try database.connect(ConnectionTerms())
        return try (Partition.everyone..<connection.cluster.partitions).map { try connection.tail(of: $0).until }
    }

    /// What a worker does at its start, and at each look.
    private func look(_ database: SimulatedSharedLog) throws {
        try ClusterCache.findLossesOfOthers(try database.connect(ConnectionTerms()))
    }

    @Test(arguments: SimulatedSharedLog.Fault.allCases)
    func `wherever it is cut off, no worker takes a part of a history, and an import says the same`(
        fault: SimulatedSharedLog.Fault
    ) throws {
        let path = try history(of: 2)
        let undisturbed = try database(2)
        try takeIn(path, undisturbed)
        let messages = undisturbed.messages
        let whole = try ends(undisturbed)
        #expect(whole.allSatisfy { $0 > 0 })
        var halves = 0
        for step in 1...messages {
            let database = try database(2)
            database.plan(fault, atMessage: step)
            try? takeIn(path, database)
            database.calm()
            let found = try ends(database)
            guard found != whole, found.contains(where: { $0 > 0 }) else { continue }
            halves += 1
            let problem = #expect(throws: MembershipProblem.self, "\(step)") { try look(database) }
            guard case .fatal(let failure)? = problem else { Issue.record("\(step): \(found)"); continue }
            #expect(failure.code == .environment, "\(failure)")
            #expect(failure.message.contains("no more than a part of a history"), "\(failure)")
            let again = #expect(throws: Failure.self) { try takeIn(path, database) }
            #expect(again?.message == failure.message)
        }
        #expect(halves > 0)
    }

    @Test func `once it has ended workers go on, also after another that found something there`() throws {
        let path = try history(of: 2)
        let database = try database(2)
        try takeIn(path, database)
        try look(database)
        let again = #expect(throws: Failure.self) { try takeIn(path, database) }
        #expect(again?.code == .wrongUsage, "\(again?.message ?? "")")
        try look(database)
    }

    @Test func `one that takes longer than its lease keeps it`() throws {
        let path = try history(of: 8)
        let database = try database(8)
        database.slow(to: .seconds(10))
        try takeIn(path, database)
        #expect(try ends(database).allSatisfy { $0 > 0 })
    }
}

/// The same in PostgreSQL, as its operator sees it.
@Suite("An import that was cut off", .withDatabase)
struct CutOffImportTests {
    private let bench: ClusterBench
    private var shell: Shell { bench.shell }

    init() throws { bench = try ClusterBench() }

    private func asked(_ words: [String]) -> Outcome { shell.belfry(words + ClusterBench.keyOption, input: []) }

    @Test(.timeLimit(.minutes(3))) func `nobody decides on a part of a history, and every command says why`() throws {
        let made = shell.start(["run", "--data", "disk", "--partitions", "2", "--jobs", "spool:jobs-disk"])
        try made.expectReady()
        bench.append(bench.enrolled(1...8), "disk")
        made.expectStopped()
        let url = try bench.cluster("half", partitions: 2)
        try bench.database.run(
            "half",
            """
            CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''cut off''; END';
            CREATE TRIGGER cut BEFORE INSERT ON belfry.log FOR EACH ROW WHEN (NEW.partition = 1) EXECUTE FUNCTION cut()
            """)
        let into = ["cluster", "import", "--postgres", url, "--data", "disk"]
        let cut = asked(into)
        #expect(cut.code == 5 && cut.errors.contains("cut off"), "\(cut)")
        try bench.database.run("half", "DROP TRIGGER cut ON belfry.log")
        let words = "no more than a part of a history"
        let worker = asked(
            ["run", "--postgres", url, "--data", "one", "--listen", "0", "--token-file", "token"])
        #expect(worker.code == 5 && worker.errors.contains(words), "\(worker)")
        let exported = asked(["cluster", "export", "--postgres", url, "--data", "exported"])
        #expect(exported.code == 5 && exported.errors.contains(words), "\(exported)")
        // One that was killed counts as alive for the rest of its lease.
        try bench.database.run(
            "half",
            "INSERT INTO belfry.worker (id, url, alive_until) VALUES (gen_random_uuid(), 'import', now() + interval '60 s')"
        )
        let again = asked(into)
        #expect(again.code == 5 && again.errors.contains(words), "\(again)")
        let status = asked(["cluster", "status", "--postgres", url])
        #expect(status.code == 1 && status.errors.contains(words), "\(status)")
        let looked = asked(["doctor", "--postgres", url])
        #expect(looked.code == 1 && looked.output.contains("FAIL  import"), "\(looked)")
    }
}
