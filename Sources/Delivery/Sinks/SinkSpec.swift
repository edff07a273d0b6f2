/// A sink as the command line names it: `stdout`, `spool:DIR` or `webhook:URL`.
public enum SinkSpec: Sendable, Equatable {
    case stdout
    case spool(directory: String)
    case webhook(HTTPAddress)

    public static let usage = "stdout, spool:DIR or webhook:URL, several with commas between them"

    public static func parse(_ word: String) throws(SinkSpecError) -> SinkSpec {
        if word.isEmpty { throw .nothing }
        let kind = word.prefix { $0 != ":" }
        let rest = word.utf8.count > kind.utf8.count ? String(word.dropFirst(kind.count + 1)) : nil
        switch kind {
        case "stdout":
            guard rest == nil else { throw .unexpected(word) }
            return .stdout
        case "spool":
            guard let rest, !rest.isEmpty else { throw .noDirectory(word) }
            return .spool(directory: rest)
        case "webhook":
            guard let rest, !rest.isEmpty else { throw .noURL(word) }
            guard let address = HTTPAddress(rest) else { throw .notAURL(rest) }
            return .webhook(address)
        default:
            throw .unknown(word)
        }
    }

    /// A list with commas between its words. A sink that is named twice would be given every job twice: refused.
    public static func parseList(_ words: String) throws(SinkSpecError) -> [SinkSpec] {
        var specs: [SinkSpec] = []
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            let spec = try parse(word.trimmed)
            if specs.contains(spec) { throw .twice(word.trimmed) }
            specs.append(spec)
        }
        return specs
    }
}

/// Why a word names no sink. Carries the word, and says what to write instead.
public enum SinkSpecError: Error, Sendable, Equatable {
    case nothing
    case unknown(String)
    case unexpected(String)
    case noDirectory(String)
    case noURL(String)
    case notAURL(String)
    case twice(String)
}

extension SinkSpecError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothing:
            "no sink is named; write \(SinkSpec.usage)"
        case .unknown(let word):
            "\"\(word)\" is not a sink; write \(SinkSpec.usage) (a comma within a URL is written %2C)"
        case .unexpected(let word):
            "\"\(word)\" says too much; write stdout alone"
        case .noDirectory(let word):
            "\"\(word)\" names no directory; write for example spool:/var/spool/belfry"
        case .noURL(let word):
            "\"\(word)\" names no URL; write for example webhook:https://example.com/hooks"
        case .notAURL(let url):
            "\"\(url)\" is not a URL of http or https; write for example webhook:https://example.com/hooks"
        case .twice(let word):
            "\"\(word)\" is named twice, and would be given every job twice; name it once"
        }
    }
}
