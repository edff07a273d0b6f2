public import Notices

/// Who takes jobs, as the plan sees it: a sink, or the sender of one provider.
public struct Carrier: Sendable {
    /// How reasons and the log call it. Never holds a secret.
    public var name: String
    public var limits: SenderGate.Limits
    /// Whether it is many that know nothing of one another: then none of them stops the others.
    public var isShared: Bool
    /// Who takes its jobs now; `nil` where that is always the same.
    var taker: Taker?

    public init(name: String, limits: SenderGate.Limits, isShared: Bool = false) {
        self.name = name
        self.limits = limits
        self.isShared = isShared
    }

    /// A sink: its own window bounds it, and it is never left alone after failures.
    public static func sink(_ name: String, window: Int) -> Carrier {
        Carrier(name: name, limits: SenderGate.Limits(calls: window, hasBreaker: false))
    }
}

/// One address that a job is to go to, and who takes it there.
public struct Target: Sendable, Equatable {
    public enum Address: Sendable, Equatable {
        /// Whatever the sink makes of the job.
        case sink
        /// As it was registered by the event of this number: a later registration is another address (`N3`).
        case device(name: String, registration: UInt64)
        case email
        case phone
    }

    public var carrier: Int
    public var address: Address

    public init(carrier: Int, address: Address) {
        self.carrier = carrier
        self.address = address
    }

    /// The device's name, if it is one.
    var device: String? { if case .device(let name, _) = address { name } else { nil } }

    /// What sets it apart from the job's other targets.
    var key: String {
        switch address {
        case .sink: ""
        case .device(_, let registration): "/\(registration)"
        case .email: "/email"
        case .phone: "/phone"
        }
    }
}

/// Where a job goes for some of its channels.
public struct RoutePlan: Sendable, Equatable {
    public var channels: [Channel]
    public var targets: [Target]
    /// Channels that it gives way to when it fails, in this order (`N4`).
    public var spare: [Channel] = []
    /// Why there is no target, where there is none.
    public var whyNone = ""

    public init(channels: [Channel], targets: [Target], spare: [Channel] = [], whyNone: String = "") {
        self.channels = channels
        self.targets = targets
        self.spare = spare
        self.whyNone = whyNone
    }
}
