internal import Hashing
internal import Journal

/// Seals and opens fields with the keys of their persons. Belongs to one queue; each thread has one of its own.
///
/// The key of the person it was last asked about stays set, so that what is of one person is sealed together: the fields of
/// an event, the events of a commit.
public final class Sealer {
    private let ring: KeyRing
    private let cipher = SIVCipher()
    private var current: (person: UInt32, epoch: UInt64, isDestroyed: Bool)?
    /// What is being sealed, with its padding.
    private var scratch: [UInt8] = []

    public init(_ ring: KeyRing) { self.ring = ring }

    /// Appends the sealed form of some bytes to others.
    ///
    /// The person's key has been made (`KeyRing.makeKeys`), and they were not erased: nothing is recorded of somebody who was.
    public func seal(
        _ plain: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace, onto bytes: inout [UInt8]
    ) throws(KeyRingError) {
        guard try use(person) else { throw .destroyed(person: person) }
        pad(plain)
        let start = bytes.count
        bytes.append(SealedForm.mark)
        bytes.append(contentsOf: repeatElement(0, count: scratch.count + SIVCipher.codeBytes))
        bytes.withUnsafeMutableBytes { bytes in
            scratch.withUnsafeBytes { scratch in
                cipher.seal(
                    scratch, binding(place), into: UnsafeMutableRawBufferPointer(rebasing: bytes[(start + 1)...]))
            }
        }
    }

    public func seal(_ plain: [UInt8], of person: UInt32, at place: FieldPlace) throws(KeyRingError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SealedForm.size(sealing: plain.count))
        try plain.withUnsafeBufferPointer { (plain) throws(KeyRingError) in
            try seal(UnsafeRawBufferPointer(plain), of: person, at: place, onto: &bytes)
        }
        return bytes
    }

    /// What a field says: as it stands where it was never sealed.
    public func open(
        _ value: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace
    ) throws(SealedFieldError) -> Sealed {
        guard SealedForm.isSealed(value) else { return .plain(Array(value)) }
        guard SealedForm.isWhole(value) else { throw .malformed(person: person, place) }
        let isThere: Bool
        do throws(KeyRingError) { isThere = try use(person) } catch { throw .keys(error) }
        guard isThere else { return .erased }
        let sealed = value.piece(1, value.count - 1)
        let binding = binding(place)
        var length: Int?
        let plain = [UInt8](unsafeUninitializedCapacity: sealed.count - SIVCipher.codeBytes) { buffer, count in
            let padded = UnsafeMutableRawBufferPointer(buffer)
            if cipher.open(sealed, binding, into: padded) { length = SealedForm.length(of: padded) }
            count = length ?? 0
        }
        guard length != nil else { throw .notOpened(person: person, place) }
        return .opened(plain)
    }

    public func open(_ value: [UInt8], of person: UInt32, at place: FieldPlace) throws(SealedFieldError) -> Sealed {
        try value.withUnsafeBufferPointer { (value) throws(SealedFieldError) in
            try open(UnsafeRawBufferPointer(value), of: person, at: place)
        }
    }

    private func binding(_ place: FieldPlace) -> Binding {
        Binding(ring.identity, place.sequence, place.field, place.item)
    }

    /// Sets the person's key; `false` where it was destroyed. A key that was destroyed since is not gone on with.
    private func use(_ person: UInt32) throws(KeyRingError) -> Bool {
        let epoch = ring.epoch
        if let current, current.person == person, current.epoch == epoch { return !current.isDestroyed }
        current = nil
        let isThere = try ring.use(keyOf: person, in: cipher)
        current = (person, epoch, !isThere)
        return isThere
    }

    private func pad(_ plain: UnsafeRawBufferPointer) {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: plain)
        scratch.append(SealedForm.paddingMark)
        let rest = scratch.count % SealedForm.block
        if rest != 0 { scratch.append(contentsOf: repeatElement(0, count: SealedForm.block - rest)) }
    }
}
