import Notices
import Synchronization

/// Events of partitions that one other worker owns, fetched piece by piece for as long as somebody takes them (`V5`).
///
/// The next piece is asked for when the last one was taken, so a slow reader costs one piece. Where the other worker cannot go on,
/// because a partition has left it, the stream ends, and its reader comes again with what it has had.
final class EventsOfOthers: Sendable {
    private struct State: Sendable {
        /// Up to which event of each partition everything was fetched.
        var cursor: [Int: UInt64]
        var fetched: [Int: [UInt8]] = [:]
        var ended: Set<Int> = []
        var isAsking = false
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    private let neighbours: Neighbours
    private let url: String
    private let question: EventsWanted
    private let state: Mutex<State>

    /// - Parameter cursor: behind which event of each partition it begins.
    init(_ neighbours: Neighbours, at url: String, _ question: EventsWanted, after cursor: [Int: UInt64]) {
        (self.neighbours, self.url, self.question) = (neighbours, url, question)
        state = Mutex(State(cursor: cursor))
    }

    func events(of partition: Int) -> PartitionEvents {
        PartitionEvents(
            next: { [self] in next(of: partition) }, begin: { [self] wake in state.withLock { $0.wake = wake } },
            close: { [self] in
                state.withLock { state in
                    (state.isOver, state.wake, state.fetched) = (true, nil, [:])
                }
            })
    }

    private func next(of partition: Int) -> PartitionEvents.News {
        let (news, mustAsk) = state.withLock { state -> (PartitionEvents.News, Bool) in
            if let lines = state.fetched.removeValue(forKey: partition) { return (.lines(lines), false) }
            if state.ended.contains(partition) { return (.end, false) }
            if state.isOver { return (.broken, false) }
            guard state.fetched.isEmpty, !state.isAsking else { return (.nothing, false) }
            state.isAsking = true
            return (.nothing, true)
        }
        if mustAsk { ask() }
        return news
    }

    private func ask() {
        let cursor = state.withLock { state in state.cursor.filter { !state.ended.contains($0.key) } }
        neighbours.listen(question.document(after: cursor), to: url) { [self] in hear($0) }
    }

    private func hear(_ answer: JSONValue?) {
        let (wake, mustAsk) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
            guard let pieces = answer.flatMap(EventsWanted.pieces) else {
                (state.isOver, state.isAsking) = (true, false)
                return (state.wake, false)
            }
            for piece in pieces {
                state.cursor[piece.partition] = max(piece.seq, state.cursor[piece.partition] ?? 0)
                if piece.isEnded { state.ended.insert(piece.partition) }
                if !piece.lines.isEmpty, !state.isOver { state.fetched[piece.partition] = piece.lines }
            }
            // There was nothing for a while: it is listened to further.
            let mustAsk =
                state.fetched.isEmpty && !state.isOver && pieces.allSatisfy { !$0.isEnded }
            state.isAsking = mustAsk
            return (mustAsk ? nil : state.wake, mustAsk)
        }
        if mustAsk { ask() }
        wake?()
    }
}

/// What is wanted of another worker's partitions, and the form of what it gives.
struct EventsWanted: Sendable {
    static let word = "events"

    /// Empty for all.
    var types: [String]
    /// The last event wanted of each partition; `nil` to go on with the log.
    var through: [Int: UInt64]?

    /// A stretch of one partition.
    struct Piece: Sendable {
        var partition: Int
        /// Up to which event everything that is wanted is in it, or was in one before.
        var seq: UInt64
        var lines: [UInt8]
        var isEnded: Bool
    }

    // MARK: The question

    func document(after cursor: [Int: UInt64]) -> JSONValue {
        func list(_ numbers: [Int: UInt64]) -> JSONValue {
            .object(numbers.sorted { $0.key < $1.key }.map { .init("\($0.key)", .number("\($0.value)")) })
        }
        return .object([
            .init("about", .string(Self.word)), .init("after", list(cursor)),
            .init("through", through.map(list) ?? .null), .init("types", .array(types.map { .string($0) })),
        ])
    }

    /// `nil` for what is none.
    static func read(_ question: JSONValue) -> (wanted: EventsWanted, after: [Int: UInt64])? {
        func numbers(_ key: String) -> [Int: UInt64]? {
            guard let list = question[key], list.isObject else { return nil }
            var numbers: [Int: UInt64] = [:]
            for member in list.members {
                guard let partition = Int(member.key), let seq = member.value.natural else { return nil }
                numbers[partition] = seq
            }
            return numbers
        }
        guard let after = numbers("after"), let types = question["types"]?.elements?.compactMap(\.string) else {
            return nil
        }
        return (EventsWanted(types: types, through: numbers("through")), after)
    }

    // MARK: The answer

    static func document(_ pieces: [Piece]) -> JSONValue {
        .object([
            .init(
                "pieces",
                .array(
                    pieces.map { piece in
                        .object([
                            .init("partition", .number("\(piece.partition)")), .init("seq", .number("\(piece.seq)")),
                            .init("lines", .string(String(decoding: piece.lines, as: UTF8.self))),
                            .init("ended", .bool(piece.isEnded)),
                        ])
                    }))
        ])
    }

    static func pieces(_ answer: JSONValue) -> [Piece]? {
        guard let told = answer["pieces"]?.elements else { return nil }
        let pieces = told.compactMap { piece -> Piece? in
            guard let partition = piece["partition"]?.integer, let seq = piece["seq"]?.natural,
                let lines = piece["lines"]?.string, let isEnded = piece["ended"]?.bool
            else { return nil }
            return Piece(partition: partition, seq: seq, lines: Array(lines.utf8), isEnded: isEnded)
        }
        return pieces.count == told.count ? pieces : nil
    }
}
