import Foundation
import Journal
import Notices

/// Prints what is durable, and what becomes so (`log --follow`).
struct Follower {
    private let directory: String
    private let world: World
    private let filter: LogCommand.Filter
    private var identity: LogIdentity?
    private var head = LogHead.start
    private var people: People?
    /// Where they were taken from, if that is further on.
    private var peopleThrough: UInt64 = 0

    private static let pollMilliseconds: Int32 = 100

    init(_ directory: String, _ world: World, _ filter: LogCommand.Filter) {
        self.directory = directory
        self.world = world
        self.filter = filter
    }

    mutating func run() throws(Failure) {
        while try goOn(), !world.output.hasFailed, !isReaderGone {}
    }

    /// Waits a little. A reader that goes away meanwhile is noticed at once, though there is nothing to print.
    private var isReaderGone: Bool {
        StandardStreams.wait(for: 0, on: STDOUT_FILENO, milliseconds: Self.pollMilliseconds)
    }

    /// Prints what has become durable; false when what is asked for has come to its end.
    private mutating func goOn() throws(Failure) -> Bool {
        do throws(JournalError) {
            let log = try LogReader(directory, on: world.disk)
            if identity == nil, log.identity != nil {
                identity = log.identity
                try begin(log)
            }
            if log.identity == identity { return try print(log) }
        } catch .noLog {
            return true  // It may be made yet.
        } catch {
            throw Failure(error)
        }
        throw Failure(
            .environment, "the log in \(directory) is not the one that was followed: it was replaced. Follow it anew")
    }

    /// Goes straight to where `--from` points, if it does.
    private mutating func begin(_ log: LogReader) throws(JournalError) {
        head = filter.start(in: log)
        guard head != .start else { return }
        let index = try log.index()
        (people, peopleThrough) = (index.people, index.head.position)
    }

    private mutating func print(_ log: LogReader) throws(JournalError) -> Bool {
        let events = EventReader(
            log, from: head, people: people, peopleThrough: peopleThrough, limit: log.durablePosition ?? .max)
        defer {
            world.output.flush()
            head = events.head
            people = events.people
        }
        while !world.output.hasFailed, let event = try events.next() {
            if filter.isPast(event) { return false }
            if filter.wants(event) { world.output.line { event.writeJSON(into: &$0) } }
            if filter.isLast(event) { return false }
        }
        return true
    }
}
