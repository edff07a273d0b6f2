/// A push service of browsers, as lanes and figures tell one from another.
///
/// Endpoints come from clients, who could name any host. So the services that browsers are made with and those that the
/// operator trusts are told apart from all others: no host that somebody invents may hold them up (`G11`, `N5`).
enum PushService: Sendable, Hashable {
    /// One that browsers are made with.
    case wellKnown(WellKnownPushService)
    /// The operator's own (`webpush.trusted`).
    case trusted(origin: String)
    /// A client named it, and may have invented it.
    case named(origin: String)
    /// All that clients named beyond those that have a lane (`PostLanes`). One of them that is down says nothing of the rest.
    case others

    init(origin: String, trusted: Set<String>) {
        if trusted.contains(origin) {
            self = .trusted(origin: origin)
        } else if let service = WellKnownPushService(origin: origin) {
            self = .wellKnown(service)
        } else {
            self = .named(origin: origin)
        }
    }

    /// How reasons and the log call it. A host that a client named may be somebody's own, and would tell who they were when they are
    /// erased (`E1`).
    var name: String {
        switch self {
        case .wellKnown(let service): "webpush \(service.rawValue)"
        case .trusted(let origin): "webpush \(origin)"
        case .named, .others: "webpush"
        }
    }

    /// How figures call it: by no name that a person chose, and by none that grows with people.
    var label: String {
        switch self {
        case .wellKnown, .trusted: name
        case .named, .others: Self.labelOfOthers
        }
    }

    static let labelOfOthers = "webpush other"

    /// Whether clients could have invented it.
    var isOfClients: Bool {
        switch self {
        case .wellKnown, .trusted: false
        case .named, .others: true
        }
    }
}

/// The push services that the makers of browsers run, by the origin of their endpoints.
///
/// Those with a star have a host for each region, or may come to have one; all of these are one service. Only the usual
/// port is theirs: behind another nobody may be there.
enum WellKnownPushService: String, Sendable, CaseIterable {
    case google = "https://fcm.googleapis.com"
    case mozilla = "https://updates.push.services.mozilla.com"
    case apple = "https://web.push.apple.com"
    case microsoft = "https://*.notify.windows.com"
    case mozillaOthers = "https://*.push.services.mozilla.com"
    case appleOthers = "https://*.push.apple.com"

    /// `nil` for the origin of any other. Browsers write hosts in small letters.
    init?(origin: String) {
        let known = Self.allCases.first { service in
            service.suffix.map { origin.hasPrefix(Self.scheme) && origin.hasSuffix($0) } ?? (origin == service.rawValue)
        }
        guard let known, origin == origin.lowercased() else { return nil }
        self = known
    }

    private static let scheme = "https://"

    /// How its hosts end; `nil` where it has one host.
    private var suffix: String? {
        let star = Self.scheme + "*"
        return rawValue.hasPrefix(star) ? String(rawValue.dropFirst(star.count)) : nil
    }

    /// What it means that nobody answered at one of its hosts. A client may have made up a name that ends like those of the
    /// service, or have taken that of another of its maker's machines: that speaks against the address alone.
    func verdict(of failure: HTTPFailure) -> SenderVerdict {
        guard suffix != nil else { return failure.verdict }
        return switch failure.reason {
        case .cannotFind, .untrusted, .cannotConnect, .timedOut: .transient(reason: "\(failure)", whom: .address)
        case .badCall, .forbidden, .tooLarge, .broken, .cancelled, .busy, .tooLate:
            failure.verdict
        }
    }
}
