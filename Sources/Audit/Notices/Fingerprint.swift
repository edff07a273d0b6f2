/// Stands for a text among the millions that a log holds: 128 bits, so that two texts never share one in practice.
struct Fingerprint: Hashable {
    private let high: Int
    private let low: Int

    /// Half of it is as hard to foresee as all of it.
    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    init(_ parts: String...) {
        var first = Hasher()
        var second = Hasher()
        second.combine(0x5EED)
        for part in parts {
            first.combine(part)
            second.combine(part)
        }
        high = first.finalize()
        low = second.finalize()
    }
}
