public import CivilTime

/// A device that a person registered (SPEC §2, `device_registered`), with the address its provider knows it by.
public struct Device: Sendable, Equatable {
    public enum Address: Sendable, Equatable {
        case apns(APNsAddress)
        case fcm(FCMAddress)
        case webPush(WebPushSubscription)

        /// Whether what is sent to both rings in one place twice.
        func ringsWhere(_ other: Address) -> Bool {
            switch (self, other) {
            case (.apns(let one), .apns(let two)): one.ringsWhere(two)
            case (.fcm(let one), .fcm(let two)): one.kind == two.kind && one.value == two.value
            case (.webPush(let one), .webPush(let two)): one.endpoint == two.endpoint
            case (.apns, _), (.fcm, _), (.webPush, _): false
            }
        }
    }

    /// Its name within the person.
    public var name: String
    /// A provider's word about an older registration says nothing of this one (`N3`).
    public var registeredAt: Instant
    public var address: Address

    public init(name: String, registeredAt: Instant, address: Address) {
        self.name = name
        self.registeredAt = registeredAt
        self.address = address
    }
}
