public import CivilTime

/// What an operator may do; each may all that those before it may (`V1`).
public enum Role: String, Sendable, CaseIterable, Comparable {
    /// Sees everything and changes nothing.
    case read
    /// Tells facts, and acts for people: run now, retry, test, tokens for persons.
    case operate
    /// Changes what holds for everybody: the policy, tokens of operators.
    case admin

    public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .operate: 1
        case .admin: 2
        }
    }
}

/// Who asks. Found once a request, from its head and the door that it came by, before its body is read.
public enum Access: Sendable, Equatable {
    /// Nobody that is known here.
    case stranger
    case `operator`(Operator)
    /// Somebody with a token of their own, for themselves alone (`V2`, `G8`).
    case person(PersonPass)
}

extension Access {
    /// Whether another worker of the cluster may be asking, with the token that all of them take, or whoever the log belongs to.
    /// Nobody else is believed to pass something on.
    var mayPassOn: Bool {
        guard case .operator(let known) = self else { return false }
        return known == .worker || known == .owner
    }

    /// How much they may say at once; `nil` for as much as the door takes. What is held for strangers and for people, at all of their
    /// connections together, is not to keep an app's facts out (`G11`).
    var bodyBytesMax: Int? {
        switch self {
        case .stranger: 8 << 10
        case .person: 256 << 10
        case .operator: nil
        }
    }

    /// For the worker's own log. Of a person nothing but that it was one: their id stands in the path.
    public var name: String {
        switch self {
        case .stranger: "nobody known"
        case .operator(let known): known.name
        case .person: "the person"
        }
    }
}

public struct Operator: Sendable, Equatable {
    /// What their token is called; `socket` for whoever may open the worker's own.
    public var name: String
    public var role: Role
    /// Whether they are signed in at the console, rather than showing the token itself.
    public var isSignedIn: Bool

    public init(name: String, role: Role, isSignedIn: Bool = false) {
        self.name = name
        self.role = role
        self.isSignedIn = isSignedIn
    }

    /// Whoever has the worker's own token.
    static let worker = Operator(name: "worker", role: .admin)
    /// Whoever may open the Unix socket is who the log belongs to.
    static let owner = Operator(name: "socket", role: .admin)
}

/// What a person's token says.
public struct PersonPass: Sendable, Equatable {
    public var user: String
    /// By which it is revoked.
    public var id: String
    public var endsAt: Instant

    public init(user: String, id: String, endsAt: Instant) {
        self.user = user
        self.id = id
        self.endsAt = endsAt
    }
}
