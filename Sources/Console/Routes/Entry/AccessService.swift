/// Who is let in, for the routes by which that changes.
public struct AccessService: Sendable {
    public let keeper: Doorkeeper
    /// Has something done on a thread that may wait for a disk.
    public var wait: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Has all other workers revoke the same tokens of a person. `nil` where this one is alone.
    public var revokeElsewhere: RevokeElsewhere?
    /// Says which of them could not, and whether those that it asked are all who live.
    public typealias RevokeElsewhere =
        @Sendable (
            _ user: String, _ id: String?, @escaping @Sendable (_ unreached: [String], _ areAllSeen: Bool) -> Void
        ) -> Void

    public init(_ keeper: Doorkeeper, wait: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.keeper = keeper
        self.wait = wait
    }
}
