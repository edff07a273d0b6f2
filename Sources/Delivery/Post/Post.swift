internal import Notices

/// Which sender takes a job to an address. Each has a lane of its own, so that none waits for another (`N5`).
enum Post: Sendable, Hashable {
    case apns
    case fcm
    /// Push services are many, and clients name them: each origin is one.
    case webPush(origin: String)
    case email
    case sms

    /// How reasons and the log call it.
    var name: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .webPush(let origin): origin.isEmpty ? "webpush" : "webpush \(origin)"
        case .email: "smtp"
        case .sms: "twilio"
        }
    }
}

/// Where a job is sent, in full.
enum PostalAddress: Sendable, Equatable {
    case device(Device)
    case email(String)
    case phone(String)
}
