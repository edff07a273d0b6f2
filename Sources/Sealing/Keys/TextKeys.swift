internal import Hashing
internal import Notices

/// Keys of weeks, in which people are told what is erased together. A text is sealed with a key that takes two to make, that of its
/// person and that of its week: whichever is destroyed, nothing opens it.
struct TextKey: Equatable {
    static let size = 16 + WrappedKey.size

    let week: TextWeek
    let key: WrappedKey
}

/// How texts of a person and a week are sealed (FORMAT.md).
enum TextSecret {
    /// - Parameter person: the person's key.
    static func use(_ person: UnsafeRawBufferPointer, _ week: SecretBytes, in cipher: SIVCipher) {
        let message = SecretBytes(zeros: 1 + person.count)
        let made = SecretBytes(zeros: SIVCipher.keyBytes)
        message.withMutableBytes { message in
            UnsafeMutableRawBufferPointer(rebasing: message[1...]).copyMemory(from: person)
            for half in 0..<2 {
                message[0] = UInt8(half + 1)
                var code = week.withBytes { Authentication.hmacSHA256(UnsafeRawBufferPointer(message), key: $0) }
                code.withUnsafeMutableBytes { code in
                    made.withMutableBytes { $0.piece(half * code.count, code.count).copyMemory(from: .init(code)) }
                    code.initializeMemory(as: UInt8.self, repeating: 0)
                }
            }
        }
        cipher.use(made)
    }
}

// MARK: In the table

extension KeyTable {
    func binding(of week: TextWeek) -> Binding { Binding(identity, UInt64(week.number), .max, 1) }

    func place(of week: TextWeek) -> Int? { weeks.firstIndex { $0.week == week } }

    /// Behind the pages, in tables that have any.
    var weekBytes: [UInt8] {
        var head: [UInt8] = []
        head.append(number: UInt32(textsFrom.number))
        head.append(number: UInt32(weeks.count))
        head.append(number: UInt32(0))
        var bytes: [UInt8] = []
        bytes.append(number: head.checksum)
        bytes += head
        for week in weeks {
            var body: [UInt8] = []
            body.append(number: UInt32(week.week.number))
            body.append(number: UInt64(0))
            body += week.key.bytes
            bytes.append(number: body.checksum)
            bytes += body
        }
        return bytes
    }

    mutating func readWeeks(_ bytes: UnsafeRawBufferPointer, from start: Int, _ file: String) throws(KeyRingError) {
        guard start + Self.weeksHeaderSize <= bytes.count else {
            throw .truncated(file: file, bytes: bytes.count, people: nil)
        }
        let head = bytes.piece(start, Self.weeksHeaderSize)
        guard head.piece(4, 12).checksum == head.number(0, as: UInt32.self), head.number(12, as: UInt32.self) == 0,
            let from = UInt16(exactly: head.number(4, as: UInt32.self))
        else { throw .damaged(file: file, offset: start, people: nil) }
        textsFrom = TextWeek(number: from)
        let count = Int(head.number(8, as: UInt32.self))
        for place in 0..<count {
            let at = start + Self.weeksHeaderSize + place * TextKey.size
            guard at + TextKey.size <= bytes.count else {
                throw .truncated(file: file, bytes: bytes.count, people: nil)
            }
            let entry = bytes.piece(at, TextKey.size)
            guard entry.piece(4, TextKey.size - 4).checksum == entry.number(0, as: UInt32.self),
                let number = UInt16(exactly: entry.number(4, as: UInt32.self)),
                weeks.last.map({ $0.week.number < number }) ?? true, number >= from
            else { throw .weekDamaged(file: file, offset: at) }
            weeks.append(TextKey(week: TextWeek(number: number), key: WrappedKey(entry, at: 16)))
        }
        let end = start + Self.weeksHeaderSize + count * TextKey.size
        guard bytes.count == end else { throw .damaged(file: file, offset: end, people: nil) }
    }

    static let weeksHeaderSize = 16
}

// MARK: In use

extension OpenKeys {
    /// Sets the key of a person's texts of a week; `false` where one of the two was destroyed.
    func use(keyOf person: UInt32, textsOf week: TextWeek, in other: SIVCipher) throws(KeyRingError) -> Bool {
        guard week >= table.textsFrom else { return false }
        guard let place = table.place(of: week) else { throw .textsBehind(file: tablePath, week: week) }
        let secret = textKeys[place]
        return try withKey(of: person) { TextSecret.use($0, secret, in: other) }
    }

    /// Makes a key for a week, or for the first that is not erased, and gives that week. When it returns it is durable.
    func makeKey(of wanted: TextWeek) throws(KeyRingError) -> TextWeek {
        let week = max(wanted, table.textsFrom)
        guard table.place(of: week) == nil else { return week }
        return try changing { () throws(KeyRingError) in
            var next = table
            let key = SecretBytes(random: SIVCipher.keyBytes)
            use(other: root)
            let place = next.weeks.firstIndex { $0.week > week } ?? next.weeks.count
            next.weeks.insert(TextKey(week: week, key: WrappedKey(key, next.binding(of: week), by: cipher)), at: place)
            var keys = textKeys
            keys.insert(key, at: place)
            try commit(next, pageKeys, keys)
            return week
        }
    }

    /// Destroys the keys of all weeks before one. When it returns, nothing on the disk opens their texts.
    ///
    /// - Returns: how many were destroyed.
    func destroyKeys(before week: TextWeek) throws(KeyRingError) -> Int {
        guard week > table.textsFrom else { return 0 }
        return try changing { () throws(KeyRingError) in
            var rewriting = Rewriting(self)
            let count = rewriting.dropTexts(before: week)
            // Nobody's key is gone with it.
            try finish(rewriting)
            return count
        }
    }
}
