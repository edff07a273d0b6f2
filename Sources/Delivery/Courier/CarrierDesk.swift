public import CivilTime

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
    /// Before this nothing is given to it; one in the past says nothing any more. `nil` where it is given what comes.
    public var nextTryAt: Instant?
    /// Since when it has answered nothing of what was given to it; `nil` while it has nothing to answer.
    public var silentSince: Instant?

    /// - Parameter label: its name, unless it is said.
    public init(
        name: String, label: String? = nil, waiting: Int, isBroken: Bool, problem: String?, nextTryAt: Instant? = nil
    ) {
        (self.name, self.label, self.waiting) = (name, label ?? name, waiting)
        (self.isBroken, self.problem, self.nextTryAt) = (isBroken, problem, nextTryAt)
    }

    /// As it stands at an instant: a pause that is over is none.
    public func nextTry(at now: Instant) -> Instant? { nextTryAt.flatMap { $0 > now ? $0 : nil } }
    public func shown(at now: Instant) -> CarrierStanding {
        var shown = self
        shown.nextTryAt = nextTry(at: now)
        return shown
    }
}

extension Sequence<CarrierStanding> {
    /// Those of each label as one: what waits for any of them, whether any is tried with one job at a time, and the last to be tried.
    public var byLabel: [CarrierStanding] { asOne(\.label) }

    /// Those of each name as one.
    var byName: [CarrierStanding] { asOne(\.name) }

    private func asOne(_ word: KeyPath<CarrierStanding, String>) -> [CarrierStanding] {
        var all: [CarrierStanding] = []
        for carrier in self {
            if let place = all.firstIndex(where: { $0[keyPath: word] == carrier[keyPath: word] }) {
                all[place].add(carrier)
            } else {
                all.append(carrier)
            }
        }
        return all
    }
}

extension CarrierStanding {
    /// Another that is shown as the same.
    public mutating func add(_ other: CarrierStanding) {
        waiting += other.waiting
        isBroken = isBroken || other.isBroken
        problem = problem ?? other.problem
        nextTryAt = [nextTryAt, other.nextTryAt].compactMap(\.self).max()
        silentSince = [silentSince, other.silentSince].compactMap(\.self).min()
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
    /// Since when it has answered nothing of what was given to it.
    var silentSince: Instant?
    var losses: LossReport

    /// Of a sink of the command line.
    init(_ name: String) { self.init(name, label: name, nil) }

    init(_ post: Post) { self.init(post.name, label: post.label, post) }

    /// Somebody else takes the jobs from now on.
    mutating func startOver() { complaint = SinkComplaint(sink: name) }

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

    /// How one stands now. That its breaker has opened, or that it has asked for a long pause, is said once; that it takes jobs again
    /// says `SinkComplaint`.
    func standing(of place: Int, at now: Instant) -> CarrierStanding {
        let (waiting, isBroken, isBusy, nextTryAt) = plan.standing(of: place, at: now)
        desks[place].silentSince = isBusy ? desks[place].silentSince ?? now : nil
        for (level, text, fields) in desks[place].complaint.stand(isBroken, nextTryAt, at: now) {
            log(level, text, [("sink", desks[place].name)] + fields)
        }
        var standing = CarrierStanding(
            name: desks[place].name, label: desks[place].label, waiting: waiting, isBroken: isBroken,
            problem: desks[place].complaint.problem, nextTryAt: nextTryAt)
        standing.silentSince = desks[place].silentSince
        return standing
    }
}
