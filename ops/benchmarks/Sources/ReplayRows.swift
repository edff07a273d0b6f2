import CProcessor
import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// Reading a log from the beginning: read, check, decode, fold.
struct ReplayRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 10_000 : 1_000_000 }
    private var events: Int { options.isQuick ? 200_000 : 20_000_000 }

    func run(into table: inout Table) throws {
        say("replay")
        let directory = try workspace.fresh("replay")
        let bytes = try build(directory)
        let log = try LogReader(directory, on: logDisk)
        for checksHashes in [false, true] {
            let rates = try (0..<3).map { _ in try replay(log, checksHashes) }
            let rate = rates.max() ?? 0
            table.add(
                "replay, \(grouped(Double(people))) people, \(grouped(Double(events))) events\(checksHashes ? ", with the hash chain" : "")",
                "\(grouped(rate)) events/s on one core (\(bytes / events) B an event)",
                ("events_per_second", rate))
        }
        let whole = try fold(log)
        table.add(
            "— into everybody's whole state, their next wakes too, with the hash chain",
            "\(grouped(whole)) events/s", goal: "≥ 4,000,000 events/s", isMet: whole >= 4_000_000,
            ("events_per_second", whole))
    }

    /// What a worker does that starts without a snapshot.
    private func fold(_ log: LogReader) throws -> Double {
        let start = seconds()
        let folded = try FoldedLog.load(log, .standard(try ZoneDatabase()), usingSnapshot: false)
        let rate = Double(events) / (seconds() - start)
        // People are let go of behind that.
        precondition(folded.register.people.count == people, "\(folded.register.people.count) people were met")
        return rate
    }

    /// A mix such as an app's: messages, sessions, check-ins, points, jobs and what became of them.
    private func build(_ directory: String) throws -> Int {
        let journal = try Journal(directory, on: logDisk, holder: "the benchmark")
        var at = Instant(milliseconds: 1_700_000_000_000)
        var random = SplitMix(state: 7)
        var batch: [Entry] = []
        for number in 0..<events {
            let person = number < people ? number : Int(random.next() % UInt64(people))
            batch.append(Entry(user: "u\(person)", payload: payload(number, person, &random)))
            // A commit is what came in while the one before it was being synced: eight events or so.
            if batch.count == 8 || number == events - 1 {
                _ = try journal.append(batch, at: at)
                batch.removeAll(keepingCapacity: true)
                at = Instant(milliseconds: at.milliseconds + 3)
                if journal.unwrittenBytes > 8 << 20 { try journal.commit() }
            }
        }
        try journal.commit()
        let bytes = Int(journal.head.position)
        try journal.close()
        return bytes
    }

    private func payload(_ number: Int, _ person: Int, _ random: inout SplitMix) -> Payload {
        switch number < people ? 0 : Int(random.next() % 8) {
        case 0:
            var record = UserEnrolled()
            record.timezone = ZoneName("Europe/Paris")
            return .userEnrolled(record)
        case 1: return .appOpened(AppOpened())
        case 2:
            var record = CheckedIn()
            record.goal = Identifier("g\(number % 9)")
            return .checkedIn(record)
        case 3:
            var record = PointsEarned()
            record.points = number % 50 + 1
            return .pointsEarned(record)
        case 4:
            var record = MessageSent()
            record.conversation = Identifier("c\(number % 100)")
            record.message = Identifier("m\(number)")
            return .messageSent(record)
        case 5:
            var record = SessionCompleted()
            record.session = Identifier("s\(number)")
            return .sessionCompleted(record)
        case 6:
            var record = NoticeHeld()
            record.notice = NoticeName("u\(person)/check_in/2026-03-02T09:00")
            record.kind = Identifier("check_in")
            record.until = Instant(milliseconds: 1_772_000_000_000)
            record.reason = .quietHours
            return .noticeHeld(record)
        default:
            var record = JobDelivered()
            record.job = NoticeName("u\(person)/check_in/2026-03-02T09:00")
            record.channel = .push
            return .jobDelivered(record)
        }
    }

    /// A stand-in for the fold: one record a person, touched at random, every event decoded and dispatched on.
    private struct Tally {
        var events: UInt32 = 0
        var points: UInt32 = 0
        var checkIns: UInt32 = 0
        var jobs: UInt32 = 0
        var lastAt: Int64 = 0
        var holdUntil: Int64 = 0
        var flags: UInt64 = 0
        var spare: (Int64, Int64, Int64) = (0, 0, 0)
    }

    private func replay(_ log: LogReader, _ checksHashes: Bool) throws -> Double {
        let tallies = Self.tallies(people)
        defer { free(tallies) }
        var total = 0
        let start = seconds()
        let scanner = log.scanner(checksHashes: checksHashes)
        var commit: [(event: RawEvent, person: Int)] = []
        while let frame = try scanner.next() {
            var body = CommitBody(frame)
            commit.removeAll(keepingCapacity: true)
            // A commit's people are asked for before any event is decoded: their records, which lie anywhere in memory,
            // are then fetched at once and not one after the other.
            while let item = try body.next() {
                guard case .event(let event) = item, let person = event.person else { continue }
                commit.append((event, Int(person)))
                belfry_prefetch(tallies + Int(person))
            }
            for (event, person) in commit {
                guard let payload = try event.decoded() else { preconditionFailure("not mine") }
                Self.fold(payload, event.at.milliseconds, &tallies[person])
            }
            try scanner.took(events: commit.count)
            total += commit.count
        }
        let rate = Double(total) / (seconds() - start)
        let folded = (0..<people).reduce(0) { $0 + Int(tallies[$1].events) }
        precondition(total == events && folded == events, "events are missing")
        return rate
    }

    /// One flat array in large pages, where the system has them: a record met at random then costs one miss and not two.
    private static func tallies(_ count: Int) -> UnsafeMutablePointer<Tally> {
        let size = (count * MemoryLayout<Tally>.stride + (2 << 20) - 1) & ~((2 << 20) - 1)
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 2 << 20, size) == 0, let memory else { preconditionFailure("no memory") }
        madvise(memory, size, Int32(MADV_HUGEPAGE))
        let tallies = memory.bindMemory(to: Tally.self, capacity: count)
        tallies.initialize(repeating: Tally(), count: count)
        return tallies
    }

    @inline(__always)
    private static func fold(_ payload: Payload, _ at: Int64, _ tally: inout Tally) {
        tally.events += 1
        tally.lastAt = at
        switch payload {
        case .pointsEarned(let record): tally.points &+= UInt32(truncatingIfNeeded: record.points)
        case .checkedIn(let record): tally.checkIns += record.goal == nil ? 0 : 1
        case .jobDelivered(let record): tally.jobs += record.channel == .push ? 1 : 0
        case .noticeHeld(let record): tally.holdUntil = record.until.milliseconds
        case .messageSent(let record): tally.flags ^= UInt64(record.message.text.utf8.count)
        case .sessionCompleted(let record): tally.flags ^= UInt64(record.session?.text.utf8.count ?? 0)
        case .userEnrolled(let record): tally.flags |= UInt64(record.timezone.text.utf8.count)
        default: break
        }
    }
}

/// A small seeded generator, so that every run reads the same log.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
