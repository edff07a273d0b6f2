public import Notices

/// The numbers that someone's events have among those of a log that concern them.
public struct OwnNumbers {
    /// Their events and those about everyone.
    public let events: [Event]
    private let places: [UInt64: Int]

    public init(of user: String, in log: [Event]) {
        events = log.filter { $0.user == nil || $0.user == user }
        places = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($1.seq, $0 + 1) })
    }

    /// A line in which notices that were asked for, such as `#17`, have the numbers they have here.
    public func renumbered(_ line: String) -> String {
        guard line.utf8.contains(UInt8(ascii: "#")) else { return line }
        let line = Array(line.utf8)
        var text: [UInt8] = []
        var position = 0
        while position < line.count {
            text.append(line[position])
            position += 1
            guard text.last == UInt8(ascii: "#") else { continue }
            var number: UInt64 = 0
            while position < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[position]) {
                number = number * 10 + UInt64(line[position] - UInt8(ascii: "0"))
                position += 1
            }
            text += Array(String(places[number] ?? 0).utf8)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
