internal import CivilTime

/// Some people who follow one another by number, kept together: they are written in one piece, and read by one thread
/// while others read others.
///
/// The number of the first and how many they are (4 bytes each), 48 bytes for each, then what few of them have.
public struct PeopleChunk: Sendable {
    public let range: Range<Int>

    /// How many people a chunk holds; the last one may hold fewer.
    public static let size = 1 << 14

    public static func count(of people: Int) -> Int { (people + size - 1) / size }

    public init(_ place: Int, of people: Int) {
        range = place * Self.size..<min((place + 1) * Self.size, people)
    }

    /// `false` where there are more zones than can be told apart.
    public func write(_ people: [Person], into writer: inout KeptWriter) -> Bool {
        writer.bytes.appendLittleEndian(UInt32(range.lowerBound))
        writer.bytes.appendLittleEndian(UInt32(range.count))
        for person in people[range] where !person.writeFixed(into: &writer) { return false }
        for person in people[range] { person.writeRest(into: &writer) }
        return true
    }

    /// Reads the chunk's people into `storage`, which has no people yet and as many places as the chunk.
    ///
    /// Every place is filled whatever the bytes are, so that the storage can be given up like any other.
    public func read(
        _ bytes: UnsafeRawBufferPointer, into storage: UnsafeMutableBufferPointer<Person>, _ context: inout KeptContext
    ) throws(KeptFault) {
        var filled = 0
        defer {
            if filled < storage.count {
                let nobody = Person(
                    zone: .utc, preferences: context.preferences(nil, saidYes: false), at: .distantPast)
                UnsafeMutableBufferPointer(rebasing: storage[filled...]).initialize(repeating: nobody)
            }
        }
        var fixed = KeptReader(bytes)
        guard try fixed.fixed(UInt32.self) == UInt32(range.lowerBound),
            try fixed.fixed(UInt32.self) == UInt32(range.count), storage.count == range.count,
            bytes.count >= 8 + range.count * Person.keptSize
        else { throw .outOfRange }
        var rest = KeptReader(UnsafeRawBufferPointer(rebasing: bytes[(8 + range.count * Person.keptSize)...]))
        for place in storage.indices {
            let person = try Person.read(&fixed, &rest, &context)
            storage.initializeElement(at: place, to: person)
            filled += 1
        }
        guard rest.isAtEnd else { throw .outOfRange }
    }
}
