internal import COpenSSL

/// AES-SIV (RFC 5297) under one key at a time, with one string of associated data. Belongs to one queue.
///
/// The same bytes under the same key and for the same associated data are sealed to the same bytes (`G1`). Nothing is lost
/// where associated data is used twice but that equal bytes are then seen to be equal. To set a key costs a little
/// more than to seal a short text, so whoever seals several under one key sets it once.
public final class SIVCipher {
    /// What comes in front of the sealed bytes and proves them.
    public static let codeBytes = 16
    /// A key of AES-256-SIV: half of it authenticates, half of it conceals.
    public static let keyBytes = 64

    private let siv: UnsafeMutablePointer<belfry_siv>
    private let keyBytes: Int

    public convenience init() { self.init(keyBytes: Self.keyBytes) }

    /// - Parameter keyBytes: 64, or the 32 of RFC 5297's examples.
    init(keyBytes: Int) {
        precondition(keyBytes == 64 || keyBytes == 32, "AES-SIV takes keys of 64 or 32 bytes")
        guard let siv = belfry_siv_new(keyBytes) else { preconditionFailure("libcrypto has no AES") }
        self.siv = siv
        self.keyBytes = keyBytes
    }

    deinit { belfry_siv_free(siv) }

    /// What is sealed and opened from now on is so under this key.
    public func use(_ key: UnsafeRawBufferPointer) {
        precondition(key.count == keyBytes, "a key of \(key.count) bytes for AES-SIV with \(keyBytes)")
        precondition(belfry_siv_use(siv, key.bytes, keyBytes) == 1, "libcrypto failed to set a key")
    }

    /// - Precondition: there is room for 16 bytes more than `plain` has, and not within `plain`.
    public func seal(
        _ plain: UnsafeRawBufferPointer, for associated: UnsafeRawBufferPointer,
        into sealed: UnsafeMutableRawBufferPointer
    ) {
        precondition(sealed.count == plain.count + Self.codeBytes, "no room for what is sealed")
        precondition(
            belfry_siv_seal(
                siv, associated.baseAddress, associated.count, plain.baseAddress, plain.count, sealed.bytes) == 1,
            "libcrypto failed to seal")
    }

    /// `false`, and zeros in `plain`, where this key did not seal these bytes for this associated data.
    ///
    /// - Precondition: there is room for 16 bytes less than `sealed` has, and not within `sealed`.
    public func open(
        _ sealed: UnsafeRawBufferPointer, for associated: UnsafeRawBufferPointer,
        into plain: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(sealed.count == plain.count + Self.codeBytes, "no room for what is opened")
        let answer = belfry_siv_open(
            siv, associated.baseAddress, associated.count, sealed.bytes, sealed.count, plain.bytes)
        precondition(answer >= 0, "libcrypto failed to open")
        return answer == 1
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var bytes: UnsafeMutablePointer<UInt8>? { bindMemory(to: UInt8.self).baseAddress }
}
