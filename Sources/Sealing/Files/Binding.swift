internal import Hashing
internal import Journal

/// What something sealed belongs to: the associated data of AES-SIV. Whoever moves sealed bytes elsewhere cannot open them
/// there.
///
/// 32 bytes: the log's identity, a number, and two smaller ones. What they are is said where one is made.
struct Binding {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ identity: LogIdentity, _ number: UInt64, _ first: UInt32 = 0, _ second: UInt32 = 0) {
        words = (
            identity.words.0.littleEndian, identity.words.1.littleEndian, number.littleEndian,
            (UInt64(first) | UInt64(second) << 32).littleEndian
        )
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(of: words, body) }
}

extension SIVCipher {
    func use(_ key: SecretBytes) { key.withBytes { use($0) } }

    func seal(_ plain: UnsafeRawBufferPointer, _ binding: Binding, into sealed: UnsafeMutableRawBufferPointer) {
        binding.withBytes { seal(plain, for: $0, into: sealed) }
    }

    func open(_ sealed: UnsafeRawBufferPointer, _ binding: Binding, into plain: UnsafeMutableRawBufferPointer) -> Bool {
        binding.withBytes { open(sealed, for: $0, into: plain) }
    }
}

/// A key that is sealed under another one.
struct WrappedKey: Equatable {
    static let size = SIVCipher.codeBytes + SIVCipher.keyBytes

    let bytes: [UInt8]

    /// - Parameter cipher: under the key that wraps.
    init(_ key: SecretBytes, _ binding: Binding, by cipher: SIVCipher) {
        bytes = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            key.withBytes { cipher.seal($0, binding, into: UnsafeMutableRawBufferPointer(buffer)) }
            count = Self.size
        }
    }

    /// - Precondition: there are 80 bytes from `offset` on.
    init(_ file: UnsafeRawBufferPointer, at offset: Int) { bytes = Array(file.piece(offset, Self.size)) }

    /// `nil` where another key wrapped it, or for something else.
    func unwrapped(_ binding: Binding, by cipher: SIVCipher) -> SecretBytes? {
        let key = SecretBytes(zeros: SIVCipher.keyBytes)
        let isOpen = key.withMutableBytes { plain in
            bytes.withUnsafeBytes { cipher.open($0, binding, into: plain) }
        }
        return isOpen ? key : nil
    }
}
