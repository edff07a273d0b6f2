import CivilTime
import Foundation
@testable import Journal
import Notices
import Simulation
import Testing

/// One event as a log must give it back: decoded, and its payload byte for byte as it was written.
struct Line: Equatable, CustomStringConvertible {
    var event: Event
    var bytes: [UInt8]

    init(_ event: Event, bytes: [UInt8]) {
        self.event = event
        self.bytes = bytes
    }

    init(_ entry: Entry, seq: UInt64, at: Instant) {
        var buffer = ByteBuffer()
        entry.payload.encode(into: &buffer)
        self.init(
            Event(
                seq: seq, at: at, user: entry.user, id: entry.id, occurredAt: entry.occurredAt, payload: entry.payload),
            bytes: Array(buffer.bytes))
    }

    var description: String { "#\(event.seq) \(event.user ?? "everyone") \(event.id ?? "-") \(bytes.count) bytes" }
}

/// What a test's check found broken, and under which circumstances.
///
/// Thrown and not expected, since a loop over thousands of crashes is to end with the first that loses something.
struct Broken: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Says of an error under which circumstances it came.
func under<Result>(_ circumstances: @autoclosure () -> String, _ work: () throws -> Result) throws -> Result {
    do { return try work() } catch { throw Broken("\(circumstances()): \(error)") }
}

/// Entries of every shape: with and without a person, an id and the sender's own instant; from 2 bytes to 2 sectors.
enum Sample {
    static let start = Instant(milliseconds: 1_772_445_600_000)

    static func entry(_ number: Int) -> Entry {
        var entry = Entry(user: "person-\(number % 5)", payload: payload(number))
        if number % 3 != 0 { entry.id = id(number) }
        if number % 4 == 1 { entry.occurredAt = start.advanced(byMilliseconds: Int64(-number)) }
        if case .runRequested = entry.payload { entry.user = nil }
        return entry
    }

    static func id(_ number: Int) -> String { "fact-\(number)" }

    static func entries(_ numbers: Range<Int>) -> [Entry] { numbers.map(entry) }

    static func points(_ user: String, _ points: Int, id: String? = nil) -> Entry {
        var record = PointsEarned()
        record.points = points
        return Entry(user: user, id: id, payload: .pointsEarned(record))
    }

    private static func payload(_ number: Int) -> Payload {
        switch number % 7 {
        case 0: return .runRequested(RunRequested())
        case 1: return .sessionCompleted(SessionCompleted())
        case 2:
            var record = GoalStarted()
            record.goal = Identifier("goal-\(number)")
            record.title = Text(String(repeating: "läuft ", count: number % 23 * 7))
            return .goalStarted(record)
        case 3:
            var record = MessageSent()
            record.conversation = Identifier("conversation")
            record.message = Identifier("message-\(number)")
            return .messageSent(record)
        default:
            var record = PointsEarned()
            record.points = number + 1
            return .pointsEarned(record)
        }
    }
}

/// A log read from its first byte to its last, with its hashes.
struct WholeLog {
    var commits: [[Line]] = []
    var head = LogHead.start
    var tail = LogTail.whole
    var durableBefore: [UInt64] = []
    var positions: [UInt64] = []

    init(_ directory: String, on disk: any Disk) throws {
        let scanner = try LogReader(directory, on: disk).scanner(checksHashes: true)
        var people: [String] = []
        while let frame = try scanner.next() {
            var lines: [Line] = []
            var body = CommitBody(frame)
            while let item = try body.next() {
                switch item {
                case .newPerson(let person):
                    people.append(try person.withID(as: UInt32(people.count)) { String(decoding: $0, as: UTF8.self) })
                case .event(let raw): lines.append(try Self.line(raw, people))
                }
            }
            try scanner.took(events: lines.count)
            commits.append(lines)
            positions.append(frame.position)
            durableBefore.append(frame.durableBefore)
        }
        head = scanner.head
        tail = scanner.tail
    }

    private static func line(_ raw: RawEvent, _ people: [String]) throws -> Line {
        guard let payload = try raw.decoded() else { throw Broken("event \(raw.seq) is of no known type") }
        let user = raw.person.map { $0 < people.count ? people[Int($0)] : "person \($0), who was never introduced" }
        return Line(
            Event(
                seq: raw.seq, at: raw.at, user: user, id: try raw.idText(), occurredAt: raw.occurredAt, payload: payload
            ),
            bytes: Array(raw.payload))
    }
}

extension SimulatedDisk {
    /// Every file below a directory and what is in it, but for the lock, which every opening writes.
    func files(in directory: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try list(directory) where name != LogFile.lock {
            files[name] = contents(DiskPath.join(directory, name))
        }
        return files
    }

    func segments(in directory: String) throws -> [String] {
        try list(directory).filter { LogFile.firstPosition($0) != nil }.map { DiskPath.join(directory, $0) }
    }

    /// The end of the log of operations, for the message of a failed test.
    var lastOperations: String { log.suffix(4).joined(separator: "; ") }
}

extension JournalError {
    /// Whether it is one that the command line ends in with exit code 4.
    var isDamage: Bool {
        switch self {
        case .damaged: true
        default: false
        }
    }
}

/// The error of the journal that some work ends in, `nil` when it succeeds.
func journalError(_ work: () throws -> Void) throws -> JournalError? {
    do {
        try work()
        return nil
    } catch let error as JournalError {
        return error
    }
}

/// How many seeds to try: a night's worth with `BELFRY_LONG=1`.
func seeds(_ count: UInt64, long: UInt64) -> Range<UInt64> {
    0..<(LongRun.isAskedFor ? long : count)
}
