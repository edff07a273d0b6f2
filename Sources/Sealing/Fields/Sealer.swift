internal import Hashing
internal import Journal
public import Notices

/// Seals and opens fields with the keys of their persons. Belongs to one queue; each thread has one of its own.
///
/// The key of the person it was last asked about stays set, so that what is of one person is sealed together: the fields of
/// an event, the events of a commit.
public final class Sealer {
    private let ring: KeyRing
    private let cipher = SIVCipher()
    // Used by one queue, never by two at once.
    @exclusivity(unchecked) private var current: (person: UInt32, week: TextWeek?, epoch: UInt64, isDestroyed: Bool)?
    /// What is being sealed, with its padding.
    @exclusivity(unchecked) private var padded = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
    @exclusivity(unchecked) private var sealed = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)
    @exclusivity(unchecked) private var opened = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 16)

    public init(_ ring: KeyRing) { self.ring = ring }

    deinit {
        padded.deallocate()
        sealed.deallocate()
        opened.deallocate()
    }

    /// The sealed form of some bytes, good until something else is sealed.
    ///
    /// The person's key has been made (`KeyRing.makeKeys`), and they were not erased: nothing is recorded of somebody who was.
    ///
    /// - Parameter week: for a text that is erased with its week, which has a key (`KeyRing.makeKey`).
    public func seal(
        _ plain: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace, in week: TextWeek? = nil
    ) throws(KeyRingError) -> UnsafeRawBufferPointer {
        guard try use(person, week) else { throw .destroyed(person: person) }
        let padded = pad(plain)
        let start = SealedForm.markBytes(week)
        let size = start + SIVCipher.codeBytes + padded.count
        Self.make(&sealed, room: size)
        sealed[0] = week == nil ? SealedForm.mark : SealedForm.weekMark
        if let week { sealed.storeBytes(of: week.number.littleEndian, toByteOffset: 1, as: UInt16.self) }
        cipher.seal(padded, binding(place), into: UnsafeMutableRawBufferPointer(rebasing: sealed[start..<size]))
        return UnsafeRawBufferPointer(rebasing: sealed[..<size])
    }

    private static func make(_ buffer: inout UnsafeMutableRawBufferPointer, room size: Int) {
        guard buffer.count < size else { return }
        buffer.deallocate()
        buffer = .allocate(byteCount: size * 2, alignment: 16)
    }

    public func seal(
        _ plain: [UInt8], of person: UInt32, at place: FieldPlace, in week: TextWeek? = nil
    ) throws(KeyRingError) -> [UInt8] {
        try plain.withUnsafeBufferPointer { (plain) throws(KeyRingError) in
            Array(try seal(UnsafeRawBufferPointer(plain), of: person, at: place, in: week))
        }
    }

    /// What a field says: as it stands where it was never sealed.
    public func open(
        _ value: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace
    ) throws(SealedFieldError) -> Sealed {
        guard SealedForm.isSealed(value) else { return .plain(Array(value)) }
        return try opened(value, of: person, at: place).map { .opened(Array($0)) } ?? .erased
    }

    /// What was sealed, good until something else is opened; `nil` where it was erased.
    public func opened(
        _ value: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace
    ) throws(SealedFieldError) -> UnsafeRawBufferPointer? {
        guard let (code, week) = SealedForm.parts(of: value) else { throw .malformed(person: person, place) }
        do throws(SealedFieldError) { return try openedNow(code, of: person, at: place, in: week) } catch {
            guard error.mayBeOlder else { throw error }
            let isNewer: Bool
            do throws(KeyRingError) { isNewer = try ring.lookAgain() } catch { throw .keys(error) }
            // The key that is known here may be of a time when the number was nobody's yet.
            guard isNewer else { throw error }
        }
        return try openedNow(code, of: person, at: place, in: week)
    }

    private func openedNow(
        _ code: UnsafeRawBufferPointer, of person: UInt32, at place: FieldPlace, in week: TextWeek?
    ) throws(SealedFieldError) -> UnsafeRawBufferPointer? {
        let isThere: Bool
        do throws(KeyRingError) { isThere = try use(person, week) } catch { throw .keys(error) }
        guard isThere else { return nil }
        let size = code.count - SIVCipher.codeBytes
        Self.make(&opened, room: size)
        let padded = UnsafeMutableRawBufferPointer(rebasing: opened[..<size])
        guard cipher.open(code, binding(place), into: padded), let length = SealedForm.length(of: padded) else {
            throw .notOpened(person: person, place)
        }
        return UnsafeRawBufferPointer(rebasing: opened[..<length])
    }

    public func open(_ value: [UInt8], of person: UInt32, at place: FieldPlace) throws(SealedFieldError) -> Sealed {
        try value.withUnsafeBufferPointer { (value) throws(SealedFieldError) in
            try open(UnsafeRawBufferPointer(value), of: person, at: place)
        }
    }

    private func binding(_ place: FieldPlace) -> Binding {
        Binding(ring.identity, place.sequence, place.field, place.item)
    }

    /// Sets the person's key, or that of their texts of a week; `false` where it was destroyed. A key that was destroyed since is not
    /// gone on with.
    private func use(_ person: UInt32, _ week: TextWeek?) throws(KeyRingError) -> Bool {
        let epoch = ring.epoch
        if let current, current.person == person, current.week == week, current.epoch == epoch {
            return !current.isDestroyed
        }
        current = nil
        let isThere = try ring.use(keyOf: person, textsOf: week, in: cipher)
        current = (person, week, epoch, !isThere)
        return isThere
    }

    private func pad(_ plain: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let size = (plain.count / SealedForm.block + 1) * SealedForm.block
        Self.make(&padded, room: size)
        padded.copyMemory(from: plain)
        let rest = UnsafeMutableRawBufferPointer(rebasing: padded[plain.count..<size])
        rest.initializeMemory(as: UInt8.self, repeating: 0)
        rest[0] = SealedForm.paddingMark
        return UnsafeRawBufferPointer(rebasing: padded[..<size])
    }
}

extension SealedFieldError {
    /// Whether the keys that are known here may be of a time before.
    fileprivate var mayBeOlder: Bool {
        switch self {
        case .notOpened, .keys(.textsBehind): true
        case .keys, .malformed: false
        }
    }
}
