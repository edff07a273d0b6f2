internal import Hashing

/// The keys of those who were lately asked for. Its size is fixed: a person has one place, which the next one who has the
/// same place takes.
struct KeyCache {
    private let keys: SecretBytes
    /// The person whose key a place holds, + 1; 0 for nobody.
    private var owners: [UInt64]

    /// - Parameter capacity: a power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a cache for \(capacity)")
        keys = SecretBytes(zeros: capacity * SIVCipher.keyBytes)
        owners = [UInt64](repeating: 0, count: capacity)
    }

    private func place(of person: UInt32) -> Int { Int(person) & (owners.count - 1) }

    /// Lends the key; `false` where it is not here.
    func withKey(of person: UInt32, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let place = place(of: person)
        guard owners[place] == UInt64(person) + 1 else { return false }
        keys.withBytes { body($0.piece(place * SIVCipher.keyBytes, SIVCipher.keyBytes)) }
        return true
    }

    mutating func keep(_ key: UnsafeRawBufferPointer, of person: UInt32) {
        let place = place(of: person)
        keys.withMutableBytes { $0.piece(place * SIVCipher.keyBytes, SIVCipher.keyBytes).copyMemory(from: key) }
        owners[place] = UInt64(person) + 1
    }

    mutating func forgetAll() {
        keys.wipe()
        owners = [UInt64](repeating: 0, count: owners.count)
    }
}
