internal import Journal

/// Records that were read ahead, for people who come in the order of their numbers, as in a herd: to ask the disk for each of them takes
/// longer than all that is sealed with their keys.
///
/// What is here may be old, and harms nobody: a page is written once, under a key of its own, so that what opens is what it should be.
/// What does not is read anew.
struct KeysAhead {
    /// So many are read at once.
    static let records = 128
    /// How far apart two in a row may be.
    private static let nearby = 16

    private var slot: UInt32 = 0
    private var places = 0..<0
    private var bytes: [UInt8] = []
    private var last: (slot: UInt32, place: Int)?

    /// Whether somebody comes close behind who was asked for last. Notes that they were.
    mutating func follows(_ place: Int, of slot: UInt32) -> Bool {
        defer { last = (slot, place) }
        guard let last, last.slot == slot else { return false }
        return place > last.place && place - last.place <= Self.nearby
    }

    /// Lends a record; `nil` where it was not read ahead.
    func withRecord<Result>(_ place: Int, of slot: UInt32, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
        guard slot == self.slot, places.contains(place) else { return nil }
        return bytes.withUnsafeBytes {
            body($0.piece((place - places.lowerBound) * KeyPages.recordSize, KeyPages.recordSize))
        }
    }

    /// Reads those from a place on, as many as the page and the file have.
    mutating func read(from place: Int, of slot: UInt32, _ pages: KeyPages) throws(DiskError) {
        let count = min(Self.records, pages.peopleAPage - place)
        if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: Self.records * KeyPages.recordSize) }
        places = 0..<0
        let found: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(DiskError) in
                try pages.disk.readAll(
                    pages.file, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<(count * KeyPages.recordSize)]),
                    at: pages.offset(of: slot, place: place))
            }
        }
        (self.slot, places) = (slot, place..<place + (try found.get()) / KeyPages.recordSize)
    }
}
