import CivilTime
import Foundation
import Testing

@Suite("T1, zone files nobody should trust")
struct HostileTZifTests {
    private static let names = ["Asia/Gaza", "Pacific/Apia", "Europe/Dublin"]

    private static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(database.directory)/\(name)")))
    }

    @Test(arguments: names)
    func `cut short at any byte, they are refused`(name: String) throws {
        let bytes = try Self.bytes(name)
        for count in bytes.indices {
            #expect(throws: TZifError.self) { try ZoneRules(name: name, tzif: Array(bytes[..<count])) }
        }
        #expect(throws: Never.self) { try ZoneRules(name: name, tzif: bytes) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `changed at random, they are refused or answer within bounds`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<60 {
            var bytes = try Self.sample(&dice)
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                Self.damage(&bytes, &dice)
            }
            guard let zone = try? ZoneRules(name: "Test", tzif: bytes) else { continue }
            #expect(Self.isBounded(zone, &dice), "seed \(seed)")
        }
    }

    @Test func `noise is refused`() {
        var dice = Dice(seed: 99)
        for _ in 0..<2000 {
            let noise = (0..<Int.random(in: 0...200, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
            #expect(throws: TZifError.self) { try ZoneRules(name: "Test", tzif: Array("TZif2".utf8) + noise) }
        }
    }

    /// Small files, so that a random change hits what matters.
    private static func sample(_ dice: inout Dice) throws -> [UInt8] {
        let footers = ["EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "AAA0BBB,J60,J300", "UTC0"]
        let file = TZifWriter(
            version: "3", transitions: [(-500, 1), (86_400, 2), (400_000_000, 0)],
            types: [(0, false), (3600, true), (-36_000, false)], footer: footers.randomElement(using: &dice)!)
        return Bool.random(using: &dice) ? file.bytes : try bytes(names.randomElement(using: &dice)!)
    }

    private static func damage(_ bytes: inout [UInt8], _ dice: inout Dice) {
        guard let index = bytes.indices.randomElement(using: &dice) else { return }
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: bytes[index] = .random(in: 0...255, using: &dice)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(.random(in: 0...255, using: &dice), at: index)
        default: bytes[index] = [0, 0x7F, 0x80, 0xFF, UInt8(ascii: "9")].randomElement(using: &dice)!
        }
    }

    /// Asks everything there is to ask, near and far.
    private static func isBounded(_ zone: ZoneRules, _ dice: inout Dice) -> Bool {
        let window = DailyWindow(start: "22:00", end: "08:00", days: .all)
        var instants = (0..<8).map { _ in
            Instant(seconds: .random(in: -8_000_000_000...30_000_000_000, using: &dice))
        }
        instants += [.distantPast, .distantFuture, Instant(milliseconds: .random(in: .min ... .max, using: &dice))]
        for instant in instants {
            guard abs(zone.offsetSeconds(at: instant)) < 100_000 else { return false }
            let local = zone.local(at: instant)
            let found = zone.instant(of: local, occurrence: .second)
            // Within days of where the clock was read, unless at the ends of the calendar.
            guard abs(instant.milliseconds / 2) > 1 << 56 || abs(found.milliseconds(since: instant)) < 5 * 86_400_000
            else { return false }
            _ = zone.day(containing: instant)
            _ = zone.dayBounds(local.date)
            _ = window.interval(containing: instant, in: zone)
            _ = window.next(after: instant, in: zone)
            _ = zone.nextTransition(after: instant)
            if let slot = zone.nextSlot(time: "02:30", days: .all, strictlyAfter: instant), slot.instant <= instant {
                return false
            }
        }
        return true
    }
}
