import Worker

/// One partition's events on their way into the stream of all: out of its log here, or from the worker that owns it.
struct PartitionEvents: Sendable {
    enum News: Sendable {
        /// As the log prints them, one a line.
        case lines([UInt8])
        /// Nothing for now; whoever was given to `begin` is called when there is.
        case nothing
        case end
        /// There is more, and it cannot be had: its worker has gone, or has the partition no more.
        case broken
    }

    /// What comes next. Waits for nothing.
    var next: @Sendable () -> News
    var begin: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void
    var close: @Sendable () -> Void
}

extension PartitionEvents {
    init(_ stream: EventStream) {
        self.init(
            next: {
                switch stream.next() {
                case .bytes(let lines): .lines(lines)
                case .events: preconditionFailure("events are rendered for a body")
                case .nothing: .nothing
                case .end: stream.isWhole ? .end : .broken
                }
            }, begin: { stream.begin($0) }, close: { stream.close() })
    }
}
