import CivilTime
import Testing

@testable import Notices

@Suite("A mark in a snapshot")
struct KeptMarkTests {
    private static let at = Instant(milliseconds: 1_772_438_400_000)
    private static let memo = Mark.Memo(subject: "goal:g1", due: at)

    private func mark(_ flags: Mark.Flags, _ channels: ChannelSet, _ memo: Mark.Memo?) -> Mark {
        Mark(
            at: Self.at, date: LocalDate(daysSince1970: 20_514), minute: 1439, channels: channels, kind: 3,
            flags: flags,
            memo: memo)
    }

    private func written(_ mark: Mark) -> [UInt8] {
        var writer = KeptWriter(zones: ZoneTable(), capacity: 64)
        mark.write(into: &writer)
        return Array(writer.bytes.bytes)
    }

    private struct Reading {
        let mark: Mark
        let hasReadAll: Bool
    }

    /// `nil` where it is refused.
    private func read(_ bytes: [UInt8]) -> Reading? {
        bytes.withUnsafeBytes { raw -> Reading? in
            var reader = KeptReader(raw)
            guard let mark = try? Mark(from: &reader, kinds: 4) else { return nil }
            return Reading(mark: mark, hasReadAll: reader.isAtEnd)
        }
    }

    @Test(arguments: [false, true])
    func `comes back with all its flags, be a memo behind it or not`(hasMemo: Bool) throws {
        let sets: [ChannelSet] = [[], .sms, [.push, .email, .sms, .inApp]]
        for bits in UInt8.min...UInt8.max {
            for channels in sets {
                let was = mark(Mark.Flags(rawValue: bits), channels, hasMemo ? Self.memo : nil)
                let reading = try #require(read(written(was)))
                let now = reading.mark
                #expect(reading.hasReadAll && now.flags == was.flags && now.channels == was.channels, "flags \(bits)")
                #expect(now.at == was.at && now.date == was.date && now.minute == was.minute && now.kind == was.kind)
                #expect(now.memo?.subject == was.memo?.subject && now.memo?.due == was.memo?.due, "flags \(bits)")
            }
        }
    }

    @Test func `whether it was answered is kept beside its channels`() {
        var answered = mark(.job, .push, nil)
        answered.isAnswered = true
        let found = read(written(answered))?.mark
        #expect(found?.isAnswered == true && found?.channels == .push)
        #expect(read(written(mark(.job, .push, nil)))?.mark.isAnswered == false)
    }

    @Test(arguments: [UInt8(0x10), 0x20]) func `with channels that there are not is refused`(bit: UInt8) {
        var bytes = written(mark(.job, .push, nil))
        // Behind an instant, a date and a minute.
        bytes[14] |= bit
        #expect(read(bytes)?.hasReadAll == nil)
    }
}
