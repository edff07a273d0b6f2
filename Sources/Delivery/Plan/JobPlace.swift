/// Where the log holds a job: all that is kept of one that waits.
public struct JobPlace: Sendable, Hashable {
    /// The commit's place in the log, as whoever reads it back understands it.
    public var position: UInt64
    public var seq: UInt64

    public init(position: UInt64, seq: UInt64) {
        self.position = position
        self.seq = seq
    }
}

/// One try to hand one job to one sink.
public struct Attempt: Sendable, Equatable {
    /// No other attempt of this plan has it: an answer that comes twice is noticed.
    let id: UInt64
    /// Which sink, in the order they were given.
    public let sink: Int
    let slot: UInt32
    public let place: JobPlace
    /// Those before this one.
    let tries: Tries

    /// From 1.
    public var number: Int { tries.count + 1 }
}
