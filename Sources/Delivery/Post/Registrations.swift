internal import CivilTime
internal import Notices

/// The addresses of devices, read where the log holds their registrations. Some are remembered.
struct Registrations {
    private let read: Courier.ReadRegistration
    private var known: [UInt64: Device.Address?] = [:]
    /// Those that were known before it was full: a job's address is asked for twice, when it is sorted and when it is sent.
    private var older: [UInt64: Device.Address?] = [:]
    /// What is wrong with those of which more can be said than that something is missing.
    private var flaws: [UInt64: Flaw] = [:]

    /// Why an address is none.
    fileprivate enum Flaw {
        /// An endpoint of a private network.
        case hidden
        /// A token for Apple.
        case notHexadecimal
    }

    /// So many addresses are remembered at least, and twice as many at most, of 300 bytes or so.
    private static let knownMax = 16_384

    init(_ read: @escaping Courier.ReadRegistration) { self.read = read }

    /// `nil` for one that no sender can reach: not all of it was told, or it is not what its provider calls an address.
    mutating func address(of device: Contact.Device, trusted: Set<String>) throws -> Device.Address? {
        if let address = known[device.registration] { return address }
        if let address = older[device.registration] {
            remember(address, of: device)
            return address
        }
        guard let registered = try read(device.registration, device.position) else { return nil }
        let address = registered.postalAddress(trusted)
        remember(address, of: device)
        flaws[device.registration] = address == nil ? registered.flaw : nil
        return address
    }

    private mutating func remember(_ address: Device.Address?, of device: Contact.Device) {
        if known.count >= Self.knownMax {
            (older, known) = (known, [:])
            flaws = flaws.filter { older[$0.key] != nil }
        }
        known.updateValue(address, forKey: device.registration)
    }

    /// Why no sender can reach one of which there is no address.
    func whyNone(_ device: Contact.Device) -> String {
        switch flaws[device.registration] {
        case .hidden: "\(device.name) names an endpoint that is not on the public internet"
        case .notHexadecimal: "the token of device \(device.name) is not hexadecimal, as Apple's are"
        case nil: "\(device.name) is registered without what its provider needs"
        }
    }

    /// The document has changed, and with it perhaps what is an address.
    mutating func forget() { (known, older, flaws) = ([:], [:], [:]) }
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

    /// What is wrong with an address that is none, where that can be said.
    fileprivate var flaw: Registrations.Flaw? {
        switch provider ?? platform.usualProvider {
        case .apns: token.text.isHexadecimal ? nil : .notHexadecimal
        case .webpush: WebPushEndpoint.isPrivate(token.text) ? .hidden : nil
        case .fcm: nil
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
