internal import CivilTime
internal import Notices

/// The addresses of devices, read where the log holds their registrations. Some are remembered.
struct Registrations {
    /// The registrations in the commit at a position.
    typealias Read = @Sendable (_ position: UInt64) throws -> [Event]

    private let read: Read
    private var known: [UInt64: Device.Address?] = [:]
    /// Registrations whose endpoint is of a private network.
    private var hidden: Set<UInt64> = []

    /// So many addresses are remembered, of 300 bytes or so.
    private static let knownMax = 4096

    init(_ read: @escaping Read) { self.read = read }

    /// `nil` for one that no sender can reach: not all of it was told, or it is not what its provider calls an address.
    mutating func address(of device: Contact.Device, trusted: Set<String>) throws -> Device.Address? {
        if let address = known[device.registration] { return address }
        guard let event = try read(device.position).first(where: { $0.seq == device.registration }),
            case .deviceRegistered(let registered) = event.payload
        else { return nil }
        let address = registered.postalAddress(trusted)
        if known.count >= Self.knownMax { forget() }
        known[device.registration] = address
        if address == nil, WebPushEndpoint.isPrivate(registered.token.text) { hidden.insert(device.registration) }
        return address
    }

    /// Why no sender can reach one of which there is no address.
    func whyNone(_ device: Contact.Device) -> String {
        hidden.contains(device.registration)
            ? "\(device.name) names an endpoint that is not on the public internet"
            : "\(device.name) is registered without what its provider needs"
    }

    /// The document has changed, and with it perhaps what is an address.
    mutating func forget() { (known, hidden) = ([:], []) }
}

extension DeviceRegistered {
    /// The provider by platform, unless it was told.
    fileprivate func postalAddress(_ trusted: Set<String>) -> Device.Address? {
        switch provider ?? platform.usualProvider {
        case .apns:
            let environment: APNsAddress.Environment = self.environment == .sandbox ? .sandbox : .production
            return APNsAddress(token: token.text, environment: environment, topic: app?.text).map { .apns($0) }
        case .fcm:
            let kind: FCMAddress.Kind = address == .fid ? .fid : .token
            return .fcm(FCMAddress(kind: kind, value: token.text, platform: platform.asFirebaseKnowsIt))
        case .webpush:
            let subscription = try? WebPushSubscription(
                endpoint: token.text, p256dh: browserKey?.text ?? "", auth: browserSecret?.text ?? "",
                trusted: trusted)
            return subscription.map { .webPush($0) }
        }
    }
}

extension Platform {
    fileprivate var usualProvider: PushProvider {
        switch self {
        case .ios: .apns
        case .android: .fcm
        case .web: .webpush
        }
    }

    fileprivate var asFirebaseKnowsIt: FCMAddress.Platform {
        switch self {
        case .ios: .ios
        case .android: .android
        case .web: .web
        }
    }
}
