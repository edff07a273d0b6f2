import CivilTime
import Foundation
import Journal
import Notices
import Worker

/// Virtual weeks of a million people, hour after hour of real time: does memory stay where it was?
///
/// A log is never cut, so a soak is paced: it never has more on disk than its share of a budget, which is half of what is
/// free and no more than 24 GiB.
struct SoakRows {
    let workspace: Workspace
    let options: Options

    private var people: Int { options.isQuick ? 50_000 : 1_000_000 }
    private var duration: Double { (options.hours ?? (options.isQuick ? 1.0 / 60 : 1)) * 3600 }
    private static let bytesMax: Int64 = 24 << 30
    /// Facts about random people in every virtual hour, for a thousand people.
    private static let factsPerHour = 5

    func run(into table: inout Table) throws {
        let directory = try workspace.fresh("soak")
        let free = try FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize] as? Int64 ?? 0
        let budget = Double(min(Self.bytesMax, free / 2))
        say("soak: \(grouped(duration)) s, at most \(Int(budget) >> 30) GiB of disk")
        let begin = Instant(milliseconds: 1_772_323_200_000)
        let zones = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "America/Sao_Paulo", "Africa/Lagos", "UTC"]
        let log = try LiveLog(
            in: directory, LiveLog.standardPlan(), people: people, at: begin, zone: { zones[$0 % zones.count] })
        let soak = Soak(WorkerCore(log.journal, log.register), at: begin, people: people)
        let start = seconds()
        var samples: [(week: Int, bytes: Int)] = []
        while seconds() - start < duration {
            try soak.passHour(facts: people / 1_000 * Self.factsPerHour)
            // The log's share of the budget grows with the time that has passed.
            while Double(soak.bytes) > budget * (seconds() - start) / duration, seconds() - start < duration {
                usleep(20_000)
            }
            guard soak.weeks > (samples.last?.week ?? 0) else { continue }
            samples.append((soak.weeks, residentBytes()))
            say("  week \(soak.weeks): \(samples[samples.count - 1].bytes >> 20) MiB, log \(soak.bytes >> 20) MiB")
        }
        add(samples, soak, seconds() - start, &table)
        try soak.end()
        try FileManager.default.removeItem(atPath: directory)
    }

    /// The first week is left out: what people have with them is made in it.
    private func add(
        _ samples: [(week: Int, bytes: Int)], _ soak: Soak, _ took: Double, _ table: inout Table
    ) {
        let what = "soak: \(grouped(Double(people))) people, \(grouped(took / 60)) minutes"
        guard let last = samples.last, let first = samples.dropFirst().first, last.week > first.week else {
            table.add(what, "too short to tell: \(soak.weeks) virtual weeks, \(grouped(Double(soak.events))) events")
            return
        }
        let highest = samples.map(\.bytes).max() ?? 0
        table.add(
            what,
            "\(soak.weeks) virtual weeks, \(grouped(Double(soak.events))) events, \(soak.bytes >> 20) MiB of log; in memory \(first.bytes >> 20) MiB after week \(first.week), \(last.bytes >> 20) MiB after week \(last.week), at most \(highest >> 20) MiB",
            goal: "≤ 1.1 × the second week", isMet: Double(last.bytes) <= 1.1 * Double(first.bytes),
            ("weeks", Double(soak.weeks)), ("events", Double(soak.events)), ("first_bytes", Double(first.bytes)),
            ("last_bytes", Double(last.bytes)), ("log_bytes", Double(soak.bytes)))
        // Facts go on meeting people of whom little was kept, fewer each week.
        let middle = samples[(samples.count - 1) / 2]
        table.add(
            "— its second half alone",
            "\(middle.bytes >> 20) MiB after week \(middle.week), \(ratio(Double(last.bytes) / Double(middle.bytes))) of it at the end",
            ("middle_bytes", Double(middle.bytes)))
    }
}

/// A worker's core whose hours pass as fast as they can, on the real disk.
private final class Soak {
    private let core: WorkerCore
    private let people: Int
    private let begin: Instant
    private let firstSeq: UInt64
    private var now: Instant
    private var random = SplitMix(state: 23)

    init(_ core: WorkerCore, at begin: Instant, people: Int) {
        self.core = core
        self.people = people
        self.begin = begin
        now = begin
        firstSeq = core.head.lastSeq
    }

    var weeks: Int { Int((now.milliseconds - begin.milliseconds) / 604_800_000) }
    var events: UInt64 { core.head.lastSeq - firstSeq }
    var bytes: Int { Int(core.head.position) }

    /// Everything due in an hour, at its instants, with facts in between.
    func passHour(facts: Int) throws {
        for quarter in 1...4 {
            let end = now.advanced(byMinutes: 15)
            while let due = core.nextWake, due <= end { try work(at: due) }
            now = end
            let share = facts / 4 + (quarter == 4 ? facts % 4 : 0)
            if share > 0 { core.ask(facts: (0..<share).map { _ in fact() }) { _ in } }
            try work(at: now)
        }
    }

    /// Turns until nothing is left to do at this instant, each batch written at once.
    private func work(at instant: Instant) throws {
        var turn = core.turn(at: instant)
        while true {
            for answer in turn.answers { answer() }
            if let batch = turn.writes {
                try core.writer.write(batch)
                turn = core.finished(batch, .success(()))
            } else if turn.again {
                turn = core.turn(at: instant)
            } else {
                return
            }
        }
    }

    private func fact() -> Fact {
        let user = LiveLog.user(Int(random.next() % UInt64(people)))
        switch random.next() % 5 {
        case 0: return Fact(user: user, payload: .appOpened(AppOpened()))
        case 1: return Fact(user: user, payload: .sessionCompleted(SessionCompleted()))
        case 2: return Fact(user: user, payload: .checkedIn(CheckedIn()))
        case 3:
            var points = PointsEarned()
            points.points = 5
            return Fact(user: user, payload: .pointsEarned(points))
        default:
            var request = NoticeRequested()
            request.kind = Identifier("reminder")
            request.title = Text("Time to look at your plan")
            return Fact(user: user, payload: .noticeRequested(request))
        }
    }

    func end() throws {
        _ = core.commit()
        try core.close()
    }
}

/// What this process has in memory now.
func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (pages.flatMap { Int($0[1]) } ?? 0) * 4096
}
