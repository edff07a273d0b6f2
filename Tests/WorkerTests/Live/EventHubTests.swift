import CivilTime
import Foundation
import Journal
import Notices
import Simulation
import Synchronization
import Testing

@testable import Worker

/// One who follows, breaks off now and then, and comes back to where they were.
private final class Follower {
    let log: GrowingLog
    let filter: EventFilter
    let form: EventForm
    let start: UInt64
    private(set) var got: [UInt64] = []
    /// As it came.
    private(set) var text = ""
    private var stream: EventStream?
    /// Signalled when there may be something to take.
    private let news: DispatchSemaphore

    init(
        _ log: GrowingLog, _ filter: EventFilter, _ form: EventForm, after start: UInt64,
        _ news: DispatchSemaphore = DispatchSemaphore(value: 0)
    ) {
        (self.log, self.filter, self.form, self.start, self.news) = (log, filter, form, start, news)
    }

    deinit { stream?.close() }

    func breakOff() {
        stream?.close()
        stream = nil
    }

    /// Takes so many pieces, if there are as many.
    func take(_ count: Int) { for _ in 0..<count { if !takeOne() { return } } }

    /// Takes until everything up to some event has come. False when it hangs.
    func takeAll(_ count: Int) -> Bool {
        while got.count < count {
            if takeOne() { continue }
            guard news.wait(timeout: .now() + 600) == .success else { return false }
        }
        return true
    }

    private func takeOne() -> Bool {
        let stream = self.stream ?? begin()
        switch stream.next() {
        case .bytes(let bytes):
            text += String(decoding: bytes, as: UTF8.self)
            got += String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
                form == .lines
                    ? JSONValue(parsing: String(line))?["seq"]?.asSeq
                    : line.hasPrefix("id: ") ? UInt64(line.dropFirst(4)) : nil
            }
        case .events(let events): got += events.map(\.seq)
        case .nothing: return false
        case .end:
            Issue.record("the stream ended")
            return false
        }
        return true
    }

    private func begin() -> EventStream {
        let stream = log.hub.follow(filter, as: form, after: got.last ?? start)
        stream.begin { [news] in news.signal() }
        self.stream = stream
        return stream
    }
}

extension JSONValue {
    fileprivate var asSeq: UInt64? { if case .number(let text) = self { UInt64(text) } else { nil } }
}

@Suite("Following the log (V5)")
struct EventHubTests {
    private static let users = ["anna", "bert", "cora", "dora", "emil"]

    private static var tight: EventLimits {
        var limits = EventLimits()
        limits.keptBytesMax = 4 << 10
        limits.readBytesMax = 4 << 10
        limits.stepBytesMax = 1 << 10
        limits.pace = .zero
        return limits
    }

    private static func filter(_ random: inout SeededRandom) -> EventFilter {
        var filter = EventFilter()
        if Bool.random(using: &random) { filter.user = (users + ["zoe"]).randomElement(using: &random) }
        if Bool.random(using: &random) { filter.types = [PointsEarned.type.number] }
        return filter
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `whoever breaks off, dawdles or is far behind gets every event once and in order`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let log = try GrowingLog(limits: Self.tight)
        var followers: [Follower] = []
        let news = DispatchSemaphore(value: 0)
        for _ in 0..<120 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                let users = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    (user: Self.users.randomElement(using: &random) ?? "anna", isPoints: Bool.random(using: &random))
                }
                try log.append(users)
            case 4 where followers.count < 8:
                let start = UInt64.random(in: 0...UInt64(log.seqs.count), using: &random)
                let form: EventForm = [.lines, .serverSent, .whole].randomElement(using: &random) ?? .lines
                followers.append(Follower(log, Self.filter(&random), form, after: start, news))
            case 5: followers.randomElement(using: &random)?.breakOff()
            // Whoever is not asked here dawdles.
            default: followers.randomElement(using: &random)?.take(Int.random(in: 1...4, using: &random))
            }
        }
        for follower in followers {
            let expected = log.expected(follower.filter, after: follower.start)
            // Who has something and does not come for it keeps the others waiting for room, until the server is rid of them.
            for other in followers { other.take(100) }
            while follower.got.count < expected.count, news.wait(timeout: .now() + 600) == .success {
                for other in followers { other.take(100) }
            }
            #expect(follower.got == expected, "seed \(seed), \(follower.filter), \(follower.form)")
        }
    }

    @Test func `somebody whom the log has not met yet is followed from their first event on`() throws {
        let log = try GrowingLog(limits: Self.tight)
        try log.append([("anna", false)])
        let follower = Follower(log, EventFilter(user: "zoe"), .lines, after: 1)
        follower.take(1)
        try log.append([("anna", true), ("zoe", true)])
        try log.append([("zoe", false)])
        #expect(follower.takeAll(2))
        #expect(follower.got == [3, 4])
    }

    @Test func `whoever is followed by their number is followed to their erasure, and the next of their id is not`()
        throws
    {
        let log = try GrowingLog(limits: Self.tight)
        try log.append([("anna", false), ("zoe", false)])
        let filter = EventFilter(user: "zoe", number: try log.number(of: "zoe"))
        let early = Follower(log, filter, .whole, after: 2)
        early.take(1)
        #expect(try log.erase("zoe") == 3)
        // Whoever opened their feed in that instant begins behind what is durable by now.
        let late = Follower(log, filter, .whole, after: 2)
        for follower in [early, late] { #expect(follower.takeAll(1)) }
        let byName = Follower(log, EventFilter(user: "zoe"), .lines, after: 3)
        byName.take(1)
        try log.append([("zoe", false), ("anna", true)])
        try log.append([("zoe", true)])
        #expect(byName.takeAll(2))
        for follower in [early, late] {
            follower.take(2)
            #expect(follower.got == [3])
        }
        #expect(byName.got == [4, 6])
    }

    @Test func `whoever is followed by their id is followed across an erasure`() throws {
        let log = try GrowingLog(limits: Self.tight)
        try log.append([("anna", false), ("zoe", false)])
        let follower = Follower(log, EventFilter(user: "zoe"), .lines, after: 0)
        #expect(follower.takeAll(1))
        try log.append([("zoe", true)])
        #expect(follower.takeAll(2))
        #expect(try log.erase("zoe") == 4)
        #expect(follower.takeAll(3))
        try log.append([("zoe", false)])
        #expect(follower.takeAll(4))
        #expect(follower.got == [2, 3, 4, 5])
    }

    @Test func `whoever comes later is told nothing of somebody who was erased`() throws {
        let log = try GrowingLog(limits: Self.tight)
        let follower = Follower(log, EventFilter(), .lines, after: 0)
        try log.append([("anna", false)])
        // It follows by now: what comes next is kept for others.
        #expect(follower.takeAll(1))
        try log.append([("anna", true), ("zoe", false)])
        try log.append([("zoe", true)])
        #expect(follower.takeAll(4) && follower.text.contains("zoe"))
        #expect(try log.erase("zoe") == 5)
        #expect(follower.takeAll(5))
        for start in UInt64(0)...1 {
            let late = Follower(log, EventFilter(), .lines, after: start)
            #expect(late.takeAll(5 - Int(start)))
            #expect(late.text.contains("anna") && !late.text.contains("zoe"), "\(late.text)")
        }
    }

    /// V5, E4: nobody followed them as they were erased, so nobody heard of it.
    @Test func `whoever was followed once, and comes again after an erasure, is followed as who they are now`() throws {
        let log = try GrowingLog(limits: Self.tight)
        try log.append([("anna", false), ("zoe", false)])
        let once = Follower(log, EventFilter(user: "zoe"), .lines, after: 0)
        #expect(once.takeAll(1))
        once.breakOff()
        // By then it is noticed that nobody follows them.
        let all = Follower(log, EventFilter(), .lines, after: 0)
        try log.append([("anna", true)])
        #expect(all.takeAll(3))
        _ = try log.erase("zoe")
        try log.append([("zoe", false)])
        #expect(all.takeAll(5))
        let again = Follower(log, EventFilter(user: "zoe"), .lines, after: 4)
        #expect(again.takeAll(1))
        try log.append([("zoe", true)])
        #expect(again.takeAll(2) && again.got == [5, 6])
    }

    @Test func `a stream that ends somewhere ends there`() throws {
        let log = try GrowingLog(limits: Self.tight)
        for _ in 0..<10 { try log.append([("anna", true), ("bert", false)]) }
        func all(_ filter: EventFilter, through last: UInt64? = nil, limit: Int? = nil) -> [UInt64] {
            let stream = log.hub.follow(filter, as: .whole, after: 0, through: last, limit: limit)
            let news = DispatchSemaphore(value: 0)
            stream.begin { news.signal() }
            var got: [UInt64] = []
            while true {
                switch stream.next() {
                case .events(let events): got += events.map(\.seq)
                case .nothing: guard news.wait(timeout: .now() + 600) == .success else { return [] }
                case .bytes: Issue.record("events were asked for")
                case .end:
                    stream.close()
                    return stream.isWhole ? got : []
                }
            }
        }
        #expect(all(EventFilter(), through: 13) == Array(1...13))
        #expect(all(EventFilter(), limit: 3) == [1, 2, 3])
        #expect(all(EventFilter(user: "bert"), through: 7) == [2, 4, 6])
        #expect(all(EventFilter(types: [PointsEarned.type.number]), limit: 4) == [1, 3, 5, 7])
        #expect(all(EventFilter(user: "bert"), limit: 2) == [2, 4])
    }

    @Test func `a backlog begins so many events back`() throws {
        let log = try GrowingLog(limits: Self.tight)
        for _ in 0..<40 { try log.append([("anna", true), ("bert", false), ("bert", true)]) }
        func begin(_ count: Int, _ filter: EventFilter) throws -> [UInt64] {
            let after = try log.hub.seq(beforeLast: count, of: filter) { true }
            return log.expected(filter, after: after)
        }
        #expect(try begin(5, EventFilter()) == [116, 117, 118, 119, 120])
        #expect(try begin(3, EventFilter(types: [AppOpened.type.number])) == [113, 116, 119])
        #expect(try begin(3, EventFilter(user: "bert")) == [117, 119, 120])
        #expect(try begin(2, EventFilter(types: [PointsEarned.type.number], user: "bert")) == [117, 120])
        #expect(try begin(1000, EventFilter(user: "anna")).count == 40)
        #expect(try begin(0, EventFilter()) == [])
    }

    @Test func `a backlog counts back from the last event that is wanted`() throws {
        let log = try GrowingLog(limits: Self.tight)
        for _ in 0..<40 { try log.append([("anna", true), ("bert", false), ("bert", true)]) }
        func page(_ count: Int, _ filter: EventFilter, through last: UInt64) throws -> [UInt64] {
            let after = try log.hub.seq(beforeLast: count, of: filter, through: last) { true }
            return log.expected(filter, after: after).filter { $0 <= last }
        }
        let filters = [
            EventFilter(), EventFilter(types: [AppOpened.type.number]), EventFilter(user: "bert"),
            EventFilter(types: [PointsEarned.type.number], user: "bert"),
        ]
        for filter in filters {
            for last in [0, 1, 2, 3, 57, 58, 59, 60, 119, 120, 500] as [UInt64] {
                let all = log.expected(filter, after: 0).filter { $0 <= last }
                #expect(try page(4, filter, through: last) == Array(all.suffix(4)), "\(filter) through \(last)")
            }
        }
    }

    @Test func `one event is told with its commit`() throws {
        let log = try GrowingLog(limits: Self.tight)
        for _ in 0..<5 { try log.append([("anna", true), ("bert", false)]) }
        let origin = try #require(try log.hub.origin(of: 8) { true })
        #expect(origin.event.user == "bert" && origin.event.seq == 8)
        #expect(origin.first == 7 && origin.last == 8 && origin.cause == nil && origin.consequences == [])
        #expect(try log.hub.origin(of: 11) { true } == nil)
    }

    /// A log that could not be read for a moment has nobody who reads it on: whoever was just being given something is woken by nobody.
    @Test func `whoever reads when nobody reads on any more has to come again (V5)`() throws {
        let log = try GrowingLog(limits: Self.tight)
        try log.append([("anna", true)])
        let stream = log.hub.follow(EventFilter(), as: .lines, after: 0)
        defer { stream.close() }
        let news = DispatchSemaphore(value: 0)
        stream.begin { news.signal() }
        while case .nothing = stream.next() { news.wait() }
        log.hub.state.withLock { ($0.isTailing, $0.head) = (false, nil) }
        guard case .end = stream.next() else {
            Issue.record("it waits for ever")
            return
        }
        #expect(stream.seq == 1)
    }

    // MARK: What is kept

    private func piece(_ seq: UInt64) -> EventPiece {
        let event = Event(seq: seq, at: GrowingLog.start, user: "anna", payload: .appOpened(AppOpened()))
        var json = ByteBuffer(capacity: 256)
        event.writeJSON(into: &json)
        var piece = EventPiece()
        piece.add(event, json: json, as: .lines)
        piece.isSealed = true
        return piece
    }

    private func key(_ user: String) -> EventChannel.Key {
        EventChannel.Key(filter: EventFilter(user: user), form: .lines)
    }

    @Test func `thousands who came and went leave nothing behind`() {
        var state = EventHub.State()
        state.join(key("anna"))
        state.keep([piece(1), piece(2)], for: key("anna"))
        for number in 0..<5_000 as Range<UInt64> {
            state.join(key("u\(number)"))
            state.keep([piece(number + 3)], for: key("u\(number)"))
            state.channels[key("u\(number)")]?.followers = 0
            state.removeIfAbandoned(key("u\(number)"))
        }
        #expect(state.order.count <= 2 * 2 + EventHub.State.goneMax)
        #expect(state.keptBytes == 2 * piece(1).size && state.keptPieces == 2)
    }

    @Test func `the oldest piece goes first, and none of a channel that is gone is taken for one of its next`() {
        var state = EventHub.State()
        state.join(key("anna"))
        state.keep([piece(1)], for: key("anna"))
        state.channels[key("anna")]?.followers = 0
        state.removeIfAbandoned(key("anna"))
        for user in ["bert", "anna"] { state.join(key(user)) }
        state.keep([piece(2)], for: key("bert"))
        state.keep([piece(3)], for: key("anna"))
        state.forgetBeyond(piece(3).size)
        #expect(state.channels[key("bert")]?.pieceCount == 0 && state.channels[key("anna")]?.pieceCount == 1)
        #expect(state.keptBytes == piece(3).size && state.keptPieces == 1)
    }

    @Test func `an index that is no newer is not asked for at every turn`() throws {
        var limits = Self.tight
        limits.keptIdsMax = 16
        let log = try GrowingLog(segmentBytesMax: 1 << 20, limits: limits)
        try log.append((0..<20).map { (user: "u\($0)", isPoints: true) })
        let follower = Follower(log, EventFilter(), .lines, after: 0)
        #expect(follower.takeAll(20))
        log.disk.countReads = true
        for count in 21...60 {
            try log.append([("u1", true)])
            #expect(follower.takeAll(count))
        }
        // Whoever reads on keeps its file open; to ask for the index is to look for the log's files.
        func timesAsked() -> Int { log.disk.log.count { $0.contains(" list ") } }
        #expect(timesAsked() <= 2, "\(log.disk.log.suffix(20))")
        // When sixteen more have come, and sixteen more.
        for count in 61...100 {
            try log.append([("n\(count)", true)])
            #expect(follower.takeAll(count))
            // A turn for which there is nothing to read, if the tail is quick enough to take it.
            log.hub.logGrew()
            for _ in 0..<5_000 { sched_yield() }
        }
        #expect(timesAsked() <= 6, "\(log.disk.log.suffix(20))")
    }
}
