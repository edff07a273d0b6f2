internal import Notices

/// Which commit may hold a fact of a given id: the memory of duplicates, for as long as the log lives (SPEC §2).
///
/// 8 bytes a slot: 24 bits of the id's hash and 40 bits of where its commit begins (in units of 8 bytes, so logs of
/// up to 8 TiB). The table is cut into 4096 parts by 12 further bits of the hash; a part grows by a quarter when it is
/// four fifths full, so no growth stops the log for longer than it takes to move one part.
///
/// The memory is 10 to 12.5 bytes an id: at 100 million ids, 1.0 to 1.25 GB. The 36 bits of hash say "never seen" for
/// certain and "seen" almost for certain; a hit is confirmed by reading that one commit. At 100 million ids a new id
/// reads a commit in vain 1.5 times in a thousand.
struct FactIDs: Sendable {
    static let partCount = 4096
    private static let positionBits: UInt64 = 40
    private static let positionMask: UInt64 = (1 << 40) - 1

    private let hash: KeyHash
    private var parts: [Part]
    private(set) var count = 0

    init(_ identity: LogIdentity) {
        hash = KeyHash(identity)
        parts = [Part](repeating: Part(), count: Self.partCount)
    }

    fileprivate struct Part: Sendable {
        /// Fingerprint above, position / 8 + 1 below; 0 is empty.
        var slots: [UInt64] = []
        var used = 0
    }

    /// The positions of commits that may hold this id, newest knowledge included.
    func candidates(_ id: UnsafeRawBufferPointer) -> [UInt64] {
        let hashed = hash(id)
        let part = parts[Self.part(hashed)]
        guard !part.slots.isEmpty else { return [] }
        let fingerprint = Self.fingerprint(hashed)
        var slot = Self.home(fingerprint, part.slots.count)
        var found: [UInt64] = []
        while part.slots[slot] != 0 {
            if part.slots[slot] >> Self.positionBits == fingerprint {
                found.append(((part.slots[slot] & Self.positionMask) - 1) * 8)
            }
            slot = slot + 1 == part.slots.count ? 0 : slot + 1
        }
        return found
    }

    mutating func insert(_ id: UnsafeRawBufferPointer, at position: UInt64) {
        precondition(position % 8 == 0 && position / 8 < Self.positionMask, "a log holds at most 8 TiB")
        let hashed = hash(id)
        parts[Self.part(hashed)].insert(Self.fingerprint(hashed) << Self.positionBits | (position / 8 + 1))
        count += 1
    }

    /// Forgets the ids of some commits.
    mutating func remove(at positions: Set<UInt64>) {
        for place in parts.indices {
            let kept = parts[place].slots.filter { entry in
                entry != 0 && !positions.contains(((entry & Self.positionMask) - 1) * 8)
            }
            guard kept.count < parts[place].used else { continue }
            count -= parts[place].used - kept.count
            parts[place] = Part()
            parts[place].reserve(kept.count)
            for entry in kept { parts[place].insert(entry) }
        }
    }

    private static func part(_ hashed: UInt64) -> Int { Int(hashed >> 52) }

    private static func fingerprint(_ hashed: UInt64) -> UInt64 { (hashed >> 28) & 0xFF_FFFF }

    /// Spreads fingerprints over any number of slots by multiplication, so a part need not double to grow.
    fileprivate static func home(_ fingerprint: UInt64, _ size: Int) -> Int {
        Int((fingerprint &* UInt64(size)) >> 24)
    }
}

extension FactIDs.Part {
    fileprivate mutating func insert(_ entry: UInt64) {
        if (used + 1) * 5 > slots.count * 4 { grow() }
        place(entry)
        used += 1
    }

    private mutating func place(_ entry: UInt64) {
        var slot = FactIDs.home(entry >> 40, slots.count)
        while slots[slot] != 0 { slot = slot + 1 == slots.count ? 0 : slot + 1 }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: max(8, slots.count * 5 / 4))
        for entry in old where entry != 0 { place(entry) }
    }
}

// MARK: In a snapshot

extension FactIDs {
    /// The entries alone, part after part; how they lie in the parts is made anew when they are read.
    func entries() -> (counts: [UInt32], entries: [UInt64]) {
        var counts: [UInt32] = []
        var entries: [UInt64] = []
        counts.reserveCapacity(Self.partCount)
        entries.reserveCapacity(count)
        for part in parts {
            counts.append(UInt32(part.used))
            for entry in part.slots where entry != 0 { entries.append(entry) }
        }
        return (counts, entries)
    }

    /// `nil` when the sections do not fit together; the caller then reads the log instead.
    init?(_ identity: LogIdentity, counts: [UInt32], entries: [UInt64]) {
        guard counts.count == Self.partCount, counts.reduce(0, { $0 + Int($1) }) == entries.count else { return nil }
        self.init(identity)
        var next = 0
        for (index, used) in counts.enumerated() where used > 0 {
            parts[index].reserve(Int(used))
            for entry in entries[next..<next + Int(used)] {
                guard entry & Self.positionMask != 0 else { return nil }
                parts[index].insert(entry)
            }
            next += Int(used)
        }
        count = entries.count
    }
}

extension FactIDs.Part {
    fileprivate mutating func reserve(_ entries: Int) {
        slots = [UInt64](repeating: 0, count: max(8, entries * 5 / 4 + 1))
    }
}
