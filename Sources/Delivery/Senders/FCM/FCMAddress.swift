/// An app as Firebase knows it.
public struct FCMAddress: Sendable, Equatable {
    /// What the address is: a Firebase installation ID, or the registration token that it replaces.
    public enum Kind: String, Sendable { case token, fid }
    public enum Platform: String, Sendable { case ios, android, web }

    public let kind: Kind
    public let value: String
    public let platform: Platform

    public init(kind: Kind, value: String, platform: Platform) {
        self.kind = kind
        self.value = value
        self.platform = platform
    }
}
