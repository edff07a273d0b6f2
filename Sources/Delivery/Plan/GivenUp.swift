/// A job that one sink has failed with for good.
package struct GivenUp: Sendable, Equatable {
    /// Which sink, in the order they were given.
    package let sink: Int
    package let job: String
    package let reason: String
    /// How often it was tried; 0 for one whose time had passed before.
    package let tries: Int
}
