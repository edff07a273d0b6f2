import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// A start from a snapshot, and what everybody takes in memory then.
///
/// The log is a real one, of people who enrolled, and its snapshots are taken as the worker takes them. Each start is a
/// process of its own, with the files in the page cache and nothing in memory.
struct SnapshotRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 100_000 : 10_000_000 }

    func run(into table: inout Table) throws {
        say("snapshot")
        let directory = try workspace.fresh("snapshot")
        try build(directory)
        let zones = try ZoneDatabase()
        let start = seconds()
        guard let taken = try SnapshotTaking(directory, on: logDisk, .standard(zones)).run() else { return }
        let who = "\(grouped(Double(people))) people"
        table.add(
            "a first snapshot of \(who), beside the worker", "\(ratio(seconds() - start)) s",
            ("seconds", seconds() - start))
        table.add(
            "snapshot of \(who) on disk",
            "state \(taken.stateBytes / people) B, index \(taken.indexBytes / people) B each",
            ("state_bytes", Double(taken.stateBytes)), ("index_bytes", Double(taken.indexBytes)))
        let starts = try (0..<3).map { _ in try StartedProcess(directory) }
        let best = starts.min { $0.both < $1.both } ?? starts[0]
        table.add("state of \(who) from a snapshot, alone", "\(ratio(best.state)) s", ("seconds", best.state))
        table.add("journal of \(who) from a snapshot, alone", "\(ratio(best.journal)) s", ("seconds", best.journal))
        table.add(
            "start from a snapshot, \(who): state and journal at once", "\(ratio(best.both)) s", goal: "≤ 1 s",
            isMet: best.both <= 1, ("seconds", best.both))
        let each = best.bytes / Double(people)
        table.add(
            "memory of \(who), wakes and journal index included",
            "\(grouped(best.bytes / 1_048_576)) MiB, \(grouped(each)) B each",
            goal: "≤ 2.0 GiB", isMet: best.bytes <= 2 * 1_073_741_824, ("bytes", best.bytes), ("bytes_each", each))
    }

    /// Everybody enrols, with a fact id, in one of a few zones.
    private func build(_ directory: String) throws {
        let journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        let names = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "America/Sao_Paulo", "Africa/Lagos", "UTC"]
        var at = Instant(milliseconds: 1_772_000_000_000)
        for first in stride(from: 0, to: people, by: 512) {
            let entries = (first..<min(first + 512, people)).map { number in
                var enrolled = UserEnrolled()
                enrolled.timezone = ZoneName(names[number % names.count])
                return Entry(user: "user-\(number)", id: "enrol-\(number)", payload: .userEnrolled(enrolled))
            }
            _ = try journal.append(entries, at: at)
            at = at.advanced(byMilliseconds: 7)
            if journal.unwrittenBytes > 8 << 20 { try journal.commit() }
        }
        try journal.close()
    }
}

/// What a process of its own measured of its start.
private struct StartedProcess {
    let state: Double
    let journal: Double
    let both: Double
    let bytes: Double

    init(_ directory: String) throws {
        var answers: [[Double]] = []
        for part in ["state", "journal", "both"] {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--start", part, directory]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            answers.append(text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) })
            precondition(answers.last?.count == 2, "the process that was started said: \(text)")
        }
        (state, journal, both) = (answers[0][0], answers[1][0], answers[2][0])
        bytes = answers[2][1]
    }
}

/// In the process that is started: loads what it is told to, and prints the seconds and then the bytes in memory, everybody's
/// wake in the agenda included.
enum SnapshotStart {
    static func run(_ part: String, _ directory: String) throws {
        let start = seconds()
        let zones = try ZoneDatabase()
        // Safe: each is set by one thread, and read when both have ended.
        nonisolated(unsafe) var folded: FoldedLog?
        nonisolated(unsafe) var journal: Journal?
        DispatchQueue.concurrentPerform(iterations: 2) { side in
            if side == 0, part != "journal" {
                // As a worker does, whose journal is opened beside it.
                let log = try? LogReader(directory, on: logDisk, isWritersOwn: true)
                folded = log.flatMap { try? FoldedLog.load($0, .standard(zones)) }
            } else if side == 1, part != "state" {
                journal = try? Journal(directory, on: logDisk, holder: "the benchmark")
            }
        }
        let took = seconds() - start
        precondition((part == "journal" || folded?.snapshot == folded?.head) && (part == "state" || journal != nil))
        var chronicle: Chronicle?
        if let folded, part == "both" {
            chronicle = Chronicle(
                resuming: folded.register, at: folded.head.at, nextSequence: folded.head.lastSeq + 1
            ) { _ in }
        }
        print(took, residentBytes)
        withExtendedLifetime((chronicle, journal)) {}
    }

    private static var residentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}
