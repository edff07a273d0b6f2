import Notices
import Simulation

/// Events as the log prints them, for comparing byte by byte.
func printed(_ commits: some Sequence<[Event]>) -> [String] {
    var buffer = ByteBuffer()
    return commits.flatMap { commit in
        commit.map { event in
            buffer.removeAll()
            event.writeJSON(into: &buffer)
            return String(decoding: buffer.bytes, as: UTF8.self)
        }
    }
}

/// Someone's own events, numbered as if nobody else were in the log.
func printed(_ commits: [[Event]], of user: String) -> [String] {
    let own = OwnNumbers(of: user, in: commits.flatMap { $0 })
    var buffer = ByteBuffer()
    return own.events.enumerated().map { place, event in
        buffer.removeAll()
        var event = event
        event.seq = UInt64(place + 1)
        event.writeJSON(into: &buffer)
        return own.renumbered(String(decoding: buffer.bytes, as: UTF8.self))
    }
}

/// The first line in which two differ.
func firstDifference(_ expected: [String], _ found: [String]) -> String? {
    guard expected != found else { return nil }
    let place = zip(expected, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(expected.count, found.count)
    let line = { (lines: [String]) in place < lines.count ? lines[place] : "nothing more" }
    return "expected \(line(expected))\nfound    \(line(found))"
}
