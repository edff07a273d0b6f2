public import Notices
internal import Synchronization

/// Who the people of a growing log are, by the numbers it gave them, without keeping millions of ids in memory.
///
/// The ids of the newest index are looked up in its file; those met since are in memory. One reader follows the log
/// and adds the people it meets; any thread may ask.
public final class NameBook: Sendable {
    private struct Newcomers: Sendable {
        var text: [UInt8] = []
        var ends: [Int] = []
        var erased: Set<Int> = []
        /// Those that were looked up in the file lately.
        var recent: [UInt32: String] = [:]
    }

    private let table: NameTable?
    private let known: Int
    private let newcomers = Mutex(Newcomers())

    /// As many as are remembered of those that were looked up.
    private static let recentMax = 16_384

    init(_ table: NameTable?) {
        self.table = table
        known = table?.count ?? 0
    }

    /// How many people it knows.
    public var count: Int { newcomers.withLock { known + $0.ends.count } }
    /// How many of them it keeps in memory.
    public var kept: Int { newcomers.withLock { $0.ends.count } }

    /// The next person whom the log meets.
    public func add(_ person: RawPerson) throws(WireError) {
        try person.withID(as: UInt32(count)) { id in
            newcomers.withLock { list in
                list.text.append(contentsOf: id)
                list.ends.append(list.text.count)
            }
        }
    }

    /// Somebody was erased.
    public func erase(_ number: Int) {
        newcomers.withLock { list in
            list.erased.insert(number)
            list.recent[UInt32(number)] = nil
            let place = number - known
            guard list.ends.indices.contains(place) else { return }
            for at in (place == 0 ? 0 : list.ends[place - 1])..<list.ends[place] { list.text[at] = 0 }
        }
    }

    public subscript(number: Int) -> String? {
        newcomers.withLock { list in
            if list.erased.contains(number) { return Erased.person(UInt32(number)) }
            guard number < known else {
                let place = number - known
                guard list.ends.indices.contains(place) else { return nil }
                let start = place == 0 ? 0 : list.ends[place - 1]
                return String(decoding: list.text[start..<list.ends[place]], as: UTF8.self)
            }
            if let id = list.recent[UInt32(number)] { return id }
            guard let id = table?.id(number) else { return nil }
            if list.recent.count >= Self.recentMax { list.recent.removeAll(keepingCapacity: true) }
            list.recent[UInt32(number)] = id
            return id
        }
    }
}

extension LogReader {
    /// A book of everybody whom the log met before `limit`, and a reader that goes on from there.
    public func openTail(
        through limit: UInt64, isWanted: () -> Bool = { true }
    ) throws(JournalError) -> (book: NameBook, tail: TailReader) {
        let table = try nameTable().flatMap { $0.head.position <= limit ? $0 : nil }
        let book = NameBook(table)
        let tail = TailReader(directory, on: disk, from: tailPlace(at: table?.head ?? .start), under: seals)
        // Whoever was erased since the index was written stands in its file with their id still.
        try tail.pass(
            through: limit, isWanted: isWanted, meeting: { (person) throws(WireError) in try book.add(person) },
            parting: { book.erase(Int($0)) })
        return (book, tail)
    }
}
