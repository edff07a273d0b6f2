/// Where a client comes from, as far as that counts for how many connections it may have: an IPv4 address, or the network
/// of 64 bits of an IPv6 address, which is what one subscriber has.
struct Origin: Sendable, Hashable {
    private let bytes: [UInt8]

    /// - Parameter address: an IPv4 or IPv6 address in the order of the network. `nil` for this machine itself: whoever is
    ///   here, a proxy above all, speaks for many.
    init?(address: [UInt8]) {
        let isMapped = address.count == 16 && address.starts(with: Self.mapped)
        let address = isMapped ? Array(address[12...]) : address
        let isLoopback = address.count == 4 ? address[0] == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
        guard !isLoopback, address.count == 4 || address.count == 16 else { return nil }
        bytes = Array(address.prefix(8))
    }

    /// What stands in front of an IPv4 address where a socket for IPv6 tells of it.
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}
