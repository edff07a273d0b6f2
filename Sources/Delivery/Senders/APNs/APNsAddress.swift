internal import Notices

/// A device as Apple's servers know it.
public struct APNsAddress: Sendable, Equatable {
    public enum Environment: String, Sendable { case production, sandbox }

    /// Hexadecimal digits, as the app wrote them.
    public let token: String
    public let environment: Environment
    /// The app's bundle id; `nil` for the one of the senders' document.
    public let topic: String?

    /// Apple says that its length may change: anything from 32 to 200 bytes will do.
    private static let digits = 64...400

    /// `nil` for what is no token.
    public init?(token: String, environment: Environment = .production, topic: String? = nil) {
        guard Self.digits.contains(token.utf8.count), token.utf8.count % 2 == 0,
            token.isHexadecimal, topic?.utf8.allSatisfy(Self.isOfTopic) ?? true
        else { return nil }
        self.token = token
        self.environment = environment
        self.topic = topic
    }

    /// Digits are the same in large letters.
    func ringsWhere(_ other: APNsAddress) -> Bool {
        environment == other.environment && topic == other.topic && token.lowercased() == other.token.lowercased()
    }

    private static func isOfTopic(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }
}
