internal import COpenSSL

/// Hashes commits, with the digest looked up once. Belongs to one queue.
public final class ChainHasher {
    private let context: OpaquePointer
    private let digest: OpaquePointer

    public init() {
        guard let context = EVP_MD_CTX_new(), let digest = EVP_MD_fetch(nil, "SHA256", nil) else {
            preconditionFailure("libcrypto has no SHA-256")
        }
        self.context = context
        self.digest = digest
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(digest)
    }

    public func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        withUnsafeTemporaryAllocation(byteCount: Digest.size, alignment: 8) { out in
            guard let start = out.baseAddress,
                belfry_sha256(context, digest, bytes.baseAddress, bytes.count, start) == 1
            else { preconditionFailure("libcrypto failed to hash") }
            return Digest(at: start)
        }
    }
}
