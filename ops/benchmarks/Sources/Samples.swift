import CivilTime
import Foundation
import Journal
import Notices

/// Facts such as apps send, about 100 bytes of payload each.
enum Samples {
    static func entry(_ number: Int, people: Int, withID: Bool) -> Entry {
        var request = NoticeRequested()
        request.kind = Identifier("reminder")
        request.subject = Identifier("goal:g\(number % 7)")
        request.title = Text("Time to look at your plan")
        request.body = Text("Three steps are left for this week, number \(number)")
        request.priority = .medium
        return Entry(
            user: "person-\(number % people)", id: withID ? "fact-\(number)" : nil, payload: .noticeRequested(request))
    }

    static func payloadBytes(_ entry: Entry) -> Int {
        var buffer = ByteBuffer()
        entry.payload.encode(into: &buffer)
        return buffer.count
    }

    /// The machine's clock; a benchmark is at the edge.
    static let clock: @Sendable () -> Instant = {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}

extension [Double] {
    /// The value that this part of all are at most.
    func percentile(_ part: Double) -> Double {
        let sorted = sorted()
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}
