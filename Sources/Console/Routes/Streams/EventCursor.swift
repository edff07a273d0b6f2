/// How far somebody has read the logs of all partitions: the number of the last event of each, with dots between them.
public enum EventCursor {
    /// `nil` for what is none. One number alone is of a log by itself.
    static func numbers(_ text: String) -> [UInt64]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 1024 else { return nil }
        let numbers = parts.compactMap { UInt64($0) }.filter { $0 <= UInt64(ValueShape.wholeNumberMax) }
        return numbers.count == parts.count && parts.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            ? numbers : nil
    }

    public static func text(_ numbers: [UInt64]) -> String { numbers.map(String.init).joined(separator: ".") }
}
