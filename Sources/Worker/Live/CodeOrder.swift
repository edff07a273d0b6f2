/// A code that is to be sent to a phone (`N9`). Which one it is, is known to whoever has the secret.
public struct CodeOrder: Sendable, Equatable {
    public var user: String
    public var phone: String
    /// The number of the event that asked for it.
    public var request: UInt64

    public init(user: String, phone: String, request: UInt64) {
        self.user = user
        self.phone = phone
        self.request = request
    }
}
