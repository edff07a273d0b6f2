import CivilTime
import Dispatch
import Journal
import Notices
import Simulation
import Synchronization
import Testing

@testable import Worker

@Suite("The scribe")
struct ScribeTests {
    /// As many partitions as Dispatch has threads may have a herd in the same second.
    @Test func `what no thread has begun is written by whoever waits for it`() throws {
        let now = Instant(milliseconds: 1_772_000_000_000)
        let journal = try Journal("/log", on: SimulatedDisk(), holder: "a test")
        let threadless = Threadless()
        defer { _ = threadless.end() }
        let scribe = Scribe(journal, on: threadless.queue)
        for seq in 1...2 as ClosedRange<UInt64> {
            var draft = CommitDraft()
            draft.events = [Event(seq: seq, at: now, user: "anna", payload: .appOpened(AppOpened()))]
            scribe.begin(&draft, at: now)
            #expect(draft.events.isEmpty)
            #expect(try scribe.finish() != nil && journal.head.lastSeq == seq)
            #expect(try scribe.finish() == nil)
        }
        #expect(threadless.end(), "it waited for a thread")
    }

    /// A queue that no thread serves, for a minute at most: whoever waits for it fails then, and does not hang.
    private final class Threadless: Sendable {
        let queue = DispatchQueue(label: "a scribe without a thread")
        private let isServed = Atomic(false)

        init() {
            queue.suspend()
            DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [self] in _ = end() }
        }

        /// `false` where the minute was over.
        func end() -> Bool {
            guard !isServed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
            queue.resume()
            return true
        }
    }
}
