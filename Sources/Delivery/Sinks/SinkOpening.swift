public import CivilTime

extension SinkSpec {
    /// Opens what the command line named.
    ///
    /// - Parameter secrets: what webhooks are signed with; other sinks need none.
    public func open(
        secrets: WebhookSecrets?, clock: @escaping @Sendable () -> Instant
    ) throws(SinkOpenError) -> any Sink {
        switch self {
        case .stdout:
            return StdoutSink()
        case .spool(let directory):
            do throws(SystemFailure) { return try SpoolSink(directory: directory) } catch {
                throw .spool(directory, error)
            }
        case .webhook(let address):
            guard let secrets else { throw .noSecret(address) }
            return WebhookSink(address, secrets: secrets, clock: clock)
        case .webhookIn:
            preconditionFailure("NamedSinks has read the URL")
        }
    }
}

/// Why a sink that was named cannot be opened.
public enum SinkOpenError: Error, Sendable, Equatable {
    case spool(String, SystemFailure)
    case noSecret(HTTPAddress)
    /// A directory that was not named when the worker started.
    case late(String)
}

extension SinkOpenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .spool(let directory, let failure):
            "cannot spool into \(directory): cannot \(failure)"
        case .noSecret(let address):
            "what goes to \(address.origin) is signed, and no file with its secret is named"
        case .late(let directory):
            "\(directory) was not named when the worker started; a spool is cleared of people who were erased at a start alone, so restart the worker"
        }
    }
}
