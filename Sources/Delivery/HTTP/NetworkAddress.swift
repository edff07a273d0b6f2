internal import CCurl

/// An address of the internet protocols, and whether it is one of the public internet.
struct NetworkAddress: Equatable {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16, "an address of \(bytes.count) bytes")
        self.bytes = bytes
    }

    /// `127.0.0.1`, `::1` or `[::1]`; `nil` for a name.
    init?(text: String) {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        var out = [UInt8](repeating: 0, count: 16)
        let count = Int(belfry_parse_address(bare, &out))
        guard count > 0 else { return nil }
        bytes = Array(out[..<count])
    }

    /// Whether anybody on the internet may have it: not this machine, a private or local network, a range that is reserved,
    /// or an address of the newer protocol that hides one of those.
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.reserved4.contains { isWithin($0.0, $0.1) } }
        if let inner = embedded { return inner.isPublic }
        // All that was ever given out lies in 2000::/3.
        return isWithin([0x20], 3) && !Self.reserved6.contains { isWithin($0.0, $0.1) }
    }

    /// The older address that a newer one stands for: mapped, translated (NAT64) or tunnelled (6to4).
    private var embedded: NetworkAddress? {
        if isWithin([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96) || isWithin([0, 0x64, 0xFF, 0x9B], 96) {
            return NetworkAddress(bytes: Array(bytes[12...]))
        }
        return isWithin([0x20, 0x02], 16) ? NetworkAddress(bytes: Array(bytes[2..<6])) : nil
    }

    /// Whether the first bits are those of a prefix; bytes it does not name are 0.
    private func isWithin(_ prefix: [UInt8], _ bits: Int) -> Bool {
        for (place, byte) in bytes.enumerated() {
            let left = bits - place * 8
            guard left > 0 else { return true }
            let mask = left >= 8 ? 0xFF : UInt8(truncatingIfNeeded: 0xFF << (8 - left))
            guard byte & mask == (place < prefix.count ? prefix[place] : 0) & mask else { return false }
        }
        return true
    }

    /// The special-purpose registry (RFC 6890), multicast and the reserved rest.
    private static let reserved4: [([UInt8], Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]
    private static let reserved6: [([UInt8], Int)] = [
        ([0x20, 0x01], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF], 20),
    ]
}
