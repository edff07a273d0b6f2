/// Notices in their order, each found by name in constant time.
///
/// A few are searched one by one. With more, a table by the hashes of their names tells where each stands, and what is
/// taken out leaves a hole; once half are holes, the list is compacted. So inserting, finding and removing cost the same
/// for the thousandth as for the first, and a fold of any log is linear (`G11`).
public struct NoticeList<Entry: BearsNotice>: Sendable {
    private var places: [Entry?] = []
    /// Where one notice of each hash stands; `nil` while they are looked through.
    private var table: [UInt64: Int]?
    public private(set) var count = 0
    /// No entry is before this place.
    private var start = 0
    /// Two names of one hash have been met: the table tells of one of them.
    private var hasTwins = false

    private static var lookedThroughMax: Int { 16 }

    public init() {}

    public init(_ entries: [Entry]) {
        places = entries
        count = entries.count
        if count > Self.lookedThroughMax { index() }
    }

    public var isEmpty: Bool { count == 0 }

    // MARK: Finding

    public subscript(_ notice: Notice) -> Entry? { place(of: notice).flatMap { places[$0] } }

    public func entry(named name: String) -> Entry? {
        guard count > 0 else { return nil }
        return place(Notice.hash(of: name)) { $0.name == name }.flatMap { places[$0] }
    }

    public func contains(_ notice: Notice) -> Bool { place(of: notice) != nil }

    private func place(of notice: Notice) -> Int? {
        count == 0 ? nil : place(notice.nameHash) { $0.isSame(as: notice) }
    }

    private func place(_ hash: UInt64, _ isMeant: (Notice) -> Bool) -> Int? {
        if let table {
            guard let place = table[hash] else { return nil }
            if let entry = places[place], isMeant(entry.notice) { return place }
            guard hasTwins else { return nil }
        }
        return (start..<places.count).first { place in
            guard let notice = places[place]?.notice else { return false }
            return notice.nameHash == hash && isMeant(notice)
        }
    }

    // MARK: Changing

    /// The entry's notice must not be in the list yet.
    public mutating func append(_ entry: Entry) {
        places.append(entry)
        count += 1
        if table != nil {
            enter(entry.notice.nameHash, at: places.count - 1)
        } else if count > Self.lookedThroughMax {
            index()
        }
    }

    /// Puts an entry in the place of the one that bears the same notice.
    public mutating func replace(with entry: Entry) {
        guard let place = place(of: entry.notice) else { return }
        places[place] = entry
    }

    /// Changes every entry; none may come to bear a notice of another name.
    public mutating func forEach(change: (inout Entry) -> Void) {
        for place in places.indices where places[place] != nil {
            if var entry = places[place] {
                change(&entry)
                places[place] = entry
            }
        }
    }

    @discardableResult
    public mutating func remove(_ notice: Notice) -> Entry? { place(of: notice).flatMap { take(at: $0) } }

    public mutating func removeFirst() -> Entry? {
        while start < places.count, places[start] == nil { start += 1 }
        return start < places.count ? take(at: start) : nil
    }

    public mutating func removeAll() { self = NoticeList() }

    public mutating func sort(by comesFirst: (Notice, Notice) -> Bool) {
        self = NoticeList(sorted { comesFirst($0.notice, $1.notice) })
    }

    private mutating func take(at place: Int) -> Entry? {
        guard let entry = places[place] else { return nil }
        count -= 1
        guard table != nil else {
            if place == places.count - 1 { places.removeLast() } else { places.remove(at: place) }
            start = 0
            return entry
        }
        places[place] = nil
        let hash = entry.notice.nameHash
        if table?[hash] == place {
            let twin = hasTwins ? places.indices.first { places[$0]?.notice.nameHash == hash } : nil
            table?[hash] = twin
        }
        if places.count - count > Swift.max(count, Self.lookedThroughMax) { closeUp() }
        return entry
    }

    private mutating func closeUp() {
        places = places.filter { $0 != nil }
        start = 0
        if count > Self.lookedThroughMax { index() } else { (table, hasTwins) = (nil, false) }
    }

    private mutating func index() {
        (table, hasTwins) = (Dictionary(minimumCapacity: places.count), false)
        for place in places.indices { if let entry = places[place] { enter(entry.notice.nameHash, at: place) } }
    }

    private mutating func enter(_ hash: UInt64, at place: Int) {
        if table?.updateValue(place, forKey: hash) != nil { hasTwins = true }
    }
}

extension NoticeList: Sequence {
    public struct Iterator: IteratorProtocol {
        fileprivate let places: [Entry?]
        fileprivate var ahead: Int

        public mutating func next() -> Entry? {
            while ahead < places.count {
                defer { ahead += 1 }
                if let entry = places[ahead] { return entry }
            }
            return nil
        }
    }

    public func makeIterator() -> Iterator { Iterator(places: places, ahead: start) }

    public var underestimatedCount: Int { count }

    /// The newest few, the last one first.
    func newest(_ most: Int, where isMeant: (Entry) -> Bool) -> [Entry] {
        var newest: [Entry] = []
        for place in places.indices.reversed() {
            guard newest.count < most, place >= start else { break }
            if let entry = places[place], isMeant(entry) { newest.append(entry) }
        }
        return newest
    }

    var last: Entry? { newest(1) { _ in true }.first }
}

/// An entry of a `NoticeList`: a notice, or a notice with more beside it.
public protocol BearsNotice: Sendable {
    var notice: Notice { get }
}

extension Notice: BearsNotice {
    public var notice: Notice { self }
}

extension Waiting: BearsNotice {}
