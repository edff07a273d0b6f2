internal import Journal
internal import CivilTime
internal import Dispatch
internal import Notices
internal import Queueing
internal import Synchronization

/// Streams the log to all who follow it (`V5`): one tail reads it once, each event is rendered once for all who want
/// the same, and kept for a while. Whoever is further behind reads it from the disk, a piece at a time and on threads
/// that give way.
///
/// None of it is done on the worker's queue. Nobody is waited for: a stream takes what there is when it has room, and
/// what it does not take is not kept for it.
public final class EventHub: Sendable {
    struct State: Sendable {
        /// Up to where the tail has read; `nil` until it has been opened.
        var head: LogHead?
        var channels: [EventChannel.Key: EventChannel] = [:]
        /// Counts the changes of who is there, so that the tail sees them.
        var version = 0
        /// The numbers of people who are followed, as far as the log has met them.
        var numbers: [String: UInt32] = [:]
        /// Whose oldest piece is the next to go: what was kept of a channel that is gone stands here until much of it is such.
        var order: ArraySlice<KeptPiece> = []
        var keptBytes = 0
        var keptPieces = 0
        /// When it was said last why nobody is told any more.
        var toldFailureAt: ContinuousClock.Instant?
        /// How many channels there have been.
        var channelsBegun: UInt64 = 0
        /// Who waits for the log to grow, whatever it grows by.
        var watching: [ObjectIdentifier: EventStream] = [:]
        /// Places in the log not far apart, by the event in front of them.
        var places: [TailPlace] = []
        var book: NameBook?
        /// How often the log's index was written anew because somebody was erased.
        var indexesWritten = 0
        /// What was read from the disk and is not yet sent.
        var readBytes = 0
        /// Those whose turn to read has come and for whom there was no room.
        var postponed: [EventStream] = []
        /// The last adoption of a policy that the tail has met.
        var lastPolicy: UInt64 = 0
        var isTailing = false
        var isStopped = false
    }

    /// One piece that is kept of a channel. Whoever follows the same later has a channel of another number.
    struct KeptPiece: Sendable {
        var key: EventChannel.Key
        var channel: UInt64
    }

    let sources: EventSources
    let limits: EventLimits
    let state = Mutex(State())
    let news = DispatchSemaphore(value: 0)
    /// What the tail rests by between two looks; signalled once it is to stop.
    let resting = DispatchSemaphore(value: 0)
    private let isTold = Atomic(false)
    private let tail: Lane
    private let readers: Lane

    public init(_ sources: EventSources, limits: EventLimits = EventLimits()) {
        self.sources = sources
        self.limits = limits
        tail = Lane("belfry.tail", threads: 1, waitingMax: 1, priority: .behindOthers)
        readers = Lane("belfry.readers", threads: 2, waitingMax: .max, priority: .behindOthers)
    }

    /// More of the log is durable than was. Called by whoever writes it; costs next to nothing.
    public func logGrew() {
        if !isTold.exchange(true, ordering: .acquiringAndReleasing) { news.signal() }
    }

    /// Whoever reads the log now sees all of which was told so far.
    func readNews() { isTold.store(false, ordering: .sequentiallyConsistent) }

    /// The last adoption of a policy since somebody follows; 0 where there was none.
    public var lastPolicy: UInt64 { state.withLock { $0.lastPolicy } }

    /// Somebody was erased by this event. The tail finds out by itself; whoever erased them need not wait for it.
    public func forget(before seq: UInt64) { state.withLock { $0.forget(before: seq) } }

    /// The log's index was written anew, without somebody who was erased: the tail lets go of the file that names them, which is on
    /// the disk for as long as it is open.
    public func indexWasRewritten() {
        state.withLock { $0.indexesWritten += 1 }
        logGrew()
    }

    /// Ends all streams and the tail.
    public func stop() {
        let streams = state.withLock { state -> [EventStream] in
            state.isStopped = true
            return state.takeAllWaiting()
        }
        news.signal()
        resting.signal()
        for stream in streams { stream.wakeUp() }
    }

    // MARK: Following

    /// Follows what happens behind event `seq`.
    ///
    /// - Parameters:
    ///   - last: where it ends; `nil` for a stream that goes on for as long as the worker does.
    ///   - limit: after how many events it ends.
    public func follow(
        _ filter: EventFilter, as form: EventForm, after seq: UInt64, through last: UInt64? = nil, limit: Int? = nil
    ) -> EventStream {
        let stream = EventStream(self, filter, form, after: seq, through: last, limit: limit)
        let mustOpen = state.withLock { state -> Bool in
            if stream.isShared {
                state.join(stream.key)
            }
            defer { state.isTailing = true }
            return !state.isTailing
        }
        if mustOpen { openTail() } else { logGrew() }
        return stream
    }

    /// Why nobody who follows is told any more: said once a minute at most, since they come again, and meet the same.
    func tell(_ error: JournalError) {
        let now = ContinuousClock.now
        let isNews = state.withLock { state -> Bool in
            if let told = state.toldFailureAt, now - told < .seconds(60) { return false }
            state.toldFailureAt = now
            return true
        }
        if isNews { sources.failed(error) }
    }

    private func openTail() {
        // It lives until it is stopped.
        _ = tail.take { [self] in EventTail(self).run() }
        logGrew()
    }

    func leave(_ stream: EventStream, releasing bytes: Int) {
        let next = state.withLock { state -> [EventStream] in
            state.watching[ObjectIdentifier(stream)] = nil
            state.postponed.removeAll { $0 === stream }
            if stream.isShared {
                state.channels[stream.key]?.waiting[ObjectIdentifier(stream)] = nil
                state.channels[stream.key]?.followers -= 1
                state.removeIfAbandoned(stream.key)
            }
            return state.release(bytes, limits)
        }
        for stream in next { enqueue(stream) }
    }

    // MARK: Taking

    /// What there is for a stream that has had everything up to `seq`. Where there is nothing it is woken when there is.
    func find(for stream: EventStream, after seq: UInt64) -> EventChannel.Found? {
        state.withLock { state in
            // Without a tail nobody would be woken: whoever reads comes again, and opens one.
            guard !state.isStopped, state.isTailing else { return nil }
            guard let head = state.head?.lastSeq else {
                state.watching[ObjectIdentifier(stream)] = stream
                return .nothing
            }
            guard stream.isShared else {
                if seq < head { return .behind }
                state.watching[ObjectIdentifier(stream)] = stream
                return .nothing
            }
            let found = state.channels[stream.key]?.find(after: seq, head: head) ?? .behind
            if case .nothing = found {
                state.channels[stream.key]?.waiting[ObjectIdentifier(stream)] = stream
            }
            return found
        }
    }

    /// Has a stream read from the disk what is kept here no more.
    func read(for stream: EventStream) {
        let hasRoom = state.withLock { state -> Bool in
            guard state.readBytes >= limits.readBytesMax else { return true }
            state.postponed.append(stream)
            return false
        }
        if hasRoom { enqueue(stream) }
    }

    private func enqueue(_ stream: EventStream) {
        _ = readers.take { stream.readOn() }
    }

    func hold(_ bytes: Int) { state.withLock { $0.readBytes += bytes } }

    func release(_ bytes: Int) {
        guard bytes > 0 else { return }
        let next = state.withLock { $0.release(bytes, limits) }
        for stream in next { enqueue(stream) }
    }
}

extension EventHub.State {
    /// What was read was sent. Gives those for whom there is room now.
    mutating func release(_ bytes: Int, _ limits: EventLimits) -> [EventStream] {
        readBytes -= bytes
        guard readBytes < limits.readBytesMax, !postponed.isEmpty else { return [] }
        let next = Array(postponed.prefix(8))
        postponed.removeFirst(next.count)
        return next
    }

    mutating func takeAllWaiting() -> [EventStream] {
        var all = Array(watching.values) + postponed
        watching = [:]
        postponed = []
        for key in channels.keys {
            all += channels[key].map { Array($0.waiting.values) } ?? []
            channels[key]?.waiting = [:]
        }
        return all
    }

    mutating func join(_ key: EventChannel.Key) {
        if channels[key] == nil {
            channelsBegun += 1
            channels[key] = EventChannel(number: channelsBegun)
        }
        channels[key]?.followers += 1
        version += 1
    }

    mutating func removeIfAbandoned(_ key: EventChannel.Key) {
        guard let channel = channels[key], channel.followers == 0 else { return }
        keptBytes -= channel.size
        keptPieces -= channel.pieceCount
        channels[key] = nil
        version += 1
        forgetTheGone()
    }

    /// Keeps what has come for a channel.
    mutating func keep(_ pieces: [EventPiece], for key: EventChannel.Key) {
        guard let (number, before) = channels[key].map({ ($0.number, $0.size) }),
            let count = channels[key]?.add(pieces)
        else { return }
        keptBytes += (channels[key]?.size ?? 0) - before
        keptPieces += count
        for _ in 0..<count { order.append(EventHub.KeptPiece(key: key, channel: number)) }
    }

    mutating func forgetBeyond(_ bytesMax: Int) {
        while keptBytes > bytesMax, let piece = order.popFirst() {
            guard channels[piece.key]?.number == piece.channel else { continue }
            keptBytes -= channels[piece.key]?.forgetOldest() ?? 0
            keptPieces -= 1
        }
        forgetTheGone()
    }

    /// Somebody was erased by this event (`E1`): what was written out in front of it may tell of them. Whoever wants it reads it from
    /// the log, where they are nobody any more.
    mutating func forget(before seq: UInt64) {
        var gone: [UInt64: Int] = [:]
        for key in channels.keys {
            guard let channel = channels[key], let count = channels[key]?.forget(before: seq), count > 0 else {
                continue
            }
            gone[channel.number] = count
            keptPieces -= count
            keptBytes -= channel.size - (channels[key]?.size ?? 0)
        }
        guard !gone.isEmpty else { return }
        order = ArraySlice(
            order.filter { piece in
                guard let left = gone[piece.channel], left > 0 else { return true }
                gone[piece.channel] = left - 1
                return false
            })
    }

    mutating func forgetEverything() {
        for key in channels.keys { channels[key]?.forgetAll() }
        (keptBytes, keptPieces, order) = (0, 0, [])
    }

    /// What a slice has dropped in front it keeps in memory until it is copied; and with channels go their pieces.
    private mutating func forgetTheGone() {
        guard order.count > 2 * keptPieces + Self.goneMax || order.startIndex > 4096 else { return }
        order = ArraySlice(order.filter { channels[$0.key]?.number == $0.channel })
    }

    static let goneMax = 256

    /// The nearest known place in front of an event.
    func place(before seq: UInt64) -> TailPlace? {
        places.last { $0.head.lastSeq < seq }
    }
}
