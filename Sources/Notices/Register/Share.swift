/// One of several parts that a log's people are dealt out into by their numbers, so that each core has people of its own.
///
/// People are independent of each other: whatever is folded or decided about one hangs on the facts about them and on those
/// about everyone. So each core is told of its own people and of what is about everyone, and of nothing else.
public struct Share: Sendable, Equatable {
    /// From 0.
    public let place: Int
    /// How many shares there are.
    public let count: Int

    /// Everybody.
    public static let whole = Share(0, of: 1)

    public init(_ place: Int, of count: Int) {
        precondition(count > 0 && (0..<count).contains(place), "share \(place) of \(count)")
        self.place = place
        self.count = count
    }

    /// Of the facts about everyone the first share keeps count.
    public var isFirst: Bool { place == 0 }

    /// - Parameter person: by the log's number.
    public func holds(_ person: UInt32) -> Bool { Int(person) % count == place }

    /// Which of the share's own people somebody is, by the log's number of them, and the other way round.
    public func own(_ person: UInt32) -> UInt32 { person / UInt32(count) }
    public func person(_ own: UInt32) -> UInt32 { own * UInt32(count) + UInt32(place) }

    /// How many of the log's first people are the share's own.
    public func count(of people: Int) -> Int { max(0, people - place + count - 1) / count }
}
