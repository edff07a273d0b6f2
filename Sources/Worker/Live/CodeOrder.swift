/// A code to be sent to a phone (`N9`). Only the holder of the secret can derive it.
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
