import CivilTime
import Foundation
import Journal
import Notices
import Synchronization
import Worker

/// `belfry what-if`: the recorded facts under another policy (SPEC §13).
enum WhatIfCommand: ReadingWholeLogs {
    private static let from = CommandSpec.Option(
        name: "--from", value: "T", help: "the other policy is in force from then on (default: the log's beginning)")
    private static let to = CommandSpec.Option(
        name: "--to", value: "T", help: "up to this instant, included (default: the end of the log)")

    private static let progress = CommandSpec.Option(
        name: "--progress", value: nil, help: "with --json: print lines that say how far it is, before the result")

    private static let memory = CommandSpec.Option(
        name: "--memory-max", value: "MIB",
        help: "give up rather than use more address space than this; each core takes some")

    static let spec = CommandSpec(
        name: "what-if",
        summary: "Replays the recorded facts under another policy: which jobs would have been gained, lost or moved.",
        positional: nil,
        options: [
            CommandSpec.policy, from, to, CommandSpec.cores, CommandSpec.data, FetchedLogs.postgres,
            CommandSpec.partition, CommandSpec.json,
            progress, memory,
        ],
        notes: """
            A job is the same when it is for the same notice of the same person, and moved when it would have come
            more than a minute earlier or later. Facts come at their recorded instants, as if a
            worker had been awake all the time. Facts that the other policy refuses are counted, with the reason.

            With --from the log is as it was until then, and the other policy is adopted at that instant; it also
            decides about what waits then. Nothing is written.
            """, needs: [CommandSpec.policy])

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        guard let word = arguments[CommandSpec.policy] else { throw .usage("what-if needs --policy", spec) }
        let from = try arguments[from].map { word throws(Failure) in try instant(word, "--from", spec) }
        let to = try arguments[to].map { word throws(Failure) in try instant(word, "--to", spec) }
        if let from, let to, to < from { throw .usage("--to \(to) is before --from \(from)", spec) }
        if let word = arguments[memory] {
            guard let mebibytes = UInt64(word), (128...1 << 24).contains(mebibytes) else {
                throw .usage("--memory-max takes a number of MiB from 128 on, not \"\(word)\"", spec)
            }
            MemoryLimit.set(bytes: mebibytes << 20)
        }
        let plans = try PersonCommands.plans(for: try Cores(arguments, spec), world)
        let (policy, document) = try world.policy(word, try world.zones())
        let meant = try LogsMeant(arguments, world, withEveryone: false, spec)
        var logs: [LogReader] = []
        try meant.forEach(world, heads: false) { (_, log) throws(Failure) in logs.append(log) }
        let stretch = logs.count > 1 ? try stretch(of: logs) : nil
        let question = WhatIf.Question(policy: policy, document: document, from: from, to: to)
        var findings = WhatIfFindings()
        let total = logs.reduce(0) { $0 + $1.byteCount }
        let progress = Progress("replaying under \(policy.name)", total: total)
        let told = arguments.has(CommandSpec.json) && arguments.has(Self.progress) ? ToldProgress(world.output) : nil
        var done = 0
        do throws(JournalError) {
            for (place, log) in logs.enumerated() {
                let read = try WhatIf.read(log, question, plans, of: stretch, log: place) { [done] position, share in
                    if share.isFirst {
                        progress.update(bytes: done + Int(position))
                        told?.tell(done + Int(position), of: total)
                    }
                    return told?.isHeard ?? true
                }
                if told?.isHeard == false { return }
                findings.add(read.findings)
                done += log.byteCount
                LogCommand.noteLeftOut(read.unknownTypes, read.tail)
            }
        } catch {
            progress.finish()
            throw Failure(error)
        }
        progress.finish()
        guard let report = findings.report(under: policy.name.text) else {
            throw Failure(.badInput, emptiness(try Self.stretch(of: logs), from, to))
        }
        let table = WhatIfTable(report: report)
        if arguments.has(CommandSpec.json) {
            world.output.line { table.document.write(into: &$0) }
        } else {
            for line in table.lines { world.output.line(line) }
        }
    }

    /// Why there is nothing to compare.
    private static func emptiness(_ log: ClosedRange<Instant>?, _ from: Instant?, _ to: Instant?) -> String {
        guard let log else { return "the log holds nothing yet" }
        if let to, to < log.lowerBound { return "the log begins at \(log.lowerBound), after --to \(to)" }
        if let from, from > log.upperBound { return "the log ends at \(log.upperBound), before --from \(from)" }
        return "nobody is known from \(from ?? log.lowerBound) to \(to ?? log.upperBound)"
    }

    /// From the first event of all to the last.
    private static func stretch(of logs: [LogReader]) throws(Failure) -> ClosedRange<Instant>? {
        var ends: [Instant] = []
        do throws(JournalError) {
            for log in logs {
                if let first = try EventReader(log).next() { ends.append(first.at) }
                ends.append(try log.index().head.at)
            }
        } catch {
            throw Failure(error)
        }
        return ends.min().flatMap { first in ends.max().map { first...$0 } }
    }
}

/// How far it is, for whoever started the command and reads what it prints.
private final class ToldProgress: Sendable {
    private let output: Output
    private let told = Mutex(ContinuousClock.now)
    private let heard = Atomic(true)

    init(_ output: Output) { self.output = output }

    /// Whether anybody reads what is printed.
    var isHeard: Bool { heard.load(ordering: .relaxed) }

    func tell(_ done: Int, of total: Int) {
        let now = ContinuousClock.now
        let isTime = told.withLock { told in
            guard now - told >= .milliseconds(200) else { return false }
            told = now
            return true
        }
        guard isTime else { return }
        output.line { line in
            line.append(#"{"progress":"#)
            line.append(String(format: "%.3f", total == 0 ? 1 : min(1, Double(done) / Double(total))))
            line.append("}")
        }
        output.flush()
        if output.hasFailed { heard.store(false, ordering: .relaxed) }
    }
}
