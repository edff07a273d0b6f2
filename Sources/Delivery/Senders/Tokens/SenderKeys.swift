internal import Hashing

/// Makes keys and secrets that the senders' document names by file. An existing file is never overwritten: a browser's
/// subscription lives as long as its key, and a link in a mail as long as its secret.
public enum SenderKeys {
    /// A key for web push (VAPID, RFC 8292), in a new file. Gives the public key, with which browsers subscribe.
    public static func makeVAPID(_ path: String) throws(SenderKeyError) -> String {
        let key = SigningKey.newP256()
        try write(Array(key.pem.utf8), to: path)
        return publicText(key)
    }

    /// The public key of one that was made before.
    public static func publicKey(ofVAPID path: String) throws(SenderKeyError) -> String {
        var files = NamedSecrets()
        do throws(SendersError) { return publicText(try files.key(path, for: "the file", .es256)) } catch {
            throw .useless(error.problem)
        }
    }

    /// A secret that links and bounce addresses are signed with, in a new file.
    public static func makeSecret(_ path: String) throws(SenderKeyError) {
        try write(Array((Base64.encodeURL(randomBytes(secretBytes)) + "\n").utf8), to: path)
    }

    private static let secretBytes = 32

    /// As `pushManager.subscribe` takes it for `applicationServerKey`.
    static func publicText(_ key: SigningKey) -> String { Base64.encodeURL(key.publicPoint) }

    private static func write(_ bytes: [UInt8], to path: String) throws(SenderKeyError) {
        let isNew: Bool
        do throws(SystemFailure) { isNew = try SystemFiles.createSecret(path, bytes) } catch { throw .failed(error) }
        guard isNew else { throw .isThere(path) }
    }
}

/// Why a key was not made, or cannot be read.
public enum SenderKeyError: Error, Sendable, Equatable {
    case isThere(String)
    case failed(SystemFailure)
    case useless(String)
}

extension SenderKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .isThere(let path): "\(path) is there already and is not written over; name another file"
        case .failed(let failure): "cannot \(failure)"
        case .useless(let problem): "it \(problem)"
        }
    }
}
