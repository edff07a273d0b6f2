import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// `explain` for one person of a large log: the whole command as a process of its own, and the reading alone.
struct ExplainRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 10_000 : 1_000_000 }
    private var events: Int { options.isQuick ? 1_000_000 : 100_000_000 }
    private var who: String { "\(grouped(Double(events))) events, \(grouped(Double(people))) people" }
    private static let bytesNeeded: Int64 = 8 << 30

    func run(into table: inout Table) throws {
        say("explain")
        let directory = try workspace.fresh("explain")
        let free = try FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize] as? Int64 ?? 0
        guard options.isQuick || free >= Self.bytesNeeded else {
            table.add("explain, \(who)", "left out: \(free >> 30) GiB of disk are free, 8 are needed")
            return
        }
        try build(directory, &table)
        try read(directory, &table)
        try command(directory, &table)
        try FileManager.default.removeItem(atPath: directory)
    }

    /// A year of small events, 64 to a commit.
    private func build(_ directory: String, _ table: inout Table) throws {
        let journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        var random = SplitMix(state: 3)
        let start = seconds()
        let step = Int64(31_536_000_000 / (events / 64))
        var at = Instant(milliseconds: 1_740_000_000_000)
        let users = (0..<people).map { LiveLog.user($0) }
        var batch: [Entry] = []
        for number in 0..<events {
            let person = number < people ? number : Int(random.next() % UInt64(people))
            batch.append(Entry(user: users[person], payload: payload(number, &random)))
            guard batch.count == 64 || number == events - 1 else { continue }
            _ = try journal.append(batch, at: at)
            batch.removeAll(keepingCapacity: true)
            at = at.advanced(byMilliseconds: step)
            if journal.unwrittenBytes > 16 << 20 { try journal.commit() }
        }
        try journal.close()
        let bytes = try LogReader(directory, on: logDisk).byteCount
        say("  built in \(ratio(seconds() - start)) s, \(bytes >> 20) MiB")
        let began = seconds()
        var beginning = Beginning.standard(try ZoneDatabase())
        beginning.cores = Cores(max(1, ProcessInfo.processInfo.activeProcessorCount))
        guard try SnapshotTaking(directory, on: logDisk, beginning).run() != nil else { return }
        let took = seconds() - began
        table.add(
            "first snapshot of a log of \(who), \(beginning.cores.count) cores",
            "\(ratio(took)) s; \(bytes / events) B an event on disk", goal: "≤ 30 s", isMet: took <= 30,
            ("seconds", took), ("log_bytes", Double(bytes)))
    }

    private func payload(_ number: Int, _ random: inout SplitMix) -> Payload {
        let draw = random.next()
        guard number >= people else {
            var enrolled = UserEnrolled()
            enrolled.timezone = ZoneName("Europe/Paris")
            return .userEnrolled(enrolled)
        }
        switch draw % 4 {
        case 0:
            var message = MessageReceived()
            message.conversation = Identifier("conversation-\(draw >> 8 & 3)")
            message.message = Identifier("message-\(number)")
            return .messageReceived(message)
        case 1: return .appOpened(AppOpened())
        case 2: return .checkedIn(CheckedIn())
        default: return .sessionCompleted(SessionCompleted())
        }
    }

    // MARK: With the index in memory

    private func read(_ directory: String, _ table: inout Table) throws {
        let log = try LogReader(directory, on: logDisk)
        let start = seconds()
        let index = try log.index()
        let loaded = seconds() - start
        var times: [Double] = []
        var count = 0
        let plan = try LiveLog.standardPlan()
        for user in someone(200) {
            let start = seconds()
            guard let trail = PersonTrail(log, index, user: user) else { continue }
            var biography = Biography(of: user, plan)
            for position in try trail.wholeStory() {
                for event in try trail.storyEvents(at: position) {
                    biography.take(event)
                    count += 1
                }
            }
            precondition(biography.settled() != nil)
            times.append(seconds() - start)
        }
        table.add(
            "one person's chain in a log of \(who), the index in memory",
            "p50 \(milliseconds(times.percentile(0.5))), longest \(milliseconds(times.max() ?? 0)); \(count / times.count) events each; loading the index \(milliseconds(loaded))",
            ("p50_seconds", times.percentile(0.5)), ("index_seconds", loaded))
    }

    private func someone(_ count: Int) -> [String] {
        var random = SplitMix(state: 17)
        return (0..<count).map { _ in LiveLog.user(Int(random.next() % UInt64(people))) }
    }

    // MARK: The command

    /// A process each: with the files in the page cache, and with none of them there.
    private func command(_ directory: String, _ table: inout Table) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("belfry")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            table.add(
                "`belfry explain --user`", "left out: no belfry beside the benchmarks; ops/benchmarks/run builds it")
            return
        }
        let warm = try someone(21).map { try explain($0, directory, program) }.dropFirst().map { $0 }
        let p50 = warm.percentile(0.5)
        table.add(
            "`belfry explain --user U`, the whole command, in a log of \(who)",
            "p50 \(milliseconds(p50)), longest \(milliseconds(warm.max() ?? 0))",
            goal: "≤ 50 ms", isMet: p50 <= 0.05, ("p50_seconds", p50))
        let cold = try someone(5).map { user in
            forgetFiles(of: directory)
            return try explain(user, directory, program)
        }
        table.add(
            "— with none of its files in the page cache", "p50 \(milliseconds(cold.percentile(0.5)))",
            ("p50_seconds", cold.percentile(0.5)))
    }

    private func explain(_ user: String, _ directory: String, _ program: URL) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = ["explain", "--user", user, "--data", directory]
        process.standardOutput = output
        let start = seconds()
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let took = seconds() - start
        process.waitUntilExit()
        precondition(process.terminationStatus == 0 && !text.isEmpty, "explain ended with \(process.terminationStatus)")
        return took
    }

    /// What is clean leaves the page cache.
    private func forgetFiles(of directory: String) {
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? [] {
            let file = open(directory + "/" + name, O_RDONLY)
            guard file >= 0 else { continue }
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            close(file)
        }
    }
}
