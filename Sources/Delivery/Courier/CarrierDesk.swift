/// How a sink or sender stands, for those who ask.
public struct CarrierStanding: Sendable, Equatable {
    public var name: String
    /// Jobs that wait for it, paused or not.
    public var waiting: Int
    /// Whether it has failed so often that it is tried with one job at a time (`N5`).
    public var isBroken: Bool
    /// What it said last, unless it takes jobs.
    public var problem: String?

    public init(name: String, waiting: Int, isBroken: Bool, problem: String?) {
        (self.name, self.waiting, self.isBroken, self.problem) = (name, waiting, isBroken, problem)
    }
}

/// What the courier keeps for each carrier: orders it was read along with, what to complain of, what was lost.
struct CarrierDesk {
    let name: String
    /// `nil` for a sink of the command line.
    let post: Post?
    var shelf = OrderShelf()
    var complaint: SinkComplaint
    var losses: LossReport

    init(_ name: String, _ post: Post? = nil) {
        self.name = name
        self.post = post
        complaint = SinkComplaint(sink: name)
        losses = LossReport(sink: name)
    }
}

extension Courier {
    /// How one stands now. That its breaker has opened is said once; that it takes jobs again says `SinkComplaint`.
    func standing(of place: Int) -> CarrierStanding {
        let (waiting, isBroken) = plan.standing(of: place)
        if let (level, text, fields) = desks[place].complaint.stand(isBroken) {
            log(level, text, [("sink", desks[place].name)] + fields)
        }
        return CarrierStanding(
            name: desks[place].name, waiting: waiting, isBroken: isBroken, problem: desks[place].complaint.problem)
    }
}
