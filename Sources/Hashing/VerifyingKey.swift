internal import COpenSSL

/// Somebody else's public key, with which their signatures are checked: EC or RSA.
///
/// Safe to share: libcrypto reads a finished key from any thread, and nothing changes it after `init`.
public final class VerifyingKey: @unchecked Sendable {
    public enum Hash: Sendable { case sha1, sha256 }

    private let handle: OpaquePointer

    /// From DER (SubjectPublicKeyInfo), as consoles show it in Base64.
    public init?(der: [UInt8]) {
        guard let handle = belfry_read_public_key(der, der.count) else { return nil }
        self.handle = handle
    }

    /// The key of a certificate in PEM. Whether that is to be believed is for the caller to know.
    public init?(certificate pem: [UInt8]) {
        guard let handle = belfry_read_certificate_key(pem, pem.count) else { return nil }
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    /// - Parameter signature: DER for EC, PKCS 1 for RSA.
    public func hasSigned(_ message: [UInt8], _ signature: [UInt8], _ hash: Hash = .sha256) -> Bool {
        belfry_verify(handle, hash == .sha1 ? 1 : 0, message, message.count, signature, signature.count) == 1
    }
}
