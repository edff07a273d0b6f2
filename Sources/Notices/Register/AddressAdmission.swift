/// Addresses are refused where nobody could ever send to them: whoever gives one should hear of it at once.
extension Register {
    func check(_ registered: DeviceRegistered) throws(FieldError) {
        let provider = registered.usedProvider
        let allowed = registered.platform.providers
        guard allowed.contains(provider) else {
            throw FieldError(
                path: "provider",
                "\(provider.name) does not reach \(registered.platform.name) "
                    + "(allowed here: \(allowed.map(\.name).joined(separator: ", ")))")
        }
        if let environment = registered.environment, provider != .apns {
            throw FieldError(path: "environment", "\(environment.name) is apns's; \(provider.name) has none")
        }
        if registered.address == .fid, provider != .fcm {
            throw FieldError(path: "address", "fid is fcm's; \(provider.name) takes a token")
        }
        if provider == .webpush {
            try checkSubscription(registered)
        } else if registered.browserKey != nil || registered.browserSecret != nil {
            let path = registered.browserKey == nil ? "auth" : "p256dh"
            throw FieldError(path: path, "is webpush's; \(provider.name) has no such key")
        }
    }

    /// Where the app's own server sends, a browser's token may be whatever that server understands.
    private func checkSubscription(_ registered: DeviceRegistered) throws(FieldError) {
        // In what is asked of a recorded life again, of which nobody can read it any more.
        if Erased.holds(registered.token.text) { return }
        let isOurs = registered.provider == .webpush || plan.policy.addresses == .here
        guard isOurs || registered.browserKey != nil || registered.browserSecret != nil else { return }
        let endpoint = registered.token.text
        let host = endpoint.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard endpoint.lowercased().hasPrefix("https://"), !host.isEmpty else {
            throw FieldError(path: "token", "is no https: URL; for webpush it is the subscription's endpoint")
        }
        // A point of P-256 begins with the byte 4.
        guard let key = registered.browserKey, key.text.isBase64URL(ofBytes: 65), key.text.hasPrefix("B") else {
            throw FieldError(
                path: "p256dh", "is the subscription's public key, 65 bytes in base64url; webpush needs it")
        }
        guard let secret = registered.browserSecret, secret.text.isBase64URL(ofBytes: 16) else {
            throw FieldError(path: "auth", "is the subscription's secret, 16 bytes in base64url; webpush needs it")
        }
    }

    /// In what is asked of a recorded life again, nobody can read an address that was erased.
    func check(email: EmailAddress?) throws(FieldError) {
        guard let email, !Erased.holds(email.text), let problem = MailAddress.problem(with: email.text) else { return }
        throw FieldError(path: "email", problem)
    }

    func check(_ change: ContactChanged, _ person: Person?) throws(FieldError) {
        if case .given(let email) = change.email { try check(email: email) }
        guard change.isPhoneVerified == true else { return }
        switch change.phone {
        case .given: return
        case .erased: throw FieldError(path: "phone_verified", "there is no phone any more that could be verified")
        case .leftOut:
            guard person?.details.phone.number == nil else { return }
            throw FieldError(path: "phone_verified", "no phone of this person is known; give it with phone")
        }
    }
}

extension DeviceRegistered {
    /// By platform, unless given (SPEC §2).
    public var usedProvider: PushProvider { provider ?? platform.providers[0] }

    /// What whoever registered it should know. It is no refusal: the app's own server may send to tokens of another kind.
    public var warnings: [Warning] {
        // An erased one says nothing any more.
        guard usedProvider == .apns, !Erased.holds(token.text), !token.text.isHexadecimal else { return [] }
        return [
            Warning(
                .strangeToken,
                "the token of device \(device.text) is not hexadecimal, as Apple's are: apns cannot reach it")
        ]
    }
}

extension Platform {
    /// Who can reach it, the usual one first.
    fileprivate var providers: [PushProvider] {
        switch self {
        case .ios: [.apns, .fcm]
        case .android: [.fcm]
        case .web: [.webpush, .fcm]
        }
    }
}

extension String {
    /// Whether it is written as Apple's tokens are, however long it is.
    public var isHexadecimal: Bool { unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit) }

    /// So many bytes in base64url, padded or not.
    fileprivate func isBase64URL(ofBytes count: Int) -> Bool {
        let digits = utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        return digits.count == (count * 4 + 2) / 3
            && digits.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}
