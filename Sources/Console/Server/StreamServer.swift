internal import Dispatch
internal import Queueing
internal import Synchronization

/// A connection whose answer has begun and now comes in pieces.
struct StreamArrival: Sendable {
    let descriptor: Int32
    let stream: BodyStream
    /// Whether the client knows chunks (RFC 9112); otherwise the end of the connection is that of the body.
    let isChunked: Bool
}

/// Serves the answers that come in pieces, for all servers, on one thread with low priority.
///
/// An `HTTPServer` reads the request and sends the head of the answer; then it hands the connection over, and no
/// longer counts it among its own. Nobody waits for a slow reader (`V5`, `G11`).
public final class StreamServer: Sendable {
    private let limits: StreamLimits
    private let mail: StreamMail
    private let places = Atomic(0)
    private let thread: Lane
    private let hasEnded = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    public init(limits: StreamLimits = StreamLimits(), clocks: HTTPClocks) throws(HTTPServer.Problem) {
        guard let bell = Bell(), let ready = ReadySet() else {
            throw .cannotStart(code: SocketCall.lastError)
        }
        self.limits = limits
        mail = StreamMail(bell)
        thread = Lane("belfry.streams", threads: 1, waitingMax: 1, priority: .behindOthers)
        let loop = StreamLoop(limits, clocks, mail, ready)
        _ = thread.take { [hasEnded, mail] in
            loop.run(closed: { [weak self] in self?.leave() }, isAwaited: { [weak self] in (self?.count ?? 0) > 0 })
            mail.close()
            hasEnded.signal()
        }
    }

    deinit { if end(within: .zero) { hasEnded.wait() } }

    /// How many are open.
    public var count: Int { places.load(ordering: .sequentiallyConsistent) }

    /// How many can be.
    public var most: Int { limits.streamsMax }

    /// Takes a place for a stream that is about to begin; `false` where there is none.
    func reserve() -> Bool {
        // The place first: a stop that this does not see sees the place, and waits for whoever has it.
        let taken = places.add(1, ordering: .sequentiallyConsistent).newValue
        guard taken <= limits.streamsMax, !isStopped.load(ordering: .sequentiallyConsistent) else {
            leave()
            return false
        }
        return true
    }

    /// The stream will not come after all, or has ended.
    func leave() { places.subtract(1, ordering: .relaxed) }

    /// From now on the connection is the streams'. A place was taken for it.
    func take(_ arrival: StreamArrival) {
        SocketCall.prepareForStream(arrival.descriptor, bufferBytes: limits.sendBufferBytes)
        if !mail.post(arrival) {
            SocketCall.close(arrival.descriptor)
            arrival.stream.close()
            leave()
        }
    }

    /// Ends all streams so that their clients can tell, takes no further one, and gives them at most so long to read
    /// the end. Calling it again does nothing, and is `false`.
    @discardableResult
    public func end(within patience: Duration) -> Bool {
        let isFirst = isStopped.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent)
            .exchanged
        if isFirst { mail.stop(within: patience) }
        return isFirst
    }

    /// Ends them and blocks until they have ended, so it is called once, from a thread that may wait.
    public func stop(within patience: Duration) {
        end(within: patience)
        hasEnded.wait()
    }

    /// Looks at deadlines now. Happens by itself every `lookInterval` of real time; whoever sets the clock calls it.
    public func look() { mail.look() }
}

/// What other threads tell that of the streams.
final class StreamMail: Sendable {
    struct Letters: Sendable {
        var arrivals: [StreamArrival] = []
        /// Streams that have something to send, by their numbers.
        var woken: [UInt64] = []
        var mustLook = false
        /// How long those that are open get to read the end; `nil` while nobody stops.
        var patience: Duration?
        var isClosed = false

        fileprivate var isEmpty: Bool { arrivals.isEmpty && woken.isEmpty && !mustLook && patience == nil }
    }

    let bell: Bell
    private let letters = Mutex(Letters())

    init(_ bell: Bell) { self.bell = bell }

    /// `false` where nobody reads the mail any more.
    func post(_ arrival: StreamArrival) -> Bool { put { $0.arrivals.append(arrival) } }

    func wake(_ number: UInt64) { _ = put { $0.woken.append(number) } }

    func look() { _ = put { $0.mustLook = true } }

    func stop(within patience: Duration) { _ = put { $0.patience = patience } }

    /// Nobody reads it any more; who has just arrived is sent away.
    func close() {
        let late = letters.withLock { letters in
            defer { letters = Letters(isClosed: true) }
            return letters.arrivals
        }
        for arrival in late {
            SocketCall.close(arrival.descriptor)
            arrival.stream.close()
        }
    }

    func takeAll() -> Letters {
        // In this order: whoever posts once the letters are taken rings again.
        bell.silence()
        return letters.withLock { letters in
            defer { letters = Letters() }
            return letters
        }
    }

    private func put(_ change: (inout Letters) -> Void) -> Bool {
        let outcome = letters.withLock { letters -> (isTaken: Bool, isFirst: Bool) in
            guard !letters.isClosed else { return (false, false) }
            let isFirst = letters.isEmpty
            change(&letters)
            return (true, isFirst)
        }
        if outcome.isFirst { bell.ring() }
        return outcome.isTaken
    }
}
