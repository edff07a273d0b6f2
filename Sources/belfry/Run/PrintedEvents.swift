import Notices

/// Events as an answer lists them, and how many there are in all. However many, so many are kept.
struct PrintedEvents {
    private(set) var lines: [[UInt8]] = []
    private(set) var count = 0
    private var room = bytesMax

    /// What an answer lists; `API.md` promises no more.
    private static let countMax = 1000
    private static let bytesMax = 4 << 20

    mutating func add(_ event: Event) {
        // Nothing is listed behind the first that is left out.
        if lines.count == count, count < Self.countMax {
            let line = event.line
            room -= line.count
            if room >= 0 { lines.append(line) }
        }
        count += 1
    }
}
