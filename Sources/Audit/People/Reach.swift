internal import CivilTime
internal import Notices

/// Which channels a person can be reached on (P16).
struct Reach {
    private(set) var permission: PermissionStatus?
    /// Whether the person has ever tapped yes before the system's dialog: granted and denied both mean it (S4).
    private(set) var saidYes = false
    private var devices: [String: Registration] = [:]
    private var hasHadDevice = false
    /// When the address was given; `nil` while there is none.
    private var emailGivenAt: Instant?
    private var hasBounced = false
    private var phone: String?
    /// The number that a code was last asked for.
    private var phoneAsked: String?
    /// What became of the codes that were entered and of which nothing was concluded yet (N9).
    private var codes = 0
    private var codeAskedAt: Instant?
    private var lastCode: (isRight: Bool, at: Instant)?
    private var isPhoneVerified = false
    /// When the number was given or verified last.
    private var phoneGivenAt = Instant.distantPast
    private var isPhoneDead = false

    private struct Registration {
        var at: Instant
        var seq: UInt64
    }

    mutating func enrolled(_ enrolled: UserEnrolled, at instant: Instant, seq: UInt64) {
        if enrolled.email != nil { given(email: instant) }
        if phone == nil, let told = enrolled.phone {
            (phone, phoneGivenAt) = (number(told, enrolled.phoneIs, seq), instant)
        }
    }

    /// A number, to be told from others. Of one that was erased only which it was of those that were known is left (E2).
    private func number(_ told: PhoneNumber, _ known: KnownPhone?, _ seq: UInt64) -> String {
        guard Erased.holds(told.text) else { return told.text }
        let other = Erased.person(UInt32(truncatingIfNeeded: seq))
        switch known {
        case .theirs, .theirsAndAsked: return phone ?? other
        case .asked: return phoneAsked ?? other
        case nil: return other
        }
    }

    mutating func asked(about request: PhoneVerificationRequested, at instant: Instant, seq: UInt64) {
        // A code is good for 10 minutes, and mistakes count for the 15 that a lock lasts.
        if let codeAskedAt, instant >= codeAskedAt.advanced(byMinutes: 25) { codes = 0 }
        codeAskedAt = instant
        phoneAsked = number(request.phone, request.phoneIs, seq)
    }

    private mutating func given(email instant: Instant?) {
        emailGivenAt = instant
        hasBounced = false
    }

    /// What is left out stays; another number has to be verified itself.
    mutating func changed(_ change: ContactChanged, at instant: Instant, seq: UInt64) {
        switch change.email {
        case .leftOut: break
        case .erased: given(email: nil)
        case .given: given(email: instant)
        }
        let before = phone
        switch change.phone {
        case .leftOut: break
        case .erased: (phone, isPhoneDead) = (nil, false)
        case .given(let told): (phone, phoneGivenAt, isPhoneDead) = (number(told, change.phoneIs, seq), instant, false)
        }
        if phone != before { isPhoneVerified = false }
        if let isVerified = change.isPhoneVerified, phone != nil {
            isPhoneVerified = isVerified
            if isVerified { (phoneGivenAt, isPhoneDead) = (instant, false) }
        }
    }

    mutating func permissionChanged(to status: PermissionStatus) {
        permission = status
        if status != .notNow { saidYes = true }
    }

    mutating func registered(device: String, at instant: Instant, seq: UInt64) {
        hasHadDevice = true
        devices[device] = Registration(at: instant, seq: seq)
    }

    /// A removal that names a registration is about no other.
    mutating func removed(_ removal: DeviceRemoved) {
        let device = removal.device.text
        if let about = removal.registration, let known = devices[device], known.seq != UInt64(about) { return }
        devices[device] = nil
    }

    mutating func entered(isRight: Bool, at instant: Instant) {
        codes += 1
        lastCode = (isRight, instant)
    }

    /// N9: why nothing is to be concluded of the codes that were entered; `nil` where it is.
    func codeProblem(isVerified: Bool, at instant: Instant) -> String? {
        guard let lastCode, lastCode.at == instant else { return "no code was entered" }
        if isVerified { return lastCode.isRight ? nil : "the code was not right" }
        if lastCode.isRight { return "the code was right" }
        return codes >= Self.codesMax ? nil : "\(codes) of \(Self.codesMax) attempts were made"
    }

    private static let codesMax = 5

    /// The last digits of the number that a code was asked for.
    var tailAsked: String? { phoneAsked.map { String($0.suffix(4)) } }

    mutating func codesConcluded() { (codes, lastCode) = (0, nil) }

    /// Whoever asked for a code and has entered it: the number that was asked about.
    mutating func phoneVerified(at instant: Instant) {
        phone = phoneAsked ?? phone
        (phoneGivenAt, isPhoneDead) = (instant, false)
        isPhoneVerified = true
    }

    /// A permanent failure of an email is a hard bounce, and one of a text a dead number, unless it was never sent for being
    /// late (SPEC §11).
    mutating func failed(_ failure: JobFailed, emittedAt: Instant) {
        guard failure.isPermanent, failure.reason.text != "too_late" else { return }
        if failure.channel == .email { bounced(emittedAt: emittedAt) }
        if failure.channel == .sms { lostPhone(emittedAt: emittedAt) }
    }

    /// N3: a dead address is dead until it is told anew; a word about a job older than the address is about another.
    mutating func reported(_ report: DeliveryReported, emittedAt: Instant) {
        guard report.isPermanent == true else { return }
        if report.channel == .email, report.status == .bounced { bounced(emittedAt: emittedAt) }
        if report.channel == .sms, report.status == .bounced || report.status == .failed {
            lostPhone(emittedAt: emittedAt)
        }
        guard report.channel == .push, report.status == .bounced || report.status == .failed,
            let device = report.device?.text, let known = devices[device], known.at <= emittedAt
        else { return }
        devices[device] = nil
    }

    private mutating func bounced(emittedAt: Instant) {
        if let given = emailGivenAt, given <= emittedAt { hasBounced = true }
    }

    private mutating func lostPhone(emittedAt: Instant) {
        if isPhoneVerified, phoneGivenAt <= emittedAt { isPhoneDead = true }
    }

    func hasEmail(since instant: Instant) -> Bool { emailGivenAt.map { $0 <= instant } ?? false }

    /// Why a channel does not reach the person; `nil` where it does.
    ///
    /// - Parameter needsDevice: whether somebody of whom no device was told has none (P16, `"addresses": "here"`).
    func problem(with channel: Channel, needsDevice: Bool) -> String? {
        switch channel {
        case .push:
            if permission == .denied { return "push permission was denied" }
            guard devices.isEmpty else { return nil }
            if hasHadDevice { return "every registered device was removed" }
            return needsDevice ? "no device is registered" : nil
        case .email:
            if emailGivenAt == nil { return "no email address is known" }
            return hasBounced ? "the email address has bounced" : nil
        case .sms:
            if isPhoneDead { return "texts to the phone number can never be delivered" }
            return isPhoneVerified ? nil : "no phone is verified"
        case .inApp: return nil
        }
    }
}
