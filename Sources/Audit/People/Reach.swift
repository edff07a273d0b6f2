internal import Notices

/// Which channels a person can be reached on (P16).
struct Reach {
    private(set) var permission: PermissionStatus?
    /// Whether the person has ever tapped yes before the system's dialog: granted and denied both mean it (S4).
    private(set) var saidYes = false
    private var devices: Set<String> = []
    private var hasHadDevice = false
    private var hasEmail = false
    private var hasBounced = false
    private var isPhoneVerified = false

    mutating func enrolled(email: Bool) {
        guard email else { return }
        hasEmail = true
        hasBounced = false
    }

    mutating func permissionChanged(to status: PermissionStatus) {
        permission = status
        if status != .notNow { saidYes = true }
    }

    mutating func registered(device: String) {
        hasHadDevice = true
        devices.insert(device)
    }

    mutating func removed(device: String) { devices.remove(device) }

    mutating func phoneVerified() { isPhoneVerified = true }

    /// A permanent failure of an email is a hard bounce, unless it was never sent for being late (SPEC §11).
    mutating func failed(_ failure: JobFailed) {
        if failure.channel == .email, failure.isPermanent, failure.reason.text != "too_late" { hasBounced = true }
    }

    /// Why a channel does not reach the person; `nil` where it does.
    func problem(with channel: Channel) -> String? {
        switch channel {
        case .push:
            if permission == .denied { return "push permission was denied" }
            return hasHadDevice && devices.isEmpty ? "every registered device was removed" : nil
        case .email:
            if !hasEmail { return "no email address is known" }
            return hasBounced ? "the email address has bounced" : nil
        case .sms: return isPhoneVerified ? nil : "no phone is verified"
        case .inApp: return nil
        }
    }
}
