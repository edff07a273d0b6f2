internal import COpenSSL

/// A private key that signs tokens: EC P-256 (`ES256`) or RSA (`RS256`), as RFC 7518 names them.
///
/// Safe to share: libcrypto reads a finished key from any thread, and nothing changes it after `init`.
public final class SigningKey: @unchecked Sendable {
    public enum Algorithm: String, Sendable { case es256 = "ES256", rs256 = "RS256" }

    public let algorithm: Algorithm
    let handle: OpaquePointer
    /// The 65 bytes of a P-256 key's public point, uncompressed; empty for RSA.
    public let publicPoint: [UInt8]

    /// Below this an RSA key is no longer accepted by those who check signatures.
    private static let rsaBitsMin: Int32 = 2048
    /// An RSA signature of 16,384 bits.
    private static let signatureBytesMax = 2048

    /// Reads a private key from PEM: PKCS 8, or the older forms for EC and RSA.
    public convenience init(pem: [UInt8]) throws(SigningKeyError) {
        guard let handle = belfry_read_private_key(pem, pem.count) else {
            let text = String(decoding: pem, as: UTF8.self)
            if text.contains("ENCRYPTED") { throw .hasPassword }
            if text.contains("PUBLIC KEY") { throw .isPublic }
            if text.contains("BEGIN CERTIFICATE") { throw .isCertificate }
            throw .unreadable
        }
        try self.init(owning: handle)
    }

    /// A new P-256 key.
    public static func newP256() -> SigningKey {
        guard let handle = belfry_new_p256(), let key = try? SigningKey(owning: handle) else {
            preconditionFailure("libcrypto made no key")
        }
        return key
    }

    /// A P-256 key from its parts, as RFC 8291 writes its examples.
    public convenience init(p256Point point: [UInt8], secret: [UInt8]) throws(SigningKeyError) {
        guard point.count == 65, secret.count == 32, let handle = belfry_p256_from(point, secret) else {
            throw .unreadable
        }
        try self.init(owning: handle)
    }

    private init(owning handle: OpaquePointer) throws(SigningKeyError) {
        self.handle = handle
        var point: [UInt8] = []
        switch Int(belfry_key_kind(handle)) {
        case Int(BELFRY_KEY_P256):
            algorithm = .es256
            point = [UInt8](repeating: 0, count: 65)
            precondition(belfry_p256_point(handle, &point) == 1, "libcrypto has a key without its point")
        case Int(BELFRY_KEY_RSA):
            algorithm = .rs256
        default:
            (algorithm, publicPoint) = (.es256, [])
            throw .otherKind
        }
        publicPoint = point
        if algorithm == .rs256, EVP_PKEY_get_bits(handle) < Self.rsaBitsMin {
            throw .weak(bits: Int(EVP_PKEY_get_bits(handle)))
        }
    }

    deinit { EVP_PKEY_free(handle) }

    /// The signature of a message as JWT writes it: r‖s for `ES256`, not libcrypto's DER.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.signatureBytesMax)
        let count = belfry_sign_sha256(handle, message, message.count, &signature, signature.count)
        precondition(count > 0, "libcrypto failed to sign")
        guard algorithm == .es256 else { return Array(signature[..<count]) }
        var pair = [UInt8](repeating: 0, count: 64)
        precondition(belfry_signature_from_der(signature, count, &pair) == 1, "libcrypto signed no pair of numbers")
        return pair
    }

    /// The key as PEM (PKCS 8) for a file that only its owner may read.
    public var pem: String {
        var text = [CChar](repeating: 0, count: 16 << 10)
        let count = belfry_write_private_key(handle, &text, text.count)
        precondition(count > 0, "libcrypto wrote no key")
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Why a file holds no usable signing key. It never carries any of the file's text.
public enum SigningKeyError: Error, Sendable, Equatable {
    case unreadable
    case hasPassword
    case isPublic
    case isCertificate
    case otherKind
    case weak(bits: Int)
}

extension SigningKeyError: CustomStringConvertible {
    /// A phrase to follow the name of the file.
    public var description: String {
        switch self {
        case .unreadable: "holds no private key in PEM (-----BEGIN PRIVATE KEY-----)"
        case .hasPassword:
            "holds a private key under a password; write it without one: openssl pkey -in FILE -out FILE.pem"
        case .isPublic: "holds a public key; the private one is needed"
        case .isCertificate: "holds a certificate; the private key is needed"
        case .otherKind: "holds a private key that is neither EC P-256 nor RSA"
        case .weak(let bits): "holds an RSA key of \(bits) bits; 2048 are the least"
        }
    }
}
