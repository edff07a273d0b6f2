/// The header lines of an answer, in the order they came. They are kept as bytes and read when one is asked for: of most
/// answers at most one is.
public struct AnswerHeaders: Sendable {
    private var bytes: [UInt8] = []
    /// Where each line ends.
    private var ends: [Int] = []

    public init() {}

    /// The first value under a name, whatever the case of its letters.
    public subscript(name: String) -> String? {
        var start = 0
        for end in ends {
            if let value = Self.value(of: bytes[start..<end], under: name) { return value }
            start = end
        }
        return nil
    }

    /// Takes a line as it came; one without a colon is none.
    mutating func add(line: UnsafeRawBufferPointer) {
        guard line.contains(Self.colon) else { return }
        bytes.append(contentsOf: line)
        ends.append(bytes.count)
    }

    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: name)
        bytes.append(Self.colon)
        bytes.append(contentsOf: value)
        ends.append(bytes.count)
    }

    mutating func add(name: String, value: String) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(Self.colon)
        bytes.append(contentsOf: value.utf8)
        ends.append(bytes.count)
    }

    private static let colon = UInt8(ascii: ":")

    private static func value(of line: ArraySlice<UInt8>, under name: String) -> String? {
        guard let end = line.firstIndex(of: colon),
            line[..<end].elementsEqual(name.utf8, by: { lowercased($0) == lowercased($1) })
        else { return nil }
        return String(decoding: line[(end + 1)...], as: UTF8.self).trimmed
    }

    private static func lowercased(_ letter: UInt8) -> UInt8 { (0x41...0x5A).contains(letter) ? letter | 0x20 : letter }
}
