import Notices

/// Events as an answer lists them, and how many there are in all. However many, so many are kept.
struct PrintedEvents {
    private(set) var lines: [[UInt8]] = []
    private(set) var count = 0
    private var room = bytesMax

    init() {}

    /// Those that another has listed, as far as there is room.
    init(_ lines: [[UInt8]], of count: Int) { add(lines, of: count) }

    /// What an answer lists; `API.md` promises no more.
    private static let countMax = 1000
    private static let bytesMax = 4 << 20

    mutating func add(_ event: Event) {
        // Nothing is listed behind the first that is left out.
        if lines.count == count, count < Self.countMax { list(event.line) }
        count += 1
    }

    /// - Parameter count: how many the other has, of which those are the first.
    mutating func add(_ others: [[UInt8]], of count: Int) {
        if lines.count == self.count {
            for line in others where lines.count < Self.countMax && room >= 0 { list(line) }
        }
        self.count += count
    }

    private mutating func list(_ line: [UInt8]) {
        room -= line.count
        if room >= 0 { lines.append(line) }
    }
}
