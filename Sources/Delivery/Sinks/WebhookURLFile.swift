/// A file with a webhook's URL in it. A path or a query often holds a token, and what stands in the arguments of a process can
/// be read by every user of the machine.
struct WebhookURLFile {
    let address: HTTPAddress
    let warning: String?

    private static let bytesMax = 64 << 10

    /// One URL; blanks and line ends around it are no part of it.
    init(_ path: String) throws(WebhookURLFileError) {
        let file: SecretFile
        do throws(SecretFileError) { file = try SecretFile(path, bytesMax: Self.bytesMax) } catch { throw .file(error) }
        let text = String(decoding: file.bytes, as: UTF8.self).trimmed
        guard !text.isEmpty else { throw .empty(path) }
        guard !text.contains(where: \.isNewline) else { throw .severalLines(path) }
        guard let address = HTTPAddress(text) else { throw .notAURL(path) }
        self.address = address
        warning = file.warning
    }
}

/// Why there is no URL to be had from a file. Never carries any of it.
public enum WebhookURLFileError: Error, Sendable, Equatable {
    case file(SecretFileError)
    case empty(String)
    case severalLines(String)
    case notAURL(String)
}

extension WebhookURLFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let error): "\(error)"
        case .empty(let path): "\(path) holds no URL; write one, such as https://example.com/hooks"
        case .severalLines(let path): "\(path) holds several lines; write one URL, and nothing else"
        case .notAURL(let path):
            "what \(path) holds is not a URL of http or https; write one, such as https://example.com/hooks"
        }
    }
}
