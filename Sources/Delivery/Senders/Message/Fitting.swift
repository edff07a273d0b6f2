/// Texts that must share so many bytes with everything else a message holds.
enum Fitting {
    private static let ellipsis = "…"

    /// The message with as much of the body as fits, and then as much of the title; `nil` where not even one without both
    /// does. `encode` must make a message of more text no shorter.
    static func message(
        title: String, body: String, bytesMax: Int, encode: (_ title: String, _ body: String) -> [UInt8]
    ) -> [UInt8]? {
        let whole = encode(title, body)
        if whole.count <= bytesMax { return whole }
        return longest(body, bytesMax) { encode(title, $0) } ?? longest(title, bytesMax) { encode($0, "") }
    }

    /// The longest beginning of a text that fits, with a mark that something is missing.
    private static func longest(_ text: String, _ bytesMax: Int, _ encode: (String) -> [UInt8]) -> [UInt8]? {
        let characters = Array(text)
        var best: [UInt8]?
        var (low, high) = (0, characters.count - 1)
        while low <= high {
            let middle = (low + high) / 2
            let message = encode(middle == 0 ? "" : String(characters[..<middle]) + ellipsis)
            if message.count <= bytesMax {
                best = message
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        return best
    }
}
