import CivilTime
import Foundation
import Testing

/// T1 against a third opinion, where it speaks of the same release of the tz database.
///
/// Asked about the identifiers it calls known: what old names such as `EET` stand for, packagers decide.
@Suite(
    "T1, every zone as Foundation reads it",
    .enabled(if: TimeZone.timeZoneDataVersion == database.version, "Foundation carries another tz database"))
struct FoundationTests {
    @Test(arguments: 0..<2)
    func `offsets from 1970 to 2037 are those of TimeZone`(part: Int) throws {
        var compared = 0
        let known = Set(TimeZone.knownTimeZoneIdentifiers).intersection(database.names).sorted()
        for name in known.enumerated().filter({ $0.offset % 2 == part }).map(\.element) {
            let theirs = try #require(TimeZone(identifier: name))
            let ours = try zone(name)
            let range: Range<Instant> = "1970-01-01T00:00:00Z"..<"2038-01-01T00:00:00Z"
            var seconds = ours.transitions(in: range).flatMap { transition in
                [-1, 0, 1].map { transition.instant.milliseconds / 1000 + $0 }
            }
            seconds += stride(from: 0, to: range.upperBound.milliseconds / 1000, by: 20 * 86_400 + 12_345)
            let wrong = seconds.first {
                theirs.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval($0)))
                    != Int(ours.offsetSeconds(at: Instant(seconds: $0)))
            }
            #expect(wrong == nil, "\(name)")
            compared += 1
        }
        #expect(compared > 200)
    }
}
