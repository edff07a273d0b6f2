/// What a worker had acknowledged and the database has lost, as that worker left it there for the others (`M5`).
public struct MissingHead: Sendable, Equatable {
    public var head: AcknowledgedHead
    /// Where that worker is reached.
    public var url: String

    public init(_ head: AcknowledgedHead, of url: String) { (self.head, self.url) = (head, url) }
}
