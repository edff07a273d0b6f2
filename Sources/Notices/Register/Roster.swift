/// Ids by number and numbers by id. Numbers start at 0, in order of first appearance.
///
/// About 14 bytes an id besides its own: all stand end to end in one text, 8 bytes say where each begins, and 6 on
/// average are for the table that finds them. A value: a copy goes its own way, and costs only when it does.
public struct Roster: Sendable {
    private let hash: KeyHash
    /// Whose ids these are: those who were erased are called by their number in the log.
    private let share: Share
    /// Where not everybody of the log is here, the numbers are not the log's: those whom the log calls by its number are found here.
    private var strangers: Strangers?
    private var text: [UInt8] = []
    /// Where each id begins in `text`, and after the last, where the next would.
    private var starts: [UInt64] = [0]
    /// Number + 1, or 0: open addressing, never more than two thirds full.
    private var slots: [UInt32]
    /// Of how many nobody knows the id any more.
    public private(set) var erasedCount = 0

    public static let countMax = Int(UInt32.max) - 1

    /// - Parameter holdsAll: whether everybody of the share comes in the order of the log, as when all of a log is folded.
    public init(hashedBy hash: KeyHash, of share: Share = .whole, holdsAll: Bool = true) {
        self.hash = hash
        self.share = share
        strangers = holdsAll ? nil : Strangers()
        slots = [UInt32](repeating: 0, count: Self.slotsMin)
    }

    private static let slotsMin = 64

    public func number(of id: String) -> UInt32? {
        var id = id
        return id.withUTF8 { number(of: UnsafeRawBufferPointer($0)) }
    }

    public func number(of id: UnsafeRawBufferPointer) -> UInt32? {
        if let person = Erased.number(in: id) { return number(ofErased: person) }
        let slot = find(id)
        return slots[slot] == 0 ? nil : slots[slot] - 1
    }

    /// The id's number, newly given when it was not met before.
    public mutating func numberOrAdd(_ id: String) -> (number: UInt32, isNew: Bool) {
        var id = id
        return id.withUTF8 { numberOrAdd(UnsafeRawBufferPointer($0)) }
    }

    public mutating func numberOrAdd(_ id: UnsafeRawBufferPointer) -> (number: UInt32, isNew: Bool) {
        if let person = Erased.number(in: id) {
            if let known = number(ofErased: person) { return (known, false) }
            let number = addErased()
            strangers?.note(person, as: number)
            return (number, true)
        }
        let slot = find(id)
        if slots[slot] != 0 { return (slots[slot] - 1, false) }
        return (add(id, at: slot), true)
    }

    private mutating func add(_ id: UnsafeRawBufferPointer, at slot: Int) -> UInt32 {
        let number = addWithoutSlot(id)
        slots[slot] = number + 1
        if count * 3 > slots.count * 2 { rebuildSlots(slots.count * 2) }
        return number
    }

    private mutating func addWithoutSlot(_ id: UnsafeRawBufferPointer) -> UInt32 {
        precondition(count < Self.countMax, "a log holds at most \(Self.countMax) people")
        text.append(contentsOf: id)
        starts.append(UInt64(text.count))
        return UInt32(count - 1)
    }

    // MARK: Erasing

    /// No id begins with it.
    private static let erasedMark: UInt8 = 0

    /// Somebody whose id nobody knows any more. Nobody looks for them, so they take no slot: all of them would belong into the
    /// same, and each be sought behind all others.
    @discardableResult
    public mutating func addErased() -> UInt32 {
        erasedCount += 1
        return withUnsafeBytes(of: Self.erasedMark) { addWithoutSlot($0) }
    }

    /// Forgets somebody's id. Their number stays theirs; whoever comes with the id is somebody new (`E4`).
    public mutating func erase(_ number: Int) {
        if !isErased(UInt32(number)) {
            erasedCount += 1
            giveUpSlot(of: number)
        }
        for place in Int(starts[number])..<Int(starts[number + 1]) { text[place] = Self.erasedMark }
    }

    /// Where it stands tells of the id that it was: a table that is written down must not know. What was sought past it moves up.
    private mutating func giveUpSlot(of number: Int) {
        let mask = slots.count - 1
        var hole = ideal(number)
        while slots[hole] != UInt32(number) + 1 {
            if slots[hole] == 0 { return }
            hole = (hole + 1) & mask
        }
        var next = (hole + 1) & mask
        while slots[next] != 0 {
            if (next - ideal(Int(slots[next]) - 1)) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = 0
    }

    /// The slot where the id with this number would stand if nobody else did.
    private func ideal(_ number: Int) -> Int {
        text.withUnsafeBytes { text in
            let id = UnsafeRawBufferPointer(rebasing: text[Int(starts[number])..<Int(starts[number + 1])])
            return Int(truncatingIfNeeded: hash(id)) & (slots.count - 1)
        }
    }

    /// - Parameter person: by the log's number.
    private func number(ofErased person: UInt32) -> UInt32? {
        if let strangers { return strangers.numbers[person] }
        let number = share.own(person)
        return isErased(number) ? number : nil
    }

    /// The log's number of somebody whose id is erased.
    private func person(ofErased number: UInt32) -> UInt32 { strangers?.persons[number] ?? share.person(number) }

    /// Whether the id with this number is erased.
    public func isErased(_ number: UInt32) -> Bool {
        number < count && starts[Int(number)] < starts[Int(number) + 1]
            && text[Int(starts[Int(number)])] == Self.erasedMark
    }

    /// Whether the id with this number is this one: cheaper to ask than which number it has.
    public func holds(_ id: UnsafeRawBufferPointer, at number: UInt32) -> Bool {
        number < count && (matches(number, id) || isErased(number) && Erased.number(in: id) == person(ofErased: number))
    }

    public func holds(_ id: String, at number: Int) -> Bool {
        var id = id
        return number < count && id.withUTF8 { holds(UnsafeRawBufferPointer($0), at: UInt32(number)) }
    }

    // MARK: Fetching ahead, in two steps

    func fetchPlace(of number: Int) {
        starts.withUnsafeBufferPointer { fetchSoon($0.baseAddress.map { $0 + number }, 16) }
    }

    func fetchText(of number: Int) {
        text.withUnsafeBufferPointer { fetchSoon($0.baseAddress.map { $0 + Int(starts[number]) }, 16) }
    }

    // MARK: Finding

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
        return text.withUnsafeBytes {
            Self.areEqual(UnsafeRawBufferPointer(rebasing: $0[start..<start + id.count]), id)
        }
    }

    /// Of two as long as each other, eight bytes at a time.
    private static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        func differ(at place: Int) -> Bool {
            left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
        guard left.count >= 8 else { return word(left) == word(right) }
        var place = 0
        while place + 8 <= left.count {
            if differ(at: place) { return false }
            place += 8
        }
        return !differ(at: left.count - 8)
    }

    /// Of fewer than eight bytes.
    private static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = 0
        for byte in bytes { word = word << 8 | UInt64(byte) }
        return word
    }

    private mutating func rebuildSlots(_ size: Int) {
        slots = [UInt32](repeating: 0, count: size)
        let mask = size - 1
        text.withUnsafeBytes { text in
            for number in 0..<count where !isErased(UInt32(number)) {
                let start = Int(starts[number])
                let id = UnsafeRawBufferPointer(rebasing: text[start..<Int(starts[number + 1])])
                var slot = Int(truncatingIfNeeded: hash(id)) & mask
                while slots[slot] != 0 { slot = (slot + 1) & mask }
                slots[slot] = UInt32(number) + 1
            }
        }
    }
}

extension Roster {
    /// People called by the log's numbers of them, with the numbers that they have here.
    private struct Strangers {
        private(set) var numbers: [UInt32: UInt32] = [:]
        private(set) var persons: [UInt32: UInt32] = [:]

        mutating func note(_ person: UInt32, as number: UInt32) {
            numbers[person] = number
            persons[number] = person
        }
    }
}

extension Roster {
    /// The log's number of somebody and the other way round, and whoever is the first from such a number on.
    func person(_ number: Int) -> Int { number * share.count + share.place }
    @inline(__always)
    func own(_ person: Int) -> Int { share.count == 1 ? person : person / share.count }
    func own(from person: Int) -> Int { share.count(of: person) }
}

extension Roster: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public var count: Int { starts.count - 1 }

    public subscript(number: Int) -> String {
        let range = Int(starts[number])..<Int(starts[number + 1])
        if isErased(UInt32(number)) { return Erased.person(person(ofErased: UInt32(number))) }
        return text.withUnsafeBytes {
            String(copying: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }
}

extension Roster {
    /// Everybody of all the shares of a log's people, under the numbers that the log gives them.
    init(merging shares: [Roster]) {
        self.init(hashedBy: shares[0].hash)
        let count = shares.reduce(0) { $0 + $1.count }
        text.reserveCapacity(shares.reduce(0) { $0 + $1.text.count })
        starts.reserveCapacity(count + 1)
        erasedCount = shares.reduce(0) { $0 + $1.erasedCount }
        var size = Self.slotsMin
        while count * 3 > size * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        for person in 0..<count {
            let (part, own) = (shares[person % shares.count], person / shares.count)
            precondition(own < part.count, "the shares of a log's people do not fit together")
            part.text.withUnsafeBytes { bytes in
                let id = UnsafeRawBufferPointer(rebasing: bytes[Int(part.starts[own])..<Int(part.starts[own + 1])])
                _ = part.isErased(UInt32(own)) ? addWithoutSlot(id) : add(id, at: find(id))
            }
        }
    }
}

// MARK: In a snapshot

extension Roster {
    /// The arrays it is made of, to be written as they stand and read without hashing a single id.
    public var parts: (text: [UInt8], starts: [UInt64], slots: [UInt32]) { (text, starts, slots) }

    /// `nil` for parts that do not fit together; whoever reads them then does without.
    ///
    /// Whether every id is found in its slot is not tried, which would cost what keeping the slots saves: the parts
    /// have checksums of their own, and some ids are looked up to see that the key is theirs.
    public init?(hashedBy hash: KeyHash, text: [UInt8], starts: [UInt64], slots: [UInt32]) {
        let count = starts.count - 1
        guard count >= 0, count < Self.countMax, starts[0] == 0, starts[count] == UInt64(text.count),
            slots.count >= Self.slotsMin, slots.count & (slots.count - 1) == 0
        else { return nil }
        guard Self.isAscending(starts) else { return nil }
        self.hash = hash
        share = .whole
        self.text = text
        self.starts = starts
        self.slots = slots
        // They have a slot as long as the table is the one in which their id stood.
        erasedCount = (0..<UInt32(count)).count { isErased($0) }
        guard let taken = takenSlots, (count - erasedCount...count).contains(taken), taken * 3 <= slots.count * 2
        else { return nil }
        for number in stride(from: 0, to: count, by: Swift.max(1, count / 64)) {
            guard self.number(of: self[number]) == UInt32(number) else { return nil }
        }
    }

    private static func isAscending(_ starts: [UInt64]) -> Bool {
        var tangled: UInt64 = 0
        for place in 1..<Swift.max(1, starts.count) { tangled |= starts[place - 1] > starts[place] ? 1 : 0 }
        return tangled == 0
    }

    /// How many slots are taken; `nil` where one names nobody there is.
    private var takenSlots: Int? {
        var taken = 0
        var highest: UInt32 = 0
        for slot in slots {
            taken += slot == 0 ? 0 : 1
            highest = Swift.max(highest, slot)
        }
        return highest <= UInt32(count) ? taken : nil
    }
}
