import CivilTime
import Dispatch
import Journal
import Notices
import Simulation
import Testing

@testable import Worker

@Suite("The scribe")
struct ScribeTests {
    /// As many partitions as Dispatch has threads may have a herd in the same second.
    @Test(.timeLimit(.minutes(1))) func `what no thread has begun is written by whoever waits for it`() throws {
        let now = Instant(milliseconds: 1_772_000_000_000)
        let journal = try Journal("/log", on: SimulatedDisk(), holder: "a test")
        let queue = DispatchQueue(label: "a scribe without a thread")
        queue.suspend()
        defer { queue.resume() }
        let scribe = Scribe(journal, on: queue)
        for seq in 1...2 as ClosedRange<UInt64> {
            var draft = CommitDraft()
            draft.events = [Event(seq: seq, at: now, user: "anna", payload: .appOpened(AppOpened()))]
            scribe.begin(&draft, at: now)
            #expect(draft.events.isEmpty)
            #expect(try scribe.finish() != nil && journal.head.lastSeq == seq)
            #expect(try scribe.finish() == nil)
        }
    }
}
