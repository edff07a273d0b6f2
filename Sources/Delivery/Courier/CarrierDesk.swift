/// How a sink or sender stands, for those who ask.
public struct CarrierStanding: Sendable, Equatable {
    public var name: String
    /// How figures call it: several may have one label.
    public var label: String
    /// Jobs that wait for it, paused or not.
    public var waiting: Int
    /// Whether it has failed so often that it is tried with one job at a time (`N5`).
    public var isBroken: Bool
    /// What it said last, unless it takes jobs.
    public var problem: String?

    /// - Parameter label: its name, unless it is said.
    public init(name: String, label: String? = nil, waiting: Int, isBroken: Bool, problem: String?) {
        (self.name, self.label, self.waiting) = (name, label ?? name, waiting)
        (self.isBroken, self.problem) = (isBroken, problem)
    }
}

extension Sequence<CarrierStanding> {
    /// Those of each label as one: what waits for any of them, and whether any is tried with one job at a time.
    public var byLabel: [(label: String, waiting: Int, isBroken: Bool)] {
        var all: [(label: String, waiting: Int, isBroken: Bool)] = []
        for carrier in self {
            if let place = all.firstIndex(where: { $0.label == carrier.label }) {
                all[place].waiting += carrier.waiting
                all[place].isBroken = all[place].isBroken || carrier.isBroken
            } else {
                all.append((carrier.label, carrier.waiting, carrier.isBroken))
            }
        }
        return all
    }
}

/// What the courier keeps for each carrier: orders it was read along with, what to complain of, what was lost.
struct CarrierDesk {
    let name: String
    let label: String
    /// `nil` for a sink of the command line.
    let post: Post?
    var shelf = OrderShelf()
    var complaint: SinkComplaint
    var losses: LossReport

    /// Of a sink of the command line.
    init(_ name: String) { self.init(name, label: name, nil) }

    init(_ post: Post) { self.init(post.name, label: post.label, post) }

    private init(_ name: String, label: String, _ post: Post?) {
        (self.name, self.label, self.post) = (name, label, post)
        complaint = SinkComplaint(sink: name)
        losses = LossReport(sink: name)
    }
}

extension Courier {
    /// Those that have had something to do, and the senders that the document names besides: no job waits for them.
    func withUnmet(_ met: [CarrierStanding]) -> [CarrierStanding] {
        guard let mail else { return met }
        let unmet = mail.office.rules.named.filter { post in
            !met.contains { $0.name == post.name || post.isShared && $0.name.hasPrefix(post.name) }
        }
        return met
            + unmet.map {
                CarrierStanding(name: $0.name, label: $0.label, waiting: 0, isBroken: false, problem: nil)
            }
    }

    /// How one stands now. That its breaker has opened is said once; that it takes jobs again says `SinkComplaint`.
    func standing(of place: Int) -> CarrierStanding {
        let (waiting, isBroken) = plan.standing(of: place)
        if let (level, text, fields) = desks[place].complaint.stand(isBroken) {
            log(level, text, [("sink", desks[place].name)] + fields)
        }
        return CarrierStanding(
            name: desks[place].name, label: desks[place].label, waiting: waiting, isBroken: isBroken,
            problem: desks[place].complaint.problem)
    }
}
