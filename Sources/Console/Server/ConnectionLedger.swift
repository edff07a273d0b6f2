/// Who is connected, what is expected of them and by when, and how much is held for them: what every limit is kept by.
///
/// A struct without a clock and without sockets: it is told the time and says what to do.
struct ConnectionLedger<Work> {
    private enum Duty {
        /// The client's: to send a request.
        case arriving
        /// Ours: to answer.
        case answering(Work)
        /// The client's: to take the answer.
        case leaving
        /// Told to go.
        case cut
    }

    private struct Entry {
        let descriptor: Int32
        var duty = Duty.arriving
        var deadline: SuspendingClock.Instant
        var held = 0
    }

    /// Whether a request may be answered.
    enum Admission: Equatable { case admitted, busy, closed }

    /// What is to be done about whoever is too late.
    enum Overdue {
        /// End the connection; a client that was still sending can be told.
        case cut(descriptor: Int32, isArriving: Bool)
        /// Answer in place of whoever does not.
        case giveUp(Work)
    }

    private let limits: HTTPLimits
    private var entries: [UInt: Entry] = [:]
    private var lastNumber: UInt = 0
    private(set) var requests = 0
    private(set) var bytes = 0
    /// No further request is taken on.
    var isStopping = false
    /// Nothing is waited for any more.
    private(set) var isClosed = false

    init(limits: HTTPLimits) { self.limits = limits }

    var isEmpty: Bool { entries.isEmpty }

    /// A number for the connection, never 0.
    mutating func connect(_ descriptor: Int32, now: SuspendingClock.Instant) -> UInt {
        lastNumber += 1
        entries[lastNumber] = Entry(descriptor: descriptor, deadline: now + limits.transferTime)
        return lastNumber
    }

    mutating func disconnect(_ number: UInt) {
        finish(number, now: nil)
        entries[number] = nil
    }

    /// The head is there; the body has its own time.
    mutating func headCame(_ number: UInt, now: SuspendingClock.Instant) {
        update(number) { $0.deadline = now + $1.transferTime }
    }

    /// Whether so many more bytes may be held for the connection; if so, they are.
    mutating func hold(_ count: Int, for number: UInt) -> Bool {
        guard bytes + count <= limits.bytesMax else { return false }
        update(number) { entry, _ in entry.held += count }
        return true
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
        update(number) { entry, limits in
            entry.duty = .answering(work)
            entry.deadline = now + limits.answerTime
        }
        return !isClosed
    }

    /// The answer to an admitted request is there, of so many bytes. Whether there is room for it; if not, one that needs
    /// none is to be sent in its place.
    mutating func end(_ number: UInt, answerBytes: Int, now: SuspendingClock.Instant) -> Bool {
        requests -= 1
        let fits = hasRoom(answerBytes, for: number)
        answer(number, bytes: fits ? answerBytes : 0, now: now)
        return fits
    }

    /// What is no larger than the buffer that a connection has anyway is not worth a refusal.
    private func hasRoom(_ count: Int, for number: UInt) -> Bool {
        let others = bytes - (entries[number]?.held ?? 0)
        return count <= limits.connectionBytesMax || others + count <= limits.bytesMax
    }

    /// An answer begins to be sent; nothing of the request is held any more.
    mutating func answer(_ number: UInt, bytes count: Int, now: SuspendingClock.Instant) {
        update(number) { entry, limits in
            entry.duty = .leaving
            entry.held = count
            entry.deadline = now + limits.transferTime
        }
    }

    /// The answer was sent, or will never be. Another request may come.
    mutating func finish(_ number: UInt, now: SuspendingClock.Instant?) {
        update(number) { entry, limits in
            entry.held = 0
            entry.duty = .arriving
            if let now { entry.deadline = now + limits.transferTime }
        }
    }

    mutating func overdue(now: SuspendingClock.Instant) -> [Overdue] {
        var late: [Overdue] = []
        for (number, entry) in entries where entry.deadline <= now {
            switch entry.duty {
            case .answering(let work): late.append(.giveUp(work))
            case .arriving: late.append(.cut(descriptor: entry.descriptor, isArriving: true))
            case .leaving: late.append(.cut(descriptor: entry.descriptor, isArriving: false))
            case .cut: continue
            }
            if case .answering = entry.duty { continue }
            entries[number]?.duty = .cut
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
        guard var entry = entries[number] else { return }
        bytes -= entry.held
        change(&entry, limits)
        bytes += entry.held
        entries[number] = entry
    }
}
