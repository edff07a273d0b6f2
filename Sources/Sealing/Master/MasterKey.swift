internal import Hashing
internal import Journal

/// The key under which the root of all others is sealed.
struct MasterKey {
    let key: SecretBytes

    /// A new one.
    static func random() -> MasterKey { MasterKey(key: SecretBytes(random: SIVCipher.keyBytes)) }

    /// Tells this key from others in a log's file, and says nothing of it: 16 bytes of its HMAC over a name and the log's
    /// identity.
    func mark(for identity: LogIdentity) -> [UInt8] {
        var message = Array("belfry master key".utf8)
        message.append(number: identity.words.0)
        message.append(number: identity.words.1)
        return key.withBytes { key in
            message.withUnsafeBytes { Array(Authentication.hmacSHA256($0, key: key)[..<KeyTable.markBytes]) }
        }
    }

    /// As a line of a file.
    var line: [UInt8] { key.withBytes { Array(Hexadecimal.text($0).utf8) } + Array("\n".utf8) }
}

/// A master key and those that were it before, the newest first: what was written under an older one is still opened, and
/// the next time written under the newest.
struct MasterKeys {
    /// So many changes at once nobody is in the middle of.
    private static let keysMax = 16
    static let textBytesMax = 4096
    /// Of 64 random bytes about 57 differ. With so few the key was typed.
    private static let differentBytesMin = 32

    /// At least one.
    let keys: [MasterKey]

    init(_ keys: [MasterKey]) { self.keys = keys }

    var newest: MasterKey { keys[0] }

    /// Reads them as they are given: 128 hexadecimal digits a line.
    ///
    /// - Parameter source: how a sentence names where they are from.
    init(_ text: [UInt8], from source: String) throws(MasterKeyError) {
        var keys: [MasterKey] = []
        for (number, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let digits = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if digits.isEmpty { continue }
            guard keys.count < Self.keysMax else { throw .tooMany(source: source) }
            keys.append(try Self.key(digits, line: number + 1, source))
        }
        guard !keys.isEmpty else { throw .none(source: source) }
        self.keys = keys
    }

    private static func key(
        _ digits: ArraySlice<UInt8>, line: Int, _ source: String
    ) throws(MasterKeyError) -> MasterKey {
        guard let bytes = Hexadecimal.bytes(String(decoding: digits, as: UTF8.self)) else {
            throw .notHexadecimal(source: source, line: line)
        }
        guard bytes.count == SIVCipher.keyBytes else {
            throw .wrongLength(source: source, line: line, digits: digits.count)
        }
        guard Set(bytes).count >= differentBytesMin else { throw .weak(source: source, line: line) }
        return MasterKey(key: bytes.withUnsafeBytes { SecretBytes(copying: $0) })
    }
}

/// Why there is no master key. Never carries any of one.
public enum MasterKeyError: Error, Sendable, Equatable {
    /// The source could not be read; `problem` is a phrase that says why.
    case unreadable(source: String, problem: String)
    case none(source: String)
    case notHexadecimal(source: String, line: Int)
    case wrongLength(source: String, line: Int, digits: Int)
    case weak(source: String, line: Int)
    case tooMany(source: String)
}

extension MasterKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let source, let problem): "\(source) gives no master key: \(problem)"
        case .none(let source): "\(source) holds no master key. \(Self.howTo)"
        case .notHexadecimal(let source, let line):
            "\(source), line \(line): a master key is written in the digits 0-9 and a-f alone. \(Self.howTo)"
        case .wrongLength(let source, let line, let digits):
            "\(source), line \(line): a master key has 128 digits, not \(digits). \(Self.howTo)"
        case .weak(let source, let line):
            "\(source), line \(line): a master key is random, and this one could be guessed. \(Self.howTo)"
        case .tooMany(let source): "\(source) holds more than 16 master keys. Keep the newest, and the one before it"
        }
    }

    private static let howTo =
        "Put back the one that opens the keys; for a log that is only begun `openssl rand -hex 64` makes one"
}
