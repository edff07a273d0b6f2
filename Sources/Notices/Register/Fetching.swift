internal import CProcessor

/// Begins to fetch some bytes from memory. It changes nothing, and any address will do.
func fetchSoon(_ start: UnsafeRawPointer?, _ count: Int) {
    for offset in stride(from: 0, to: count, by: 64) { belfry_prefetch(start.map { $0 + offset }) }
}
