public import Notices
internal import Journal
internal import Synchronization

/// One follower of the log: where it is in the log, and what it is given next.
public final class EventStream: Sendable {
    public enum News: Sendable {
        /// Rendered, as the form says.
        case bytes([UInt8])
        case events([Event])
        /// Nothing for now; whoever was given to `begin` is called when there is.
        case nothing
        case end
    }

    struct State: Sendable {
        /// Everything up to this event was given.
        var seq: UInt64
        /// What was read from the disk and waits to be taken.
        var read: EventPiece?
        /// Of what was read, how much is with the reader now.
        var held = 0
        var isReading = false
        var isClosed = false
        var isAtEnd = false
        /// How many more events are wanted.
        var left: Int?
        var disk = EventReading()
        var wake: (@Sendable () -> Void)?
    }

    let hub: EventHub
    let key: EventChannel.Key
    let last: UInt64?
    /// Whether what it is given is what others are given. One that ends somewhere reads for itself.
    let isShared: Bool
    private let state: Mutex<State>

    init(
        _ hub: EventHub, _ filter: EventFilter, _ form: EventForm, after seq: UInt64, through last: UInt64?, limit: Int?
    ) {
        self.hub = hub
        key = EventChannel.Key(filter: filter, form: form)
        self.last = last
        isShared = last == nil && limit == nil
        state = Mutex(State(seq: seq, left: limit))
    }

    /// - Parameter wake: called, from any thread, when `next` is to be asked again after it had nothing.
    public func begin(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// What comes next. Waits for nothing.
    public func next() -> News {
        let (news, released) = state.withLock { state -> (News?, Int) in
            let released = state.held
            state.held = 0
            if let piece = state.read {
                state.read = nil
                state.held = piece.size
                return (piece.news(key.form), released)
            }
            if state.isClosed || state.isAtEnd || state.left == 0 || state.seq >= last ?? .max {
                return (.end, released)
            }
            return (state.isReading ? .nothing : nil, released)
        }
        hub.release(released)
        return news ?? look()
    }

    private func look() -> News {
        let seq = state.withLock { $0.seq }
        switch hub.find(for: self, after: seq) {
        case nil: return .end
        case .piece(let piece)?:
            state.withLock { $0.seq = piece.lastSeq }
            return piece.news(key.form)
        case .nothing?: return .nothing
        case .behind?:
            state.withLock { $0.isReading = true }
            hub.read(for: self)
            return .nothing
        }
    }

    public func close() {
        let outcome = state.withLock { state -> (isFirst: Bool, bytes: Int) in
            defer {
                state.isClosed = true
                (state.read, state.held, state.wake) = (nil, 0, nil)
            }
            return (!state.isClosed, state.held + (state.read?.size ?? 0))
        }
        if outcome.isFirst { hub.leave(self, releasing: outcome.bytes) }
    }

    /// Up to which event everything was given.
    public var seq: UInt64 { state.withLock { $0.seq } }

    /// Whether all that was asked for was given. One that goes on with the log asks for no end.
    public var isWhole: Bool { last.map { seq >= $0 } ?? true }

    // MARK: What others tell it

    func wakeUp() { state.withLock { $0.wake }?() }

    /// The log cannot be read on; the client is to come again.
    func fail() {
        state.withLock { $0.isAtEnd = true }
        wakeUp()
    }

    // MARK: Reading from the disk

    private var isWanted: Bool { state.withLock { !$0.isClosed } }

    /// A step on a reader's thread.
    func readOn() {
        let start = state.withLock { state in state.isClosed ? nil : (state.disk, state.seq, state.left) }
        guard let (reading, seq, left) = start else { return }
        var disk = reading
        do throws(JournalError) {
            let step = try disk.step(
                EventReading.Order(
                    filter: key.filter, form: key.form, after: seq, through: last, left: left,
                    isWanted: { [unowned self] in isWanted }), hub)
            finish(step, disk)
        } catch {
            hub.tell(error)
            fail()
        }
    }

    private func finish(_ step: EventReading.Step, _ disk: EventReading) {
        let size = step.piece.size
        if size > 0 { hub.hold(size) }
        let isKept = state.withLock { state -> Bool in
            state.isReading = false
            state.disk = disk
            state.seq = max(state.seq, step.seq)
            if let left = state.left { state.left = left - step.piece.count }
            if step.isAtEnd { state.isAtEnd = true }
            guard !state.isClosed else { return false }
            if !step.piece.isEmpty { state.read = step.piece }
            return true
        }
        if !isKept { hub.release(size) }
        wakeUp()
    }
}

extension EventPiece {
    fileprivate func news(_ form: EventForm) -> EventStream.News { form == .whole ? .events(events) : .bytes(bytes) }
}
