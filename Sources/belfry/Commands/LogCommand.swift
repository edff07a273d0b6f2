import CivilTime
import Foundation
import Journal
import Notices

/// `belfry log`: the log as JSON lines.
enum LogCommand: ReadingWholeLogs {
    private static let user = CommandSpec.Option(name: "--user", value: "U", help: "only what is about this person")
    private static let type = CommandSpec.Option(
        name: "--type", value: "T", help: "only events of this type, such as user_enrolled",
        completion: .words(Payload.all.map(\.type.text)))
    private static let from = CommandSpec.Option(
        name: "--from", value: "S", help: "from this event number or instant on")
    private static let to = CommandSpec.Option(
        name: "--to", value: "S", help: "up to and including this event number or instant")
    private static let follow = CommandSpec.Option(
        name: "--follow", value: nil, help: "go on printing what is appended, until interrupted")

    static let readsOne = true

    static let spec = CommandSpec(
        name: "log", summary: "Prints the log: one JSON object a line, oldest first.", positional: nil,
        options: [
            CommandSpec.data, FetchedLogs.postgres, CommandSpec.partition, user, type, from, to, follow,
            CommandSpec.json,
        ],
        notes: """
            S is an event's number (17) or an instant (2026-03-02T14:00:00Z). One person's events are found
            by following their own chain, so they cost what that person has, not what the log has.
            A --to before --from is refused where both are numbers or both are instants.

            A log in partitions is printed a partition at a time: name it with --partition, or the person with --user.

            T is one of:
            \(typeList)
            """)

    /// Every type's name, in lines that fit a terminal.
    private static var typeList: String {
        var lines = [" "]
        for name in Payload.all.map(\.type.text) {
            if lines[lines.count - 1].count + name.count > 95 { lines.append(" ") }
            lines[lines.count - 1] += " " + name
        }
        return lines.joined(separator: "\n")
    }

    static func run(_ arguments: Arguments, _ world: World) throws(Failure) {
        let filter = try Filter(arguments)
        if arguments.has(follow), arguments[FetchedLogs.postgres] != nil {
            throw .usage(
                "--follow waits for what is appended, and --postgres fetches what is there; leave one of them out", spec
            )
        }
        let meant = try LogsMeant(arguments, world, withEveryone: true, spec)
        _ = try meant.directory.whole()
        let isNamed = arguments[CommandSpec.partition] != nil
        let directory =
            if let user = filter.user, !isNamed { meant.directory.log(of: user) } else {
                meant.directory.log(try meant.one(spec))
            }
        if arguments.has(follow) {
            var follower = Follower(directory, world, filter)
            return try follower.run()
        }
        let log = try world.log(at: directory)
        do throws(JournalError) {
            if let user = filter.user {
                try printTrail(of: user, log, filter, world.output)
            } else {
                try printAll(log, filter, world.output)
            }
        } catch {
            world.output.flush()
            throw Failure(error)
        }
    }

    /// Which events are asked for.
    struct Filter {
        var user: String?
        var type: String?
        var from: LogPlace?
        var to: LogPlace?

        init(_ arguments: Arguments) throws(Failure) {
            user = arguments[LogCommand.user]
            type = arguments[LogCommand.type]
            from = try Self.place(LogCommand.from, arguments)
            to = try Self.place(LogCommand.to, arguments)
            if let from, let to, to.isBefore(from) == true {
                throw .usage("--to \(to) is before --from \(from)", LogCommand.spec)
            }
            if let type, !Payload.all.contains(where: { $0.type.text == type }) {
                throw .usage("\"\(type)\" is no type of event; `belfry log --help` lists them", LogCommand.spec)
            }
        }

        private static func place(
            _ option: CommandSpec.Option, _ arguments: Arguments
        ) throws(Failure) -> LogPlace? {
            guard let word = arguments[option] else { return nil }
            return try LogPlace(word, option, LogCommand.spec)
        }

        /// Where to begin reading so as to meet all that is asked for.
        func start(in log: LogReader) -> LogHead {
            switch from {
            case .seq(let seq): log.head(before: seq)
            case .instant(let instant): log.head(before: instant)
            case nil: .start
            }
        }

        /// Whether nothing that comes after this event can be asked for.
        func isLast(_ event: Event) -> Bool {
            if case .seq(let seq) = to { return seq <= event.seq }
            return false
        }

        func isPast(_ event: Event) -> Bool { to.map { $0.isBefore(event) } ?? false }

        func wants(_ event: Event) -> Bool {
            if let from, from.isAfter(event) { return false }
            if let type, "\(event.payload.type.name)" != type { return false }
            return user == nil || event.user == user
        }
    }

    private static func printAll(_ log: LogReader, _ filter: Filter, _ output: Output) throws(JournalError) {
        let start = filter.start(in: log)
        let index = start == .start ? nil : try log.index()
        let events = EventReader(log, from: start, people: index?.people, peopleThrough: index?.head.position ?? 0)
        let progress = Progress("reading", total: log.byteCount - Int(start.position), prints: true)
        defer { progress.finish() }
        var isPast = false
        while !output.hasFailed, let event = try events.next() {
            isPast = filter.isPast(event)
            if isPast { break }
            if filter.wants(event) { output.line { event.writeJSON(into: &$0) } }
            progress.update(bytes: Int(events.head.position - start.position))
        }
        progress.finish()
        noteLeftOut(events.unknownTypes, events.tail)
        // Where reading ended at --to, the log goes on.
        if !isPast, let from = filter.from, from.isBehind(events.head) {
            complain(
                "note: the log ends with event \(events.head.lastSeq), at \(events.head.at), before \(Self.from.name)")
        }
        // Whoever asks for a beginning is to hear as well that the end is missing.
        try log.checkLength()
    }

    static func noteLeftOut(_ unknownTypes: Int, _ tail: LogTail) {
        if unknownTypes > 0 {
            complain(
                "note: \(counted(unknownTypes, "event is", "events are")) of a type that only a newer Belfry knows; left out"
            )
        }
        if case .torn(let file, let offset, let bytes) = tail {
            complain(
                "note: \(file) ends in \(counted(bytes, "byte")), from byte \(offset), of a write not finished (a writer may be at it); they are not part of the log"
            )
        }
    }

    private static func printTrail(
        of user: String, _ log: LogReader, _ filter: Filter, _ output: Output
    ) throws(JournalError) {
        guard let trail = PersonTrail(log, try log.index(), user: user) else {
            return complain("note: the log holds nothing about \"\(user)\"")
        }
        var instant: Instant?
        var seq: UInt64?
        switch filter.from {
        case .seq(let first): seq = first
        case .instant(let first): instant = first
        case nil: break
        }
        for position in try trail.commits(from: instant, seq: seq) {
            for event in try trail.events(at: position) {
                if filter.isPast(event) || output.hasFailed { return }
                if filter.wants(event) { output.line { event.writeJSON(into: &$0) } }
            }
        }
    }
}
