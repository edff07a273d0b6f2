import Audit
import CivilTime
import Journal
import Notices
import Worker

/// `belfry audit`: proves over the whole log that it decided well (SPEC §13, §14).
enum AuditCommand: ReadingWholeLogs {
    static let spec = CommandSpec(
        name: "audit", summary: "Proves over the whole log that nobody was reached who should not have been.",
        positional: nil,
        options: [CommandSpec.cores, CommandSpec.data, FetchedLogs.postgres, CommandSpec.partition, CommandSpec.json],
        notes: """
            Code that shares nothing with what decided judges every job by the facts before it: no job in quiet hours,
            none over the cap, none in a cooldown, none to somebody who opted out; no slot or fact twice; no notice
            lost. Each check says how often it was asked; one that was never asked proves nothing.

            Where the log leaves a doubt, nobody is accused. Above all it is not judged whether a slot is missing of
            which nothing was recorded; which slots were skipped; the day and time of a slot within 48 hours after
            the person's preferences, zone or policy changed, of one that a run brought forward, and of a goal's
            reminders; how a warning stands in a zone that is not known; which of the messages that were left to an
            analysis a notice is about.

            Exit 0 when all is well, 1 with the offending events when it is not, 4 when the log is damaged.
            """)

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let cores = try Cores(arguments, spec)
        var zones: [ZoneDatabase] = []
        for _ in 0..<cores.count { zones.append(try world.zones()) }
        let isJSON = arguments.has(CommandSpec.json)
        try LogsMeant(arguments, world, withEveryone: true, spec).forEach(world, heads: !isJSON) {
            (name, log) throws(Failure) in
            try audit(log, name, isJSON: isJSON, zones, world)
        }
    }

    private static func audit(
        _ log: LogReader, _ name: LogName, isJSON: Bool, _ zones: [ZoneDatabase], _ world: World
    ) throws(Failure) {
        let audited = try audit(log, zones)
        if isJSON {
            printJSON(audited, of: name, world.output)
        } else {
            printTable(audited, world.output)
        }
        note(audited, log.witness)
        guard audited.report.violationCount > 0 else { return }
        throw Failure(.no, complaint(audited.report))
    }

    /// What was found, and where the log ends.
    private struct Audited {
        let report: AuditReport
        let head: LogHead
        let tail: LogTail
        let unknownTypes: Int
    }

    /// A part of the log, gone over.
    private struct Part: Sendable {
        var auditor: Auditor
        let head: LogHead
        let tail: LogTail
        let unknownTypes: Int
    }

    private static func audit(_ log: LogReader, _ zones: [ZoneDatabase]) throws(Failure) -> Audited {
        let progress = Progress("auditing", total: log.byteCount)
        defer { progress.finish() }
        let parts: [Part]
        do throws(JournalError) {
            parts = try Cores(zones.count).read(log) { (events, share) throws(JournalError) -> Part in
                try audit(events, share, zones[share.place], progress)
            }
        } catch {
            progress.finish()
            throw Failure(error)
        }
        let report =
            parts.count == 1 ? parts[0].auditor.finish() : AuditReport(jointly: parts.map(\.auditor))
        guard let report else { return try audit(log, [zones[0]]) }
        return Audited(
            report: report, head: parts[0].head, tail: parts[0].tail,
            unknownTypes: parts.reduce(0) { $0 + $1.unknownTypes })
    }

    private static func audit(
        _ events: EventReader, _ share: Share, _ zones: ZoneDatabase, _ progress: Progress
    ) throws(JournalError) -> Part {
        // What decides where a log has adopted nothing.
        let beginning = ShippedPolicies.text(of: "standard").map { JSONDocument(trusted: $0) }
        var auditor = Auditor(policy: beginning) { try? zones.zone(named: $0) }
        while let commit = try events.nextCommit() {
            for event in commit { auditor.take(event, isCounted: event.user != nil || share.isFirst) }
            if share.isFirst { progress.update(bytes: Int(events.head.position)) }
        }
        return Part(auditor: auditor, head: events.head, tail: events.tail, unknownTypes: events.unknownTypes)
    }

    // MARK: Printing

    private static func printTable(_ audited: Audited, _ output: Output) {
        let report = audited.report
        for violation in report.violations { output.line("\(violation)") }
        output.line(
            [
                "\(counted(report.events, "event")), \(counted(report.facts, "fact")) and "
                    + counted(report.decisions, "decision"),
                "\(counted(report.notices, "notice")), \(report.waiting) of them waiting",
                "\(counted(report.jobs, "job")), \(counted(report.people, "person", "people"))",
            ].joined(separator: "; ")
        )
        output.line("       asked  violations")
        for check in Check.allCases {
            let tally = report[check]
            output.line("\(right(tally.asked, 12))\(right(tally.violations, 12))  \(check.promise) (\(check.rule))")
        }
        output.line(counted(report.violationCount, "violation"))
        output.line("head \(audited.head.hash)")
    }

    private static func right(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: " ", count: max(0, width - digits.count)) + digits
    }

    private static func printJSON(
        _ audited: Audited, of name: LogName, _ output: Output
    ) {
        let report = audited.report
        for violation in report.violations { output.line { write(violation, of: name, into: &$0) } }
        output.line { line in
            line.append(
                "{\(name.member)\"events\":\(report.events),\"facts\":\(report.facts),\"decisions\":\(report.decisions)"
            )
            line.append(",\"notices\":\(report.notices),\"waiting\":\(report.waiting),\"jobs\":\(report.jobs)")
            line.append(",\"people\":\(report.people),\"checks\":{")
            for (position, check) in Check.allCases.enumerated() {
                let tally = report[check]
                line.append(position > 0 ? "," : "")
                line.append("\"\(check.name)\":{\"asked\":\(tally.asked),\"violations\":\(tally.violations)}")
            }
            line.append("},\"violations\":\(report.violationCount),\"head\":\"\(audited.head.hash)\"}")
        }
    }

    private static func write(_ violation: Violation, of name: LogName, into line: inout ByteBuffer) {
        line.append("{\(name.member)\"seq\":\(violation.seq),\"at\":\"\(violation.at)\"")
        if let user = violation.user {
            line.append(",\"user\":")
            line.appendJSONString(user)
        }
        line.append(",\"check\":\"\(violation.check.name)\",\"rule\":\"\(violation.check.rule)\",\"sentence\":")
        line.appendJSONString(violation.sentence)
        line.append("}")
    }

    private static let complaintsMax = 20

    /// The offending events by their numbers; the first says what is wrong with it.
    private static func complaint(_ report: AuditReport) -> String {
        var numbers: [UInt64] = []
        for violation in report.violations where !numbers.contains(violation.seq) {
            numbers.append(violation.seq)
            if numbers.count > complaintsMax { break }
        }
        let shown = numbers.prefix(complaintsMax).map(String.init).joined(separator: ", ")
        let more = numbers.count > complaintsMax ? " and more" : ""
        let first = report.violations.first.map { ". The first: \($0)" } ?? ""
        let count = counted(report.violationCount, "violation")
        return "\(count), in \(numbers.count == 1 ? "event" : "events") \(shown)\(more)\(first)"
    }

    private static func note(_ audited: Audited, _ witness: WitnessState) {
        let report = audited.report
        if report.policies == 0 {
            complain(
                "note: the log adopts no policy; it was judged by standard, which is in force until one is adopted")
        }
        if report.violationCount > report.violations.count {
            complain("note: of the violations only the first \(report.violations.count) are listed")
        }
        if audited.unknownTypes > 0 {
            complain(
                "note: \(counted(audited.unknownTypes, "event is", "events are")) of a type that only a newer Belfry knows; not judged"
            )
        }
        if let doubt = witness.doubt {
            complain("note: \(doubt), so an end that was cut off would not show; compare the head hash")
        }
        if case .torn(let file, let offset, let bytes) = audited.tail {
            complain(
                "note: \(file) ends in \(counted(bytes, "byte")), from byte \(offset), of a write not finished (a writer may be at it); they are not part of the log"
            )
        }
    }
}
