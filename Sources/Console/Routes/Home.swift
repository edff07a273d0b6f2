/// What a request is about, where several workers share the partitions: the owner of it answers (`M3`).
public struct Home: Sendable, Equatable {
    public enum Place: Sendable, Equatable {
        case person(String)
        /// −1 for what is about everyone.
        case partition(Int)
        /// Something of which every partition has a copy.
        case anywhere
    }

    public var place: Place
    /// Whether the answer has no end, or none that is near: it is read where it is, and not passed on.
    public var isStream: Bool

    /// What is about everyone, and what only one of all workers does.
    static let everyone = Home(.partition(-1))

    public init(_ place: Place, isStream: Bool = false) { (self.place, self.isStream) = (place, isStream) }
}
