/// Who is connected, what is expected of them and by when, and how much is held for them: what every limit is kept by.
///
/// A struct without a clock and without sockets: it is told the time and says what to do.
struct ConnectionLedger<Work> {
    enum Duty {
        /// The client's: to begin a request, or to leave.
        case idle
        /// The client's: to finish the head it has begun. The first head of a connection has begun with it.
        case head
        /// The client's: to send the body.
        case body
        /// Ours: to answer.
        case answering(Work)
        /// The client's: to take the answer.
        case leaving
        /// The client's: to read the last answer and hang up.
        case lingering
    }

    fileprivate struct Entry {
        let origin: Origin?
        var duty = Duty.head
        var since: SuspendingClock.Instant
        var deadline: SuspendingClock.Instant
        /// When the last byte came or went.
        var lastByte: SuspendingClock.Instant
        var held = 0
        /// Whether a request of this client was ever let in: by its token, or by the socket's permissions.
        var isKnown = false
        /// Whether one is being received or answered now.
        var isServed = false
        /// The client has hung up, and what it asked for is still being worked on.
        var isGone = false
    }

    /// Whether a request may be answered.
    enum Admission: Equatable { case admitted, busy, closed }

    /// Whether there is a place for one more connection.
    enum Room: Equatable {
        case free
        /// Once this connection was ended.
        case after(UInt)
        /// Its address has as many as it may have.
        case refused
        case none
    }

    /// What is to be done about whoever is too late.
    enum Overdue {
        case end(UInt)
        /// Answer in place of whoever does not.
        case giveUp(Work)
    }

    private let limits: HTTPLimits
    private var entries: [UInt: Entry] = [:]
    private(set) var lastNumber: UInt = 0
    /// Connections that have a place.
    private(set) var places = 0
    private(set) var requests = 0
    private(set) var bytes = 0
    /// No further request is taken on.
    var isStopping = false
    /// Nothing is waited for any more.
    private(set) var isClosed = false

    init(limits: HTTPLimits) { self.limits = limits }

    // MARK: Places

    /// Where places are short, one that waits for its client is given to the next: at first that of whoever lingers, then
    /// that of whoever was never let in, then that of whoever is between two requests; of these the one who has waited
    /// longest. Nobody whose request was let in is asked to go.
    func room(for origin: Origin?) -> Room {
        if let origin {
            let ofOrigin = entries.filter { $0.value.origin == origin && !$0.value.isGone }
            if ofOrigin.count >= limits.connectionsPerAddress {
                return Self.leastStanding(ofOrigin).map { .after($0) } ?? .refused
            }
        }
        if places < limits.connectionsMax { return .free }
        return leastStanding.map { .after($0) } ?? .none
    }

    /// Whether one more may be accepted at all.
    ///
    /// - Parameter last: who came after this one is not asked to go: they have not been heard yet.
    func hasRoom(sparingThoseAfter last: UInt = .max) -> Bool {
        places < limits.connectionsMax || leastStanding.map { $0 <= last } ?? false
    }

    /// Who gives up the place first.
    var leastStanding: UInt? { Self.leastStanding(entries) }

    private static func leastStanding(_ entries: [UInt: Entry]) -> UInt? {
        entries.lazy.filter { !$0.value.isServed && !$0.value.isGone }
            .min { ($0.value.standing, $0.value.since, $0.key) < ($1.value.standing, $1.value.since, $1.key) }?.key
    }

    /// A number for the connection, never 0.
    mutating func connect(from origin: Origin?, now: SuspendingClock.Instant) -> UInt {
        lastNumber += 1
        places += 1
        entries[lastNumber] = Entry(origin: origin, since: now, deadline: now + limits.headTime, lastByte: now)
        return lastNumber
    }

    /// The connection has ended. What is being worked on for it keeps its room until it is done.
    ///
    /// - Returns: what was being worked on.
    @discardableResult
    mutating func disconnect(_ number: UInt) -> Work? {
        guard let entry = entries[number], !entry.isGone else { return nil }
        places -= 1
        if case .answering(let work) = entry.duty {
            entries[number]?.isGone = true
            return work
        }
        bytes -= entry.held
        entries[number] = nil
        return nil
    }

    // MARK: A request's way

    mutating func bytesMoved(_ number: UInt, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.lastByte = now
            guard case .idle = entry.duty else { return }
            entry.begin(.head, until: now + limits.headTime, now)
        }
    }

    /// The head is there; the body has its own time.
    ///
    /// - Parameter isServed: whether the request is let in.
    mutating func headCame(_ number: UInt, isServed: Bool, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.begin(.body, until: now + limits.transferTime, now)
            entry.isServed = isServed
            if isServed { entry.isKnown = true }
        }
    }

    /// Whether so many more bytes may be held for the connection; if so, they are.
    mutating func hold(_ count: Int, for number: UInt) -> Bool {
        guard bytes + count <= limits.bytesMax, hasShare(count, number) else { return false }
        update(number) { entry, _ in entry.held += count }
        return true
    }

    private func hasShare(_ count: Int, _ number: UInt) -> Bool {
        guard limits.bytesPerAddress < limits.bytesMax, let origin = entries[number]?.origin else { return true }
        return entries.values.reduce(count) { $1.origin == origin ? $0 + $1.held : $0 } <= limits.bytesPerAddress
    }

    /// Nothing that came in is kept.
    mutating func letGo(_ number: UInt) {
        update(number) { entry, _ in entry.held = 0 }
    }

    mutating func admit() -> Admission {
        if isClosed { return .closed }
        guard requests < limits.requestsMax else { return .busy }
        requests += 1
        return .admitted
    }

    /// Someone works on the answer. `false` when nobody will wait for it.
    mutating func begin(_ work: Work, for number: UInt, now: SuspendingClock.Instant) -> Bool {
        update(number) { $0.begin(.answering(work), until: now + $1.answerTime, now) }
        return !isClosed
    }

    /// The client has ended its side, so it may have gone: it has little time left to be answered.
    mutating func hungUp(_ number: UInt, now: SuspendingClock.Instant) {
        update(number) { $0.deadline = min($0.deadline, now + $1.partingTime) }
    }

    /// The answer to an admitted request is there, of so many bytes.
    mutating func end(_ number: UInt, answerBytes: Int, now: SuspendingClock.Instant) -> Ending {
        requests -= 1
        guard let entry = entries[number], !entry.isGone else {
            bytes -= entries[number]?.held ?? 0
            entries[number] = nil
            return .gone
        }
        let fits = hasRoom(answerBytes, beside: entry)
        answer(number, bytes: fits ? answerBytes : 0, now: now)
        return fits ? .fits : .noRoom
    }

    enum Ending: Equatable {
        case fits
        /// One that needs none is to be sent in its place.
        case noRoom
        case gone
    }

    /// What is no larger than a head may be is not worth a refusal.
    private func hasRoom(_ count: Int, beside entry: Entry) -> Bool {
        count <= limits.headBytesMax || bytes - entry.held + count <= limits.bytesMax
    }

    /// An answer begins to be sent; nothing of the request is held any more.
    mutating func answer(_ number: UInt, bytes count: Int, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.begin(.leaving, until: now + limits.transferTime, now)
            entry.held = count
        }
    }

    /// The answer was sent. Another request may come.
    mutating func finish(_ number: UInt, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.begin(.idle, until: now + limits.idleTime, now)
            entry.held = 0
            entry.isServed = false
        }
    }

    /// The last answer was sent.
    mutating func linger(_ number: UInt, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.begin(.lingering, until: now + limits.lingerTime, now)
            entry.held = 0
            entry.isServed = false
        }
    }

    // MARK: Being late

    /// Each is told once: whoever is told is to end the connection or to give the answer.
    mutating func overdue(now: SuspendingClock.Instant) -> [Overdue] {
        var late: [Overdue] = []
        for (number, entry) in entries where !entry.isGone && entry.isLate(now, limits) {
            if case .answering(let work) = entry.duty {
                late.append(.giveUp(work))
            } else {
                late.append(.end(number))
            }
        }
        return late
    }

    /// From here on nothing is answered but what is answered already. Gives what still is worked on.
    mutating func close() -> [Work] {
        isClosed = true
        return entries.values.compactMap { entry in
            guard case .answering(let work) = entry.duty else { return nil }
            return work
        }
    }

    private mutating func update(_ number: UInt, _ change: (inout Entry, HTTPLimits) -> Void) {
        guard var entry = entries[number], !entry.isGone else { return }
        bytes -= entry.held
        change(&entry, limits)
        bytes += entry.held
        entries[number] = entry
    }
}

extension ConnectionLedger.Overdue: Sendable where Work: Sendable {}

extension ConnectionLedger.Entry {
    fileprivate mutating func begin(
        _ duty: ConnectionLedger.Duty, until deadline: SuspendingClock.Instant, _ now: SuspendingClock.Instant
    ) {
        self.duty = duty
        self.deadline = deadline
        since = now
        lastByte = now
    }

    fileprivate func isLate(_ now: SuspendingClock.Instant, _ limits: HTTPLimits) -> Bool {
        if deadline <= now { return true }
        switch duty {
        case .idle, .head, .answering, .lingering: return false
        case .body, .leaving: return lastByte + limits.idleTime <= now
        }
    }

    /// The less, the sooner the place is another's.
    fileprivate var standing: Int {
        if case .lingering = duty { return 0 }
        return isKnown ? 2 : 1
    }
}
