internal import CivilTime

/// How a person is reached, and what is heard of their addresses (`P16`, `N3`).
extension Person {
    // MARK: What the app says

    /// What is left out stays as it was; `null` is none any more.
    func change(_ fact: ContactChanged, on occasion: Occasion) {
        let at = occasion.at
        switch fact.email {
        case .leftOut: break
        case .erased:
            flags.remove([.hasEmail, .emailBounced])
            details.email = nil
        case .given(let email): give(email: email.text, at)
        }
        switch fact.phone {
        case .leftOut: break
        case .erased: give(phone: nil, at)
        case .given(let phone): give(phone: number(phone, fact.phoneIs, occasion.sequence), at)
        }
        if let isVerified = fact.isPhoneVerified, hasDetails, let number = details.phone.number {
            if isVerified {
                revivePhone(at)
                flags.insert(.phoneVerified)
                if details.phone.asked == number { details.phone.asked = nil }
            } else {
                flags.remove(.phoneVerified)
            }
        }
        if let name = fact.displayName { details.displayName = name.text }
    }

    /// Told once more, an address is alive again. Only another one is asked for anew.
    func give(email: String, _ at: Instant) {
        flags.insert(.hasEmail)
        flags.remove(.emailBounced)
        if details.email != email { details.emailWantedSince = at }
        details.email = email
        details.emailSince = at
    }

    /// A number as it is remembered. Of one that was erased nothing is known but which it was of those that were known.
    func number(_ phone: PhoneNumber, _ known: KnownPhone?, _ sequence: UInt64) -> String {
        guard phone.text == Erased.text else { return phone.text }
        let remembered =
            switch known {
            case .theirs, .theirsAndAsked: details.phone.number
            case .asked: details.phone.asked
            case nil: String?.none
            }
        return remembered ?? Erased.person(UInt32(truncatingIfNeeded: sequence))
    }

    /// Which of the person's numbers one is.
    func known(_ phone: PhoneNumber) -> KnownPhone? {
        guard hasDetails else { return nil }
        switch (details.phone.number == phone.text, details.phone.asked == phone.text) {
        case (true, true): return .theirsAndAsked
        case (true, false): return .theirs
        case (false, true): return .asked
        case (false, false): return nil
        }
    }

    /// Another number is unverified until it is verified itself. A code that was sent to a number that is given up is void.
    private func give(phone: String?, _ at: Instant) {
        if phone != nil { revivePhone(at) } else { flags.remove(.phoneDead) }
        guard details.phone.number != phone else { return }
        details.phone.number = phone
        flags.remove(.phoneVerified)
        if details.phone.asked != phone { details.phone.asked = nil }
    }

    /// Told or verified once more, a number is alive again.
    func revivePhone(_ at: Instant) {
        flags.remove(.phoneDead)
        details.phone.since = at
    }

    // MARK: What is heard

    /// A permanent failure of an email is a bounce, and one of a text a dead number, unless it was only too late to be sent
    /// (SPEC §11).
    func fail(_ fact: JobFailed, on occasion: Occasion) {
        guard fact.isPermanent, fact.reason.text != JobFailed.tooLate else { return }
        switch fact.channel {
        case .email: bounce(fact.job, on: occasion)
        case .sms: losePhone(fact.job, on: occasion)
        // A dead device is a fact of its own.
        case .push, .inApp: return
        }
    }

    /// Reports come late, twice and out of order: only one that says that an address is dead, or unwelcome, changes
    /// anything, and only that address.
    func report(_ fact: DeliveryReported, on occasion: Occasion) {
        if fact.channel == .email, fact.status == .complained {
            return complain(of: fact.job, on: occasion)
        }
        guard fact.isPermanent == true else { return }
        switch (fact.channel, fact.status) {
        case (.email, .bounced): bounce(fact.job, on: occasion)
        case (.sms, .bounced), (.sms, .failed): losePhone(fact.job, on: occasion)
        case (.push, .bounced), (.push, .failed):
            guard let id = fact.device?.text, let device = devices[id],
                device.registeredAt <= emission(of: fact.job, on: occasion)
            else { return }
            devices.remove(id)
            if devices.isEmpty { flags.remove(.hasDevice) }
        case (.email, .delivered), (.email, .failed), (.email, .expired), (.email, .complained), (.sms, .delivered),
            (.sms, .expired), (.sms, .complained), (.push, .delivered), (.push, .expired), (.push, .complained),
            (.inApp, _):
            break
        }
    }

    private func bounce(_ job: NoticeName, on occasion: Occasion) {
        guard flags.contains(.hasEmail), details.emailSince <= emission(of: job, on: occasion) else { return }
        flags.insert(.emailBounced)
    }

    private func losePhone(_ job: NoticeName, on occasion: Occasion) {
        guard flags.contains(.phoneVerified), details.phone.since <= emission(of: job, on: occasion) else { return }
        flags.insert(.phoneDead)
    }

    /// When a job went out. One that is remembered no more went out longer ago than they are remembered.
    func emission(of job: NoticeName, on occasion: Occasion) -> Instant {
        self.job(named: job.text, on: occasion)?.at ?? occasion.at.advanced(byMilliseconds: -Self.jobsRemembered)
    }
}

extension JobFailed {
    /// The reason of a job whose `not_after` had passed. It says nothing of the address.
    public static let tooLate = "too_late"
}
