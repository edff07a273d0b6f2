import Console
import Notices
import Synchronization
import Worker

/// The events of all partitions as one stream: each partition's in its order, pieces of them in turn.
///
/// Each event says whose it is. The id of a server-sent event is the number of the last event of every partition, so that
/// whoever comes back misses nothing and gets nothing twice (`V5`).
final class MergedEvents: Sendable {
    private struct State: Sendable {
        /// Up to which event of each partition everything was given.
        var cursor: [UInt64]
        /// Whose turn it is.
        var next = 0
        var ended: Set<Int> = []
        var left: Int?
    }

    private let streams: [PartitionEvents]
    private let isServerSent: Bool
    /// Whether they go on for as long as the worker does.
    private let follows: Bool
    private let state: Mutex<State>

    init(_ streams: [PartitionEvents], after cursor: [UInt64], isServerSent: Bool, follows: Bool, limit: Int?) {
        (self.streams, self.isServerSent, self.follows) = (streams, isServerSent, follows)
        state = Mutex(State(cursor: cursor, left: limit))
    }

    func begin(_ wake: @escaping @Sendable () -> Void) { for stream in streams { stream.begin(wake) } }
    func close() { for stream in streams { stream.close() } }

    /// What comes next. Waits for nothing.
    func next() -> BodyStream.Next {
        state.withLock { state in
            guard state.left != 0 else { return .end }
            for turn in streams.indices {
                let place = (state.next + turn) % streams.count
                guard !state.ended.contains(place) else { continue }
                switch streams[place].next() {
                case .lines(let lines):
                    state.next = (place + 1) % streams.count
                    return .piece(render(lines, of: place, &state))
                case .nothing: continue
                case .broken: return broken(&state)
                case .end:
                    state.ended.insert(place)
                    // One that goes on ends only where its log cannot be read on: the client is to come again.
                    if follows { return .end }
                }
            }
            return state.ended.count == streams.count ? .end : .nothing
        }
    }

    /// One that goes on just ends, since its reader comes again. One that would end anyway says that this is not the end.
    private func broken(_ state: inout State) -> BodyStream.Next {
        if follows { return .end }
        state.left = 0
        let said =
            "{\"error\":\"a worker that has some of the partitions does not go on; ask again with after=\(EventCursor.text(state.cursor))\"}"
        return .piece(Array((isServerSent ? "event: error\ndata: \(said)\n\n" : said + "\n").utf8))
    }

    private func render(_ lines: [UInt8], of place: Int, _ state: inout State) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(lines.count + 64)
        for line in lines.split(separator: 0x0A) {
            guard state.left != 0 else { break }
            state.left = state.left.map { $0 - 1 }
            guard let event = EventLine(line) else { continue }
            state.cursor[place] = event.seq
            if isServerSent {
                body +=
                    Array("id: \(EventCursor.text(state.cursor))\nevent: ".utf8) + event.type + Array("\ndata: ".utf8)
            }
            body += Array("{\"partition\":\(place),".utf8)
            body += line.dropFirst()
            body += Array((isServerSent ? "\n\n" : "\n").utf8)
        }
        return body
    }
}

/// The number and the type of an event as the log prints it (SPEC §12): its keys come in one order.
struct EventLine {
    let seq: UInt64
    let type: ArraySlice<UInt8>

    init?(_ line: ArraySlice<UInt8>) {
        let before = Array("{\"seq\":".utf8)
        guard line.starts(with: before) else { return nil }
        var (seq, place) = (UInt64(0), line.startIndex + before.count)
        while place < line.endIndex, (0x30...0x39).contains(line[place]) {
            seq = seq &* 10 &+ UInt64(line[place] - 0x30)
            place += 1
        }
        self.seq = seq
        // Behind `,"at":"…","type":"`: an instant holds no quotes.
        let quotes = line[place...].indices.lazy.filter { line[$0] == UInt8(ascii: "\"") }.prefix(8)
        let places = Array(quotes)
        guard places.count == 8 else { return nil }
        type = line[(places[6] + 1)..<places[7]]
    }
}

extension BodyStream {
    /// The events of all partitions as a body.
    convenience init(_ events: MergedEvents, isServerSent: Bool) {
        let isGreeted = Mutex(!isServerSent)
        self.init(
            Source(
                next: {
                    let mustGreet = isGreeted.withLock { isGreeted in
                        defer { isGreeted = true }
                        return !isGreeted
                    }
                    return mustGreet ? .piece(Self.greeting) : events.next()
                },
                begin: { events.begin($0) }, close: { events.close() },
                heartbeat: isServerSent ? Self.signOfLife : []))
    }
}
