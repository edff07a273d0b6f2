import Dispatch
import Foundation
import Journal
import Testing

@testable import Worker

/// Those who follow the log are told who people are out of its index, which is written anew when somebody is erased.
@Suite("Following the log when its index is written anew (E1)")
struct NewerIndexTests {
    /// One who follows everything, from the beginning.
    private final class Listener {
        private let stream: EventStream
        private let news = DispatchSemaphore(value: 0)
        private(set) var text = ""

        init(_ log: GrowingLog) {
            stream = log.hub.follow(EventFilter(), as: .lines, after: 0)
            stream.begin { [news] in news.signal() }
        }

        deinit { stream.close() }

        /// Takes what comes until an event is there. False when it hangs.
        func hears(_ seq: UInt64) -> Bool {
            while !text.contains("{\"seq\":\(seq),") {
                switch stream.next() {
                case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
                case .nothing: guard news.wait(timeout: .now() + 600) == .success else { return false }
                case .events, .end: return false
                }
            }
            return true
        }

        var seqs: [UInt64] {
            text.split(separator: "\n").compactMap { line in
                line.firstMatch(of: #/^\{"seq":([0-9]+),/#).flatMap { UInt64($0.1) }
            }
        }
    }

    private static var atOnce: EventLimits {
        var limits = EventLimits()
        limits.pace = .zero
        return limits
    }

    @Test func `whoever was erased since it was written is nobody to those who begin with it`() throws {
        let log = try GrowingLog(limits: Self.atOnce)
        try log.append([("anna", false), ("zoe", false)])
        try log.append([("zoe", true)])
        try log.writeIndex()
        #expect(try log.erase("zoe") == 4)
        let listener = Listener(log)
        #expect(listener.hears(4))
        #expect(listener.text.contains("anna") && !listener.text.contains("zoe"), "\(listener.text)")
    }

    @Test func `whoever follows misses nothing, and nobody who was erased comes back with it`() throws {
        let log = try GrowingLog(limits: Self.atOnce)
        try log.append([("anna", false), ("cora", false), ("zoe", false)])
        try log.writeIndex()
        let listener = Listener(log)
        #expect(listener.hears(3))
        #expect(try log.erase("zoe") == 4)
        try log.writeIndex()
        #expect(try log.erase("cora") == 5)
        log.hub.indexWasRewritten()
        // The tail comes to the third behind the turn in which it took the index.
        for seq in 6...8 as ClosedRange<UInt64> {
            try log.append([("anna", true)])
            #expect(listener.hears(seq))
        }
        #expect(listener.seqs == Array(1...8))
        let late = Listener(log)
        #expect(late.hears(8))
        #expect(
            late.text.contains("anna") && !late.text.contains("zoe") && !late.text.contains("cora"), "\(late.text)")
    }
}

extension GrowingLog {
    /// As whoever takes a snapshot beside the worker.
    fileprivate func writeIndex() throws {
        let position = hub.sources.durable().position
        _ = try LogReader(Self.directory, on: disk).writeIndex(through: position, draftSuffix: ".beside")
    }
}
