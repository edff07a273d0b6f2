import CivilTime
import Testing

@testable import Notices

@Suite("A stretch of time in a snapshot")
struct KeptStretchTests {
    @Test(arguments: [(-1, false), (0, true), (1, true)])
    func `may be empty, and does not end before it begins`(length: Int64, isOne: Bool) {
        let start = Instant(milliseconds: 1_772_438_400_000)
        let end = start.advanced(byMilliseconds: length)
        var writer = KeptWriter(zones: ZoneTable(), capacity: 64)
        writer.instant(start)
        writer.instant(end)
        var reader = KeptReader(writer.bytes.bytes)
        let read = try? reader.stretch()
        #expect(read == (isOne ? start..<end : nil))
        withExtendedLifetime(writer) {}
    }
}
