/// The thread of all streams: sends each what there is for it, as far as its client takes it.
///
/// Safe to share: made by one thread and from then on touched by the streams' alone. Others post to its mail.
final class StreamLoop: @unchecked Sendable {
    /// How much one stream may send before it is another's turn.
    private static let piecesAtOnce = 4
    private static let bellNumber: UInt64 = 0

    private let limits: StreamLimits
    private let clocks: HTTPClocks
    private let mail: StreamMail
    private let ready: ReadySet
    private var streams: [UInt64: StreamConnection] = [:]
    private var lastNumber: UInt64 = 0
    /// Those that have something to send, or may have.
    private var line: [UInt64] = []
    private var nextLook = SuspendingClock.now
    /// Once it is to stop, until when.
    private var endsAt: SuspendingClock.Instant?
    private var closed: () -> Void = {}
    private var isAwaited: () -> Bool = { false }
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    init(_ limits: StreamLimits, _ clocks: HTTPClocks, _ mail: StreamMail, _ ready: ReadySet) {
        self.limits = limits
        self.clocks = clocks
        self.mail = mail
        self.ready = ready
        _ = ready.add(mail.bell.reading, number: Self.bellNumber, .reading)
    }

    deinit { scratch.deallocate() }

    /// - Parameters:
    ///   - closed: called for each stream that has ended.
    ///   - isAwaited: whether there are streams open or on their way here, which are told their end as well.
    func run(closed: @escaping () -> Void, isAwaited: @escaping () -> Bool) {
        self.closed = closed
        self.isAwaited = isAwaited
        while !isOver { turn() }
        for number in Array(streams.keys) { close(number) }
    }

    private var isOver: Bool {
        guard let endsAt else { return false }
        return streams.isEmpty && !isAwaited() || endsAt <= SuspendingClock.now
    }

    private func turn() {
        var hasMail = false
        ready.wait(milliseconds: patience) { number, happened in
            if number == Self.bellNumber { hasMail = true } else { hear(number, happened) }
        }
        if hasMail { readMail() }
        let now = clocks.passing()
        let round = line
        line.removeAll(keepingCapacity: true)
        for number in round {
            streams[number]?.isInLine = false
            goOn(number, now)
        }
        if nextLook <= SuspendingClock.now { look() }
    }

    private var patience: Int32? {
        if !line.isEmpty { return 0 }
        if endsAt != nil { return 10 }
        return streams.isEmpty ? nil : Int32(clamping: limits.lookInterval.wholeMilliseconds + 1)
    }

    private func readMail() {
        let letters = mail.takeAll()
        for arrival in letters.arrivals { welcome(arrival) }
        for number in letters.woken { enqueue(number) }
        if letters.mustLook { look() }
        if let patience = letters.patience { finishAll(within: patience) }
    }

    private func welcome(_ arrival: StreamArrival) {
        lastNumber += 1
        let number = lastNumber
        let connection = StreamConnection(arrival, now: clocks.passing())
        streams[number] = connection
        guard ready.add(arrival.descriptor, number: number, .reading) else { return close(number) }
        arrival.stream.begin { [mail] in mail.wake(number) }
        if endsAt != nil { connection.finish() }
        enqueue(number)
    }

    private func enqueue(_ number: UInt64) {
        // Who waits for room is asked again when there is some.
        guard let stream = streams[number], !stream.isInLine, !stream.awaitsRoom, stream.lingersUntil == nil else {
            return
        }
        stream.isInLine = true
        line.append(number)
    }

    private func hear(_ number: UInt64, _ happened: ReadySet.What) {
        guard let stream = streams[number] else { return }
        if happened.contains(.parted) { return close(number) }
        if happened.contains(.reading), !stream.drain(scratch, limits) { return close(number) }
        if happened.contains(.writing), stream.awaitsRoom {
            stream.awaitsRoom = false
            ready.change(stream.descriptor, number: number, .reading)
            enqueue(number)
        }
    }

    private func goOn(_ number: UInt64, _ now: SuspendingClock.Instant) {
        guard let stream = streams[number] else { return }
        follow(stream.goOn(pieces: Self.piecesAtOnce, now: now), of: stream, number, now)
    }

    private func follow(
        _ progress: StreamConnection.Progress, of stream: StreamConnection, _ number: UInt64,
        _ now: SuspendingClock.Instant
    ) {
        switch progress {
        case .more: enqueue(number)
        case .idle: break
        case .blocked:
            stream.awaitsRoom = true
            ready.change(stream.descriptor, number: number, [.reading, .writing])
        case .ended:
            // To hang up at once could take the end from the client.
            SocketCall.finishSending(stream.descriptor)
            stream.lingersUntil = now + limits.lingerTime
            stream.stream.close()
        case .gone: close(number)
        }
    }

    private func close(_ number: UInt64) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        ready.remove(stream.descriptor)
        stream.close()
        closed()
    }

    // MARK: Time

    private func look() {
        nextLook = SuspendingClock.now + limits.lookInterval
        let now = clocks.passing()
        for (number, stream) in streams {
            if stream.isStalled(limits, now: now) {
                close(number)
            } else if stream.lingersUntil == nil {
                tend(stream, number, now)
            }
        }
    }

    private func tend(_ stream: StreamConnection, _ number: UInt64, _ now: SuspendingClock.Instant) {
        let isQuiet = stream.lastByte + limits.heartbeatTime <= now
        let isUnchecked = stream.checkedAt + limits.heartbeatTime <= now
        guard isQuiet || isUnchecked else { return }
        if isUnchecked {
            stream.checkedAt = now
            if !stream.stream.mayGoOn { stream.finish() }
        }
        if isQuiet { stream.beat(now: now) }
        enqueue(number)
    }

    private func finishAll(within patience: Duration) {
        endsAt = SuspendingClock.now + patience
        for (number, stream) in streams where stream.lingersUntil == nil {
            stream.finish()
            enqueue(number)
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
