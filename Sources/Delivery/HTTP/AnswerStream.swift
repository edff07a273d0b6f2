internal import CCurl
internal import Synchronization

/// The body of an answer, taken while it comes: what a stream is read with.
///
/// The call of a pool fills it (`HTTPCall.stream`), and whoever reads it takes what has come. A reader who is slow costs
/// `bytesMax` and what the connection holds: the server is not read further until there is room.
public final class AnswerStream: Sendable {
    public enum Next: Sendable, Equatable {
        case piece([UInt8])
        /// Nothing for now; the reader is woken when there is more.
        case nothing
        /// Everything has come.
        case end
        /// The connection broke, or was given up: more was to come.
        case broken
    }

    private enum Outcome { case whole, broken }

    private struct State {
        var bytes: [UInt8] = []
        /// Whether libcurl holds bytes back until there is room.
        var isFull = false
        var isClosed = false
        var outcome: Outcome?
        var wake: (@Sendable () -> Void)?
        /// Tells the pool's thread to look at this call.
        var nudge: (@Sendable () -> Void)?
    }

    static let bytesMax = 128 << 10

    private let state = Mutex(State())
    private let hasBegun: @Sendable (AnswerStream, AnswerHeaders) -> Void

    /// - Parameter hasBegun: called once, on the pool's thread, when the head of an answer with status 200 has come. Other
    ///   answers have a body as usual, and come as the call's reply alone.
    public init(hasBegun: @escaping @Sendable (AnswerStream, AnswerHeaders) -> Void) { self.hasBegun = hasBegun }

    // MARK: For who reads

    /// - Parameter wake: called from the pool's thread whenever there may be more to take.
    public func begin(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        wake()
    }

    public func next() -> Next {
        let (next, nudge) = state.withLock { state -> (Next, (@Sendable () -> Void)?) in
            guard state.bytes.isEmpty else {
                let piece = state.bytes
                state.bytes = []
                return (.piece(piece), state.isFull ? state.nudge : nil)
            }
            return switch state.outcome {
            case nil: (.nothing, nil)
            case .whole: (.end, nil)
            case .broken: (.broken, nil)
            }
        }
        nudge?()
        return next
    }

    /// Nobody reads any further: the call is given up.
    public func close() {
        let nudge = state.withLock { state in
            state.isClosed = true
            (state.bytes, state.wake) = ([], nil)
            return state.nudge
        }
        nudge?()
    }

    /// The server is waited for no longer: what has come can be read, and then the stream is broken.
    public func breakOff() {
        let nudge = state.withLock { state in
            state.isClosed = true
            return state.nudge
        }
        nudge?()
    }

    /// Whether the server is held up until somebody reads.
    var isFull: Bool { state.withLock { $0.isFull } }

    // MARK: For the pool's thread

    /// What to do with a call that somebody nudged.
    enum Turn { case goOn, resume, giveUp }

    func start(_ nudge: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            state.nudge = nudge
            return state.isClosed
        }
        if isClosed { nudge() }
    }

    func meet(_ headers: AnswerHeaders) { hasBegun(self, headers) }

    func take(_ bytes: UnsafeRawBufferPointer) -> Transfer.Taking {
        let (taking, wake) = state.withLock { state -> (Transfer.Taking, (@Sendable () -> Void)?) in
            if state.isClosed { return (.refused, nil) }
            guard state.bytes.count < Self.bytesMax else {
                state.isFull = true
                return (.later, nil)
            }
            let isFirst = state.bytes.isEmpty
            state.bytes.append(contentsOf: bytes)
            return (.taken, isFirst ? state.wake : nil)
        }
        wake?()
        return taking
    }

    func turn() -> Turn {
        state.withLock { state in
            if state.isClosed { return .giveUp }
            guard state.isFull, state.bytes.isEmpty else { return .goOn }
            state.isFull = false
            return .resume
        }
    }

    func end(isWhole: Bool) {
        let wake = state.withLock { state in
            state.outcome = isWhole ? .whole : .broken
            state.nudge = nil
            return state.wake
        }
        wake?()
    }
}
