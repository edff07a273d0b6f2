import CivilTime
import Journal
import Notices
import Sealing

extension Shell {
    /// Writes a log without the program: with instants of its own, and segments as short as a test wants them.
    ///
    /// Event n is about person n modulo `people`, happens n seconds after `start`, and has the id `e` and its number.
    func writeLog(
        _ name: String = "events/log", events: ClosedRange<Int>, people: Int = 1, commitsOf size: Int = 1,
        segmentBytes: Int = 128 << 20, start: Instant = .exampleStart, isSealed: Bool = false
    ) throws {
        let journal = try Journal(
            path(name), on: isSealed ? RealDisk(keys: LogKeys(.own)) : RealDisk(), holder: "this test",
            options: JournalOptions(segmentBytesMax: segmentBytes))
        for first in stride(from: events.lowerBound, through: events.upperBound, by: size) {
            let numbers = first...min(first + size - 1, events.upperBound)
            let entries = numbers.map { Entry(user: "u\($0 % people)", id: "e\($0)", payload: Self.payload($0)) }
            _ = try journal.append(entries, at: Instant(milliseconds: start.milliseconds + Int64(first) * 1000))
            try journal.commit()
        }
        try journal.close()
    }

    private static func payload(_ number: Int) -> Payload {
        switch number % 3 {
        case 0: return .appOpened(AppOpened())
        case 1: return .appClosed(AppClosed())
        default:
            var points = PointsEarned()
            points.points = number
            return .pointsEarned(points)
        }
    }
}

extension Instant {
    /// 2026-03-02T14:00:00Z.
    static var exampleStart: Instant { Instant(milliseconds: 1_772_460_000_000) }
    /// In the far future, whatever day it is.
    static var farFuture: Instant { Instant(milliseconds: 32_472_144_000_000) }
}

extension Shell {
    /// Writes a log of these events: when, about whom, and what, as `belfry log` prints them.
    func writeLog(
        _ events: [(at: String, user: String?, type: String, data: String)], to name: String = "events/log"
    ) throws {
        let journal = try Journal(path(name), on: RealDisk(), holder: "this test", options: JournalOptions())
        for event in events {
            let payload = try Payload.read(logged: JSONTape().parse(event.data), of: event.type)
            _ = try journal.append([Entry(user: event.user, payload: payload)], at: Instant(rfc3339: event.at))
            try journal.commit()
        }
        try journal.close()
    }
}
