internal import Hashing

/// The code that proves a phone number (`N9`): derived, so that it is in no log and survives a restart.
public struct VerificationCode: Sendable {
    private let secret: [UInt8]
    private let older: [[UInt8]]

    /// - Parameter older: secrets before: codes that they made are still right.
    public init(secret: [UInt8], older: [[UInt8]] = []) { (self.secret, self.older) = (secret, older) }

    /// Six digits.
    public func text(user: String, phone: String, request: UInt64) -> String {
        Self.text(user, phone, request, secret)
    }

    private static func text(_ user: String, _ phone: String, _ request: UInt64, _ secret: [UInt8]) -> String {
        let named = Array("phone\0\(user)\0\(phone)\0\(request)".utf8)
        let number = Authentication.hmacSHA256(named, key: secret)[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Compared with the code of every secret, whichever fits, so that the time tells nothing.
    public func isRight(_ given: String, user: String, phone: String, request: UInt64) -> Bool {
        let fitting = ([secret] + older).filter { secret in
            Authentication.areEqual(Array(given.utf8), Array(Self.text(user, phone, request, secret).utf8))
        }
        return !fitting.isEmpty
    }

    /// What the person reads.
    public static func message(_ code: String) -> String {
        "\(code) is your verification code. It is good for 10 minutes. Give it to nobody."
    }
}
