import CivilTime
import Console
import Delivery
import Foundation
import Notices

/// What `belfry run` was asked for, checked before anything is opened.
struct RunOptions {
    static let partitions = CommandSpec.Option(
        name: "--partitions", value: "N",
        help:
            "deal people out over 2 to 64 logs, each with a worker of its own; 1 is one log; for ever"
    )
    static let advertise = CommandSpec.Option(
        name: "--advertise", value: "URL",
        help: "with --postgres: where other workers reach this one (default: the address of --listen)")
    static let lease = CommandSpec.Option(
        name: "--lease", value: "SECONDS",
        help: "with --postgres: after so long without a sign a worker is replaced (default 6)")
    static let jobs = CommandSpec.Option(
        name: "--jobs", value: "SINKS",
        help: "where jobs go, with commas: stdout (default), spool:DIR, webhook:URL, webhook:@FILE")
    static let listen = CommandSpec.Option(
        name: "--listen", value: "ADDRESS", help: "also serve the API on this TCP address, such as 8080 or [::1]:8080")
    static let token = CommandSpec.Option(
        name: "--token-file", value: "FILE", help: "holds the bearer token that clients of --listen must send",
        completion: .file
    )
    static let tokens = CommandSpec.Option(
        name: "--tokens", value: "FILE",
        help: "holds the tokens of operators, hashed (`belfry token make`); read again when it changes",
        completion: .file)
    static let host = CommandSpec.Option(
        name: "--host", value: "NAME",
        help: "a host name that clients may use, besides localhost and addresses; may be repeated",
        isRepeated: true)
    static let origin = CommandSpec.Option(
        name: "--origin", value: "ORIGIN",
        help:
            "its pages may use a person's token and frame the settings page; may be repeated",
        isRepeated: true)
    static let connections = CommandSpec.Option(
        name: "--connections-per-address", value: "N",
        help: "connections that --listen takes from one address elsewhere (default 64, at most 256)")
    static let secret = CommandSpec.Option(
        name: "--webhook-secret-file", value: "FILE", help: "holds the secrets that sign webhooks, one a line",
        completion: .file)
    static let senders = CommandSpec.Option(
        name: "--senders", value: "FILE", help: "names who sends push, email and texts, and with what keys",
        completion: .file)
    static let publicListen = CommandSpec.Option(
        name: "--public-listen", value: "ADDRESS",
        help: "take providers' reports and links that stop mails on this TCP address, and nothing else")
    static let level = CommandSpec.Option(
        name: "--log-level", value: "L", help: "debug, info, warning or error (default info)",
        completion: .words(RunLog.Level.allCases.map(\.name)))

    let directory: String
    /// How many logs the directory is to have; `nil` for as many as it has.
    let partitions: Int?
    /// Where the log lies, unless it lies on this machine's disk.
    let cluster: ClusterOptions?
    let policyName: String?
    let sinks: [SinkSpec]
    /// Whether they were named, and are not what is usual.
    let namesSinks: Bool
    /// What is to be said about how it was started.
    let warnings: [String]
    let secrets: WebhookSecrets?
    let listen: (address: ListenAddress, bearer: Bearer)?
    /// Where the tokens of operators are.
    let tokens: String?
    let hosts: HostNames
    let origins: OriginNames
    let limits: HTTPLimits
    /// Where the senders' document is.
    let senders: String?
    let publicListen: ListenAddress?
    let level: RunLog.Level

    init(_ arguments: Arguments, _ spec: CommandSpec) throws(Failure) {
        directory = World.dataDirectory(arguments)
        partitions = try arguments[Self.partitions].map { (word) throws(Failure) in
            guard let count = Int(word), (1...DataDirectory.partitionsMax).contains(count) else {
                throw Failure.usage("--partitions takes a number from 1 to \(DataDirectory.partitionsMax)", spec)
            }
            return count
        }
        cluster = try ClusterOptions(arguments, spec)
        policyName = arguments[CommandSpec.policy]
        let named = try Self.sinks(arguments[Self.jobs] ?? "stdout", spec)
        sinks = named.specs
        namesSinks = arguments[Self.jobs] != nil
        secrets = try Self.secrets(arguments[Self.secret], for: sinks, spec)
        let token = try Self.listen(arguments[Self.listen], arguments[Self.token], spec)
        listen = token.map { ($0.address, $0.file.bearer) }
        warnings = named.warnings + [secrets?.warning, token?.file.warning].compactMap { $0 }
        tokens = try Self.forListening(arguments, Self.tokens, spec).first
        hosts = HostNames(
            try Self.forListening(arguments, Self.host, spec, "a host's name without a port", HostNames.accepts))
        origins = OriginNames(
            try Self.forListening(
                arguments, Self.origin, spec, "an origin such as https://app.example", OriginNames.accepts))
        limits = try Self.limits(arguments[Self.connections], arguments[Self.listen], spec)
        senders = arguments[Self.senders]
        publicListen = try Self.publicListen(arguments[Self.publicListen], senders, spec)
        guard let level = RunLog.Level(arguments[Self.level] ?? "info") else {
            throw .usage(
                "--log-level takes debug, info, warning or error, not \"\(arguments[Self.level] ?? "")\"", spec)
        }
        self.level = level
        if policyName == "-" { throw .usage("--policy is read again on SIGHUP, so it cannot be standard input", spec) }
    }

    /// As they may be shown: of a URL scheme, host and port.
    var shownSinks: String { sinks.map(\.shown).joined(separator: ",") }

    private static func sinks(_ words: String, _ spec: CommandSpec) throws(Failure) -> NamedSinks {
        do throws(SinkSpecError) { return try NamedSinks(words) } catch {
            if case .file = error { throw Failure(.badInput, "--jobs: \(error)") }
            throw .usage("--jobs: \(error)", spec)
        }
    }

    private static func secrets(
        _ path: String?, for sinks: [SinkSpec], _ spec: CommandSpec
    ) throws(Failure) -> WebhookSecrets? {
        guard let path else { return nil }
        let isNeeded = sinks.contains { if case .webhook = $0 { true } else { false } }
        // Who names a secret believes that something is signed with it.
        guard isNeeded else {
            throw .usage(
                "--webhook-secret-file is for a webhook, and --jobs names none; name one or leave it out", spec)
        }
        do throws(WebhookSecretError) { return try WebhookSecrets.read(path) } catch {
            throw Failure(.badInput, "--webhook-secret-file: \(error)")
        }
    }

    private static func limits(
        _ word: String?, _ address: String?, _ spec: CommandSpec
    ) throws(Failure) -> HTTPLimits {
        var limits = HTTPLimits()
        guard let word else { return limits }
        guard address != nil else {
            throw .usage("--connections-per-address is for --listen, which is not given", spec)
        }
        guard let number = Int(word), (1...limits.connectionsMax).contains(number) else {
            throw .usage("--connections-per-address takes a number from 1 to \(limits.connectionsMax)", spec)
        }
        limits.connectionsPerAddress = number
        return limits
    }

    /// The values of an option that says something of --listen.
    private static func forListening(
        _ arguments: Arguments, _ option: CommandSpec.Option, _ spec: CommandSpec, _ allowed: String = "",
        _ accepts: (String) -> Bool = { _ in true }
    ) throws(Failure) -> [String] {
        let values = arguments.all(option)
        guard values.isEmpty || arguments[Self.listen] != nil else {
            throw .usage("\(option.name) is for --listen, which is not given", spec)
        }
        for value in values where !accepts(value) {
            throw .usage("\(option.name) takes \(allowed), not \"\(value)\"", spec)
        }
        return values
    }

    private static func publicListen(
        _ word: String?, _ senders: String?, _ spec: CommandSpec
    ) throws(Failure) -> ListenAddress? {
        guard let word else { return nil }
        guard senders != nil else {
            throw .usage("--public-listen is for reports to the senders, and --senders is not given", spec)
        }
        do throws(ListenAddress.Problem) { return try ListenAddress(word) } catch {
            throw .usage("--public-listen: \(error)", spec)
        }
    }

    private static func listen(
        _ word: String?, _ tokenPath: String?, _ spec: CommandSpec
    ) throws(Failure) -> (address: ListenAddress, file: TokenFile)? {
        guard let word else {
            if tokenPath == nil { return nil }
            throw .usage("--token-file is for --listen, which is not given; give it or leave the file out", spec)
        }
        guard let tokenPath else {
            throw .usage(
                "--listen needs --token-file: whoever reaches the port must show a token. "
                    + "`(umask 077; openssl rand -hex 32 > token)` makes one", spec)
        }
        let address: ListenAddress
        do throws(ListenAddress.Problem) { address = try ListenAddress(word) } catch {
            throw .usage("--listen: \(error)", spec)
        }
        do throws(TokenFile.Problem) { return (address, try TokenFile(tokenPath)) } catch {
            throw Failure(.badInput, "--token-file: \(error.words)")
        }
    }
}
