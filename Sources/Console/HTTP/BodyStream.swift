internal import Synchronization

/// A body that comes in pieces, as long as there is news and the client takes it (`V5`).
///
/// It is asked for a piece when there is room to send one, and pushes nothing. So a slow client costs one piece
/// and what its socket holds, however much there is for it.
public final class BodyStream: Sendable {
    public enum Next: Sendable, Equatable {
        case piece([UInt8])
        /// Nothing for now; the stream is woken when there is more.
        case nothing
        case end
        /// There was to be more, and it does not come: the connection is cut, so that the client can tell it from an end.
        case broken
    }

    private let source: Source
    private let isClosed = Atomic(false)

    public init(_ source: Source) { self.source = source }

    deinit { close() }

    /// Where the pieces come from.
    public struct Source: Sendable {
        /// Asked on the thread of all streams; must not wait for anything.
        public var next: @Sendable () -> Next
        /// Called once, when somebody reads: how to say that `next` is to be asked again, from any thread.
        public var begin: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void
        /// Called once, when nobody reads any more, also of a stream that never began.
        public var close: @Sendable () -> Void
        /// Sent when nothing else was for a while, so that everybody on the way knows that the stream lives; may be
        /// empty.
        public var heartbeat: [UInt8]
        /// Whether the client still may read it: its token may have ended meanwhile. Asked now and then; must not wait.
        public var mayGoOn: @Sendable () -> Bool

        public init(
            next: @escaping @Sendable () -> Next,
            begin: @escaping @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void = { _ in },
            close: @escaping @Sendable () -> Void = {}, heartbeat: [UInt8] = [],
            mayGoOn: @escaping @Sendable () -> Bool = { true }
        ) {
            self.next = next
            self.begin = begin
            self.close = close
            self.heartbeat = heartbeat
            self.mayGoOn = mayGoOn
        }
    }

    var heartbeat: [UInt8] { source.heartbeat }
    var mayGoOn: Bool { source.mayGoOn() }

    func next() -> Next { source.next() }
    func begin(_ wake: @escaping @Sendable () -> Void) { source.begin(wake) }

    func close() {
        let isFirst = isClosed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
            .exchanged
        if isFirst { source.close() }
    }

    /// The same stream, which ends when `condition` does not hold any more.
    public func guarded(by condition: @escaping @Sendable () -> Bool) -> BodyStream {
        var source = source
        let mayGoOn = source.mayGoOn
        // The new one keeps this one, and closes it.
        source.close = { [self] in close() }
        source.mayGoOn = { mayGoOn() && condition() }
        return BodyStream(source)
    }
}

extension BodyStream: Equatable {
    public static func == (left: BodyStream, right: BodyStream) -> Bool { left === right }
}
