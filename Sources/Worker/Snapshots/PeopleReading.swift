internal import Dispatch
internal import Journal
internal import Notices
internal import Synchronization

/// Reads everybody out of a snapshot, on all cores: no name is hashed, no person made twice.
final class PeopleReading: Sendable {
    private let file: SnapshotReader
    private let chunks: [SnapshotReader.Section]
    private let count: Int
    private let context: KeptContext
    private let hasFailed = Atomic<Bool>(false)

    init(_ file: SnapshotReader, people count: Int, _ context: KeptContext) {
        self.file = file
        self.count = count
        self.context = context
        chunks = file.sections.filter { $0.tag == StateSnapshot.Tag.people.rawValue }
    }

    /// `nil` where anything is odd.
    func run(hashedBy hash: KeyHash) -> (names: Roster, people: [Person])? {
        // So that no outline can ask for memory that the file does not have.
        guard chunks.count == PeopleChunk.count(of: count),
            chunks.reduce(0, { $0 + $1.size }) >= count
        else { return nil }
        let names = Mutex<Roster?>(nil)
        let lanes = Lanes(chunks.count)
        let people = [Person](unsafeUninitializedCapacity: count) { storage, filled in
            // Safe: every lane fills its own part, and all have ended when this does.
            nonisolated(unsafe) let storage = storage
            DispatchQueue.concurrentPerform(iterations: lanes.count + 1) { lane in
                if lane == 0 {
                    let read = readNames(hash)
                    names.withLock { $0 = read }
                } else {
                    fill(storage, lanes[lane - 1])
                }
            }
            filled = count
        }
        guard !hasFailed.load(ordering: .acquiring), let names = names.withLock({ $0 }), names.count == count else {
            return nil
        }
        return (names, people)
    }

    private func readNames(_ hash: KeyHash) -> Roster? {
        guard let text: [UInt8] = try? file.numbers(StateSnapshot.Tag.namesText.rawValue),
            let starts: [UInt64] = try? file.numbers(StateSnapshot.Tag.namesStarts.rawValue),
            let slots: [UInt32] = try? file.numbers(StateSnapshot.Tag.namesSlots.rawValue)
        else { return nil }
        return Roster(hashedBy: hash, text: text, starts: starts, slots: slots)
    }

    private func fill(_ storage: UnsafeMutableBufferPointer<Person>, _ lane: Range<Int>) {
        var context = context
        let size = lane.map { chunks[$0].size }.max() ?? 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        for place in lane {
            let chunk = PeopleChunk(place, of: count)
            let part = UnsafeMutableBufferPointer(rebasing: storage[chunk.range])
            let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<chunks[place].size])
            let isWhole = (try? file.read(chunks[place], into: bytes)) ?? false
            // Also of bytes that do not hold every place is filled.
            let given = isWhole ? UnsafeRawBufferPointer(bytes) : UnsafeRawBufferPointer(start: nil, count: 0)
            do throws(KeptFault) { try chunk.read(given, into: part, &context) } catch {
                hasFailed.store(true, ordering: .releasing)
            }
        }
    }
}
