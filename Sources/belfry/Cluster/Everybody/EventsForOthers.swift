import Console
import Dispatch
import Notices
import Synchronization
import Worker

/// What another worker is told of the partitions here: what there is, at once, or what comes within a few seconds.
///
/// It lives until it has answered, because the streams it looks at know it.
final class EventsForOthers: Sendable {
    private struct Line: Sendable {
        var partition: Int
        var stream: EventStream
        var piece: EventsWanted.Piece
        /// Whether it ended before all that was asked for: the partition has left, or its log cannot be read on.
        var isCut = false
    }

    private struct State: Sendable {
        var lines: [Line]
        var bytes = 0
        var reply: (@Sendable (Answer) -> Void)?
    }

    private let state: Mutex<State>
    private static let queue = DispatchQueue(label: "belfry.events.others", qos: .utility)
    private static let patience = 5.0
    /// As much is told at once.
    private static let bytesMax = 512 << 10

    private init(_ lines: [Line], _ reply: @escaping @Sendable (Answer) -> Void) {
        state = Mutex(State(lines: lines, reply: reply))
    }

    static func answer(_ question: JSONValue, _ town: Town, _ reply: @escaping @Sendable (Answer) -> Void) {
        guard let (wanted, after) = EventsWanted.read(question) else {
            return reply(.refused("this question is not known here"))
        }
        let filter = EventFilter(named: wanted.types)
        var lines: [Line] = []
        for (partition, seq) in after.sorted(by: { $0.key < $1.key }) {
            guard let log = town.log(partition) else { return reply(.unable(.noOwner(partition))) }
            let stream = log.hub.follow(filter, as: .lines, after: seq, through: wanted.through?[partition])
            lines.append(
                Line(
                    partition: partition, stream: stream,
                    piece: .init(partition: partition, seq: seq, lines: [], isEnded: false)))
        }
        EventsForOthers(lines, reply).begin()
    }

    private func begin() {
        let streams = state.withLock { $0.lines.map(\.stream) }
        for stream in streams { stream.begin { [self] in Self.queue.async { self.look() } } }
        Self.queue.async { self.look() }
        Self.queue.asyncAfter(deadline: .now() + Self.patience) { self.finish() }
    }

    /// On the queue, as everything that touches the streams.
    private func look() {
        let hasNews = state.withLock { state -> Bool in
            guard state.reply != nil else { return false }
            for place in state.lines.indices { Self.take(&state.lines[place], &state.bytes) }
            return state.lines.contains { !$0.piece.lines.isEmpty || $0.piece.isEnded || $0.isCut }
        }
        if hasNews { finish() }
    }

    private static func take(_ line: inout Line, _ bytes: inout Int) {
        while bytes < bytesMax, !line.piece.isEnded, !line.isCut {
            // Before it is asked: what it is at then, and has nothing of, was given.
            let seq = line.stream.seq
            switch line.stream.next() {
            case .bytes(let more):
                line.piece.lines += more
                bytes += more.count
                if let last = more.split(separator: 0x0A).last.flatMap({ EventLine($0) }) {
                    line.piece.seq = max(line.piece.seq, last.seq)
                }
            case .events: preconditionFailure("events are rendered for others")
            case .nothing:
                line.piece.seq = max(line.piece.seq, seq)
                return
            case .end where !line.stream.isWhole: line.isCut = true
            case .end: line.piece.isEnded = true
            }
        }
    }

    private func finish() {
        let (reply, lines) = state.withLock { state in
            defer { state.reply = nil }
            return (state.reply, state.lines)
        }
        guard let reply else { return }
        for line in lines { line.stream.close() }
        // What was read of the others is asked for again by whoever comes again.
        if let cut = lines.first(where: \.isCut) { return reply(.unable(.noOwner(cut.partition))) }
        reply(.found(WorkerViews.line(EventsWanted.document(lines.map(\.piece)))))
    }
}
