/// A sink as the command line names it: `stdout`, `spool:DIR`, `webhook:URL` or `webhook:@FILE`.
public enum SinkSpec: Sendable, Hashable {
    case stdout
    case spool(directory: String)
    case webhook(HTTPAddress)
    /// Its URL stands in this file.
    case webhookIn(file: String)

    public static let usage = "stdout, spool:DIR, webhook:URL or webhook:@FILE, several with commas between them"

    public static func parse(_ word: String) throws(SinkSpecError) -> SinkSpec {
        if word.isEmpty { throw .nothing }
        let kind = word.prefix { $0 != ":" }
        let rest = word.utf8.count > kind.utf8.count ? String(word.dropFirst(kind.count + 1)) : nil
        switch kind {
        case "stdout":
            guard rest == nil else { throw .unexpected }
            return .stdout
        case "spool":
            guard let rest, !rest.isEmpty else { throw .noDirectory }
            return .spool(directory: rest)
        case "webhook":
            guard let rest, !rest.isEmpty, rest != "@" else { throw .noURL }
            if rest.hasPrefix("@") { return .webhookIn(file: String(rest.dropFirst())) }
            guard let address = HTTPAddress(rest) else { throw .notAURL }
            return .webhook(address)
        default:
            throw word.contains("://") ? .bareURL : .unknown(word)
        }
    }

    /// A list with commas between its words.
    public static func parseList(_ words: String) throws(SinkSpecError) -> [SinkSpec] {
        var specs: [SinkSpec] = []
        for word in words.split(separator: ",", omittingEmptySubsequences: false) {
            do throws(SinkSpecError) { specs.append(try parse(word.trimmed)) } catch {
                // What stands behind a comma may be the rest of a URL, which is nobody's to see.
                if case .unknown = error, case .webhook? = specs.last { throw .cutURL }
                throw error
            }
        }
        return specs
    }

    /// As it may be shown to anybody: of a URL scheme, host and port.
    public var shown: String {
        switch self {
        case .stdout: "stdout"
        case .spool(let directory): "spool:\(directory)"
        case .webhook(let address): "webhook:\(address.origin)"
        case .webhookIn(let file): "webhook:@\(file)"
        }
    }
}

/// The sinks of a command line, with the URLs that stand in files.
public struct NamedSinks: Sendable {
    public let specs: [SinkSpec]
    /// What is to be said about how they were named.
    public let warnings: [String]

    /// A sink that is named twice would be given every job twice: refused.
    public init(_ words: String) throws(SinkSpecError) {
        var specs: [SinkSpec] = []
        var warnings: [String] = []
        for named in try SinkSpec.parseList(words) {
            var spec = named
            switch named {
            case .stdout, .spool: break
            case .webhook(let address):
                if address.holdsCredentials { warnings.append(Self.inTheOpen(address)) }
            case .webhookIn(let path):
                let file: WebhookURLFile
                do throws(WebhookURLFileError) { file = try WebhookURLFile(path) } catch { throw .file(error) }
                spec = .webhook(file.address)
                warnings += file.warning.map { [$0] } ?? []
            }
            if specs.contains(spec) { throw .twice(spec.shown) }
            specs.append(spec)
        }
        self.specs = specs
        self.warnings = warnings
    }

    private static func inTheOpen(_ address: HTTPAddress) -> String {
        "the webhook's URL at \(address.origin) has a password or a query, and every user of this machine can read it "
            + "among the arguments of this process; write it into a file and name that, as webhook:@FILE"
    }
}

/// Why a word names no sink, and what to write instead. Carries nothing of a URL but its origin.
public enum SinkSpecError: Error, Sendable, Equatable {
    case nothing
    case unknown(String)
    case unexpected
    case noDirectory
    case noURL
    case notAURL
    case bareURL
    /// A comma within a URL ends the word.
    case cutURL
    case twice(String)
    case file(WebhookURLFileError)
}

extension SinkSpecError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothing: "no sink is named; write \(SinkSpec.usage)"
        case .unknown(let word): "\"\(word)\" is not a sink; write \(SinkSpec.usage)"
        case .unexpected: "stdout takes nothing behind it; write stdout alone"
        case .noDirectory: "spool names no directory; write for example spool:/var/spool/belfry"
        case .noURL: "webhook names no URL; write for example webhook:https://example.com/hooks or webhook:@FILE"
        case .notAURL:
            "what follows webhook: is not a URL of http or https; write for example webhook:https://example.com/hooks"
        case .bareURL:
            "a URL by itself is not a sink; write webhook:URL, or webhook:@FILE for one that stands in a file"
        case .cutURL:
            "what follows the webhook's URL is not a sink; a comma within a URL is written %2C, and may stand as it is in a file (webhook:@FILE)"
        case .twice(let sink): "\"\(sink)\" is named twice, and would be given every job twice; name it once"
        case .file(let error): "webhook:@FILE: \(error)"
        }
    }
}
