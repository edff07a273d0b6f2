/// Everyone the log has met: their ids, numbered from 0 on first sight, and where each one's last commit begins.
///
/// About 30 bytes a person besides the id itself: 8 for where the id stands, 8 for the last commit, 4 to 8 for the table.
package struct People: Sendable {
    private var hash: KeyHash
    private var text: [UInt8] = []
    /// Where each id begins in `text`, and after the last, where the next would.
    private var starts: [UInt64] = [0]
    /// Person number + 1, or 0: open addressing, never more than two thirds full.
    private var slots: [UInt32]
    /// Position of the last commit about each person, + 1; 0 for none yet.
    private var lastCommits: [UInt64] = []

    init(_ identity: LogIdentity) {
        hash = KeyHash(identity)
        slots = [UInt32](repeating: 0, count: 64)
    }

    package var count: Int { lastCommits.count }

    package func id(_ number: UInt32) -> String? {
        guard number < count else { return nil }
        return String(decoding: text[Int(starts[Int(number)])..<Int(starts[Int(number) + 1])], as: UTF8.self)
    }

    package func number(of id: String) -> UInt32? {
        var id = id
        return id.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    func number(of id: UnsafeRawBufferPointer) -> UInt32? {
        let slot = find(id)
        return slots[slot] == 0 ? nil : slots[slot] - 1
    }

    /// The person's number, newly given when the log has not met them.
    mutating func numberOrAdd(_ id: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
        let slot = find(id)
        if slots[slot] != 0 { return (slots[slot] - 1, false) }
        let number = UInt32(count)
        precondition(number < UInt32.max - 1, "a log holds at most 4294967294 people")
        text.append(contentsOf: id)
        starts.append(UInt64(text.count))
        lastCommits.append(0)
        slots[slot] = number + 1
        if count * 3 > slots.count * 2 { rebuildSlots(slots.count * 2) }
        return (number, true)
    }

    package func lastCommit(of number: UInt32) -> UInt64? {
        guard number < count, lastCommits[Int(number)] != 0 else { return nil }
        return lastCommits[Int(number)] - 1
    }

    mutating func setLastCommit(of number: UInt32, _ position: UInt64) {
        lastCommits[Int(number)] = position + 1
    }

    /// The slot that holds the id, or the empty one where it belongs.
    private func find(_ id: UnsafeRawBufferPointer) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(id)) & mask
        while slots[slot] != 0, !matches(slots[slot] - 1, id) { slot = (slot + 1) & mask }
        return slot
    }

    private func matches(_ number: UInt32, _ id: UnsafeRawBufferPointer) -> Bool {
        let start = Int(starts[Int(number)])
        guard Int(starts[Int(number) + 1]) - start == id.count else { return false }
        return text.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[start..<start + id.count]).elementsEqual(id) }
    }

    private mutating func rebuildSlots(_ size: Int) {
        slots = [UInt32](repeating: 0, count: size)
        let mask = size - 1
        text.withUnsafeBytes { text in
            for number in 0..<count {
                let start = Int(starts[number])
                let id = UnsafeRawBufferPointer(rebasing: text[start..<Int(starts[number + 1])])
                var slot = Int(truncatingIfNeeded: hash(id)) & mask
                while slots[slot] != 0 { slot = (slot + 1) & mask }
                slots[slot] = UInt32(number) + 1
            }
        }
    }
}

// MARK: In a snapshot

extension People {
    static let sections: [SnapshotTag] = [.peopleText, .peopleStarts, .peopleLastCommits]

    func write<Failure: Error>(
        _ tag: SnapshotTag, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        switch tag {
        case .peopleText: try Self.lend(text, body)
        case .peopleStarts: try Self.lend(starts, body)
        case .peopleLastCommits: try Self.lend(lastCommits, body)
        default: preconditionFailure("\(tag) is not about people")
        }
    }

    private static func lend<Element, Failure: Error>(
        _ elements: [Element], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try elements.withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }

    /// `nil` when the sections do not fit together; the caller then reads the log instead.
    init?(_ identity: LogIdentity, text: [UInt8], starts: [UInt64], lastCommits: [UInt64]) {
        guard starts.count == lastCommits.count + 1, starts.first == 0, starts.last == UInt64(text.count) else {
            return nil
        }
        for index in lastCommits.indices where starts[index] > starts[index + 1] { return nil }
        self.init(identity)
        self.text = text
        self.starts = starts
        self.lastCommits = lastCommits
        var size = slots.count
        while count * 3 > size * 2 { size *= 2 }
        rebuildSlots(size)
    }
}
