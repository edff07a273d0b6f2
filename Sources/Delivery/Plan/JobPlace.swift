public import Notices

/// Where the log holds a job. Nothing else of a waiting job is in memory.
public struct JobPlace: Sendable, Hashable {
    /// The commit's place in the log, as whoever reads it back understands it.
    public var position: UInt64
    public var seq: UInt64
    /// Those that it is still to go out on; none for all that the job names.
    public var channels: ChannelSet
    /// The channel whose place one of `channels` is to take: it had the job, and its provider reported that it does not come
    /// (`N4`).
    public var insteadOf: Channel?

    public init(position: UInt64, seq: UInt64, channels: ChannelSet = [], insteadOf: Channel? = nil) {
        self.position = position
        self.seq = seq
        self.channels = channels
        self.insteadOf = insteadOf
    }

    /// The job itself, whatever it is still to go out on.
    var ofAllChannels: JobPlace { JobPlace(position: position, seq: seq) }

    /// What it is in the plan for, whatever channels are left of that: the job itself, or to take a channel's place, which may
    /// be there at the same time.
    var errand: JobPlace { JobPlace(position: position, seq: seq, insteadOf: insteadOf) }
}

/// One of a job's targets, while the plan has the job.
struct Parcel: Sendable, Hashable, Comparable {
    var slot: UInt32
    var route: UInt8 = 0
    var target: UInt8

    static func < (left: Self, right: Self) -> Bool {
        (left.slot, left.route, left.target) < (right.slot, right.route, right.target)
    }
}

/// One try to hand one job to one carrier.
public struct Attempt: Sendable, Equatable {
    /// No other attempt of this plan has it: an answer that comes twice is noticed.
    let id: UInt64
    /// Which carrier, in the order they were given.
    public let sink: Int
    let parcel: Parcel
    public let place: JobPlace
    public let target: Target
    /// Those before this one.
    let tries: Tries
    /// Whether its carrier has taken it in. Else its time is up, and it was taken out of the line.
    var hasRoom = true

    /// From 1.
    public var number: Int { tries.count + 1 }
}

/// A job whose targets are not known yet.
public struct Unsorted: Sendable, Equatable {
    let slot: UInt32
    /// The route that gives way to another channel; `nil` for the whole job.
    let route: UInt8?
    public let place: JobPlace
    /// The channel that it gives way to.
    public let channel: Channel?
    var tries = Tries()

    /// Which part of the job it is.
    var parcel: Parcel { Parcel(slot: slot, route: route ?? .max, target: .max) }
}
