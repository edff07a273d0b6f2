internal import Notices
internal import Synchronization

/// Writes each job as a line of JSON to a descriptor, several with one call where they come fast.
///
/// A line that was written whole is taken: nobody can say whether it was read. A reader that went away does not come back,
/// so that is a refusal; whatever else fails, such as a full disk behind a redirection, is tried again. The process must
/// ignore SIGPIPE.
public final class StdoutSink: Sink {
    public let name = "standard output"
    public let window = 256

    private let gathering: Gathering

    public convenience init() { self.init(descriptor: SystemFiles.standardOutput) }

    /// - Parameter descriptor: must stay open; it is not closed.
    public init(descriptor: Int32) {
        let lines = LineWriter(descriptor: descriptor)
        gathering = Gathering(label: "belfry.stdout") { lines.write($0) }
    }

    public func take(_ order: Order, answer: @escaping @Sendable (SinkOutcome) -> Void) {
        gathering.take(order, answer)
    }

    public func close(_ done: @escaping @Sendable () -> Void) { gathering.close(done) }
}

private final class LineWriter: Sendable {
    private let descriptor: Int32
    /// Whether the last write broke off within a line, which must be ended before another begins.
    private let isMidLine = Mutex(false)

    init(descriptor: Int32) { self.descriptor = descriptor }

    func write(_ orders: [Order]) -> [SinkOutcome] {
        var bytes: [UInt8] = isMidLine.withLock { $0 } ? [UInt8(ascii: "\n")] : []
        let ends = orders.map { order in
            bytes.append(contentsOf: shown(order))
            bytes.append(UInt8(ascii: "\n"))
            return bytes.count
        }
        let (written, code) = SystemFiles.write(bytes, to: descriptor)
        if written > 0 { isMidLine.withLock { $0 = bytes[written - 1] != UInt8(ascii: "\n") } }
        let failure = SystemFailure("be written", code)
        let reason = "could not \(failure)"
        let verdict: SinkOutcome =
            failure.isReaderGone ? .refused(reason: reason) : .retry(after: nil, reason: reason)
        return ends.map { $0 <= written ? .taken(providerID: nil) : verdict }
    }

    /// Often it is a terminal that reads this: what would steer it is written as JSON's own escapes.
    private func shown(_ order: Order) -> [UInt8] {
        let plain = order.line
        var line = ByteBuffer(capacity: plain.count)
        plain.withUnsafeBytes { Visible.appendJSON($0, to: &line) }
        return Array(line.bytes)
    }
}
