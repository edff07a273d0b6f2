internal import COpenSSL

/// Bytes that others must not know: wiped when they are let go of, and never copied behind the back of whoever holds them.
public final class SecretBytes: @unchecked Sendable {
    // Sendable: written only in `init`, through `withMutableBytes` by whoever made it and has not yet given it away, and
    // under the lock of whoever keeps it.
    private let storage: UnsafeMutableRawBufferPointer

    public var count: Int { storage.count }

    /// Zeros, to be written.
    public init(zeros count: Int) {
        storage = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// From the operating system's randomness.
    public convenience init(random count: Int) {
        self.init(zeros: count)
        precondition(
            RAND_bytes(storage.bindMemory(to: UInt8.self).baseAddress, Int32(count)) == 1,
            "the operating system gave no random bytes")
    }

    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(zeros: bytes.count)
        storage.copyMemory(from: bytes)
    }

    deinit {
        wipe()
        storage.deallocate()
    }

    public func wipe() { OPENSSL_cleanse(storage.baseAddress, storage.count) }

    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    public func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage)
    }
}
