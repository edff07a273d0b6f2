/// Where the log holds a job: all that is kept of one that waits.
package struct JobPlace: Sendable, Hashable {
    /// The commit's place in the log, as whoever reads it back understands it.
    package var position: UInt64
    package var seq: UInt64

    package init(position: UInt64, seq: UInt64) {
        self.position = position
        self.seq = seq
    }
}

/// One try to hand one job to one sink.
package struct Attempt: Sendable, Equatable {
    /// No other attempt of this plan has it: an answer that comes twice is noticed.
    let id: UInt64
    /// Which sink, in the order they were given.
    package let sink: Int
    let slot: UInt32
    package let place: JobPlace
    /// Those before this one.
    let tries: Tries

    /// From 1.
    package var number: Int { tries.count + 1 }
}
