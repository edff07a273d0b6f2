/// A file that holds what others must not know: a key, a password, what webhooks are signed with, a URL with a token in it.
///
/// The one place that says whose file is believed, for the command line and for the senders' document alike.
public struct SecretFile: Sendable {
    public let bytes: [UInt8]
    /// What is to be said of a file that more people may read, or change, than need to.
    public let warning: String?

    public init(_ path: String, bytesMax: Int) throws(SecretFileError) {
        let access: SystemFiles.Access
        do throws(SystemFailure) { (bytes, access) = try SystemFiles.readSecret(path, bytesMax: bytesMax) } catch {
            throw .unreadable(error)
        }
        guard !access.contains(.anybodyWrites) else { throw .anybodyWrites(path) }
        let howTo = "; `chmod 600 \(path)` keeps it to its owner"
        if access.contains(.isForeign) {
            warning =
                "another user of this machine owns \(path) and may change what is secret in it; give it its own user"
        } else if access.contains(.groupWrites) {
            warning = "the group of \(path) may change what is secret in it\(howTo)"
        } else if access.contains(.anybodyReads) {
            warning = "every user of this machine may read what is secret in \(path)\(howTo)"
        } else {
            // A group that may read is how a service is given a secret.
            warning = nil
        }
    }
}

/// Why a file of secrets is not believed.
public enum SecretFileError: Error, Sendable, Equatable {
    case unreadable(SystemFailure)
    case anybodyWrites(String)
}

extension SecretFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let failure): "cannot \(failure)"
        case .anybodyWrites(let path):
            "every user of this machine may change \(path), so it is not believed; `chmod 600 \(path)` keeps it to its owner"
        }
    }
}
