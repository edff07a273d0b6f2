internal import CivilTime
internal import Dispatch
internal import Journal
internal import Notices
internal import Synchronization

/// The one reader that goes on with the log for all who follow it. It belongs to a thread of its own.
final class EventTail {
    private unowned let hub: EventHub
    private var reader: TailReader?
    private var book: NameBook?
    private var routes = EventRoutes([], number: { _ in nil })
    private var routedVersion = -1
    private var fresh: [EventChannel.Key: [EventPiece]] = [:]
    private var met: [String: UInt32] = [:]
    private var parted: Set<String> = []
    /// The last erasure that was met.
    private var erasedBy: UInt64?
    private var json = ByteBuffer(capacity: 4096)
    private var nextPlace: UInt64 = 0

    /// So much of the log is read before what was found in it is given away.
    private static let bytesAtOnce: UInt64 = 1 << 20
    /// How far apart the places are that are remembered, and how many.
    private static let placeDistance: UInt64 = 1 << 20
    private static let placesMax = 512
    /// Once it keeps so many ids in memory it begins again with a newer index, if there is one.
    private var keptIdsMax: Int
    /// How often the index had been written anew when the book was opened.
    private var indexesRead = 0

    init(_ hub: EventHub) {
        self.hub = hub
        keptIdsMax = hub.limits.keptIdsMax
    }

    /// Until the hub is stopped, or the log cannot be read.
    func run() {
        var isWaiting = true
        while !isStopped {
            if isWaiting { hub.news.wait() }
            hub.readNews()
            let start = ContinuousClock.now
            do throws(JournalError) {
                isWaiting = try !turn()
            } catch {
                hub.tell(error)
                return fail()
            }
            if isWaiting { pause(since: start) }
        }
        fail()
    }

    private var isStopped: Bool { hub.state.withLock { $0.isStopped } }

    /// What comes close together is given away together.
    private func pause(since start: ContinuousClock.Instant) {
        let left = hub.limits.pace - (ContinuousClock.now - start)
        guard left > .zero else { return }
        let (seconds, attoseconds) = left.components
        _ = hub.resting.wait(
            timeout: .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    }

    /// Nobody is told any more. Who comes later opens the log anew.
    private func fail() {
        let streams = hub.state.withLock { state -> [EventStream] in
            state.isTailing = false
            state.head = nil
            state.numbers = [:]
            state.forgetEverything()
            return state.takeAllWaiting()
        }
        for stream in streams { stream.fail() }
    }

    // MARK: A turn

    /// Goes on a little; whether there is more.
    private func turn() throws(JournalError) -> Bool {
        // Asked first: the index is then no further than what is durable.
        let written = hub.state.withLock { $0.indexesWritten }
        let durable = hub.sources.durable()
        try open(durable, written)
        guard let reader, let book else { return false }
        route(after: reader.head.lastSeq)
        let limit = durable.position
        let start = reader.head.position
        while reader.head.position < limit, reader.head.position - start < Self.bytesAtOnce,
            let frame = try reader.next(through: limit)
        {
            try reader.took(events: take(frame, book))
        }
        publish(reader)
        guard reader.head.position >= limit else { return true }
        if written != indexesRead { try openBook(durable, written, isOldGone: true) }
        return false
    }

    private func open(_ durable: LogHead, _ written: Int) throws(JournalError) {
        if reader != nil, book.map({ $0.kept < keptIdsMax }) ?? false { return }
        if let reader, reader.head.position < durable.position { return }
        // An empty log has no file yet; it is opened when there is something in it.
        guard durable.position > 0 else { return publishStart() }
        try openBook(durable, written)
    }

    /// - Parameter isOldGone: whether the index is gone that the book was read from: it names people who were erased since. Otherwise
    ///   one takes its place that keeps fewer ids in memory.
    private func openBook(_ durable: LogHead, _ written: Int, isOldGone: Bool = false) throws(JournalError) {
        let log = try LogReader(hub.sources.directory, on: hub.sources.disk)
        let (book, reader) = try log.openTail(through: durable.position) { !self.isStopped }
        guard reader.head.position == durable.position else { return }
        // It is asked for again when as many more have come, whether there was a newer one or not.
        keptIdsMax = book.kept + hub.limits.keptIdsMax
        if !isOldGone, let known = self.book, known.kept <= book.kept { return }
        indexesRead = written
        self.book = book
        self.reader = reader
        routedVersion = -1
        hub.state.withLock { state in
            state.book = book
            if state.head == nil { state.head = reader.head }
        }
    }

    /// Nothing is in the log. Who follows it waits.
    private func publishStart() {
        guard reader == nil else { return }
        let streams = hub.state.withLock { state -> [EventStream] in
            state.head = .start
            return state.takeAllWaiting()
        }
        for stream in streams { stream.wakeUp() }
    }

    /// Sees who follows what by now. A channel is the tail's from here on: it misses no event behind this one.
    private func route(after seq: UInt64) {
        let unknown = hub.state.withLock { state -> [String]? in
            guard state.version != routedVersion else { return nil }
            return Array(Set(state.channels.keys.compactMap(\.filter.sought)).filter { state.numbers[$0] == nil })
        }
        guard let unknown else { return }
        // Whoever is not in the log by now will be met on the way.
        let numbers = unknown.isEmpty ? [] : hub.sources.numbers(unknown) ?? []
        hub.state.withLock { state in
            for (user, number) in zip(unknown, numbers) { if let number { state.numbers[user] = number } }
            let followed = Set(state.channels.keys.compactMap(\.filter.sought))
            // Of others nobody would hear that they are erased, and somebody else has their id (`E4`).
            if state.numbers.count > followed.count {
                state.numbers = state.numbers.filter { followed.contains($0.key) }
            }
            // Of somebody who came in between it is not known who they are; they have their turn next time.
            let asked = Set(unknown)
            let keys = state.channels.keys.filter { key in
                key.filter.sought.map {
                    state.numbers[$0] != nil || asked.contains($0) && numbers.count == unknown.count
                }
                    ?? true
            }
            for key in keys { state.channels[key]?.goLive(after: seq) }
            routes = EventRoutes(keys) { state.numbers[$0] }
            routedVersion = keys.count == state.channels.count ? state.version : -1
        }
    }

    private func take(_ frame: Frame, _ book: NameBook) throws(JournalError) -> Int {
        var body = CommitBody(frame)
        var events = 0
        do {
            while let item = try body.next() {
                switch item {
                case .newPerson(let person):
                    let number = UInt32(book.count)
                    try book.add(person)
                    if let user = routes.meet({ book[Int(number)] }, number: number) { met[user] = number }
                case .event(let raw):
                    events += 1
                    try take(raw, book)
                }
            }
        } catch {
            throw .damaged(Damage(hub.sources.directory, "position \(frame.position): \(error)"))
        }
        return events
    }

    private func take(_ raw: RawEvent, _ book: NameBook) throws {
        if raw.typeNumber == PolicyAdopted.type.number { hub.state.withLock { $0.lastPolicy = raw.seq } }
        let keys = routes.channels(of: raw)
        guard let person = raw.person, raw.typeNumber == PersonErased.type.number else {
            return try add(raw, to: keys, book)
        }
        // Told once more who it was, to those that follow them by that name.
        try add(raw, to: keys.filter { $0.filter.user != nil }, book, beginsAnew: true)
        part(with: person, book)
        try add(raw, to: keys.filter { $0.filter.user == nil }, book, beginsAnew: true)
        erasedBy = raw.seq
    }

    private func add(
        _ raw: RawEvent, to keys: [EventChannel.Key], _ book: NameBook, beginsAnew: Bool = false
    ) throws {
        guard !keys.isEmpty, let event = try raw.event(about: raw.person.flatMap { book[Int($0)] }) else { return }
        json.removeAll()
        event.writeJSON(into: &json)
        for key in keys {
            if beginsAnew || fresh[key, default: []].last?.isFull ?? true {
                fresh[key, default: []].append(EventPiece(beginsAnew: beginsAnew))
            }
            let last = fresh[key, default: []].count - 1
            fresh[key]?[last].add(event, json: json, as: key.form)
        }
    }

    private func part(with person: UInt32, _ book: NameBook) {
        book.erase(Int(person))
        for user in routes.part(with: person) {
            met[user] = nil
            parted.insert(user)
        }
    }

    private func publish(_ reader: TailReader) {
        let (fresh, met, parted, erased, head) = (fresh, met, parted, erasedBy, reader.head)
        erasedBy = nil
        self.fresh.removeAll(keepingCapacity: true)
        self.met = [:]
        self.parted = []
        var place: TailPlace?
        if head.position >= nextPlace {
            place = reader.place
            nextPlace = head.position + Self.placeDistance
        }
        let streams = hub.state.withLock { state -> [EventStream] in
            let hasGrown = state.head?.lastSeq != head.lastSeq
            state.head = head
            for user in parted { state.numbers[user] = nil }
            for (user, number) in met { state.numbers[user] = number }
            if let place {
                state.places.append(place)
                if state.places.count > Self.placesMax { state.places.removeFirst(Self.placesMax / 4) }
            }
            var woken = Array(state.watching.values)
            state.watching = [:]
            for (key, pieces) in fresh {
                state.keep(pieces, for: key)
                woken += state.channels[key].map { Array($0.waiting.values) } ?? []
                state.channels[key]?.waiting = [:]
            }
            // What has gone by without a new channel they have to read for themselves.
            if hasGrown {
                for key in state.channels.keys where state.channels[key]?.isLive == false {
                    woken += state.channels[key].map { Array($0.waiting.values) } ?? []
                    state.channels[key]?.waiting = [:]
                }
            }
            if let erased { state.forget(before: erased) }
            state.forgetBeyond(hub.limits.keptBytesMax)
            return woken
        }
        for stream in streams { stream.wakeUp() }
    }
}
