/// The header lines of an answer, in the order they came.
public struct AnswerHeaders: Sendable {
    private var lines: [(name: String, value: String)] = []

    public init() {}

    /// The first value under a name, whatever the case of its letters.
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        return lines.first { $0.name == name }?.value
    }

    /// Takes a line as it came; one without a colon is none.
    mutating func add(line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        lines.append((line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed))
    }
}
