import Journal
import Notices
import Simulation
import Testing
import Worker

/// However people are dealt out, each share by itself is decided again as it was recorded. (The commands go over the whole log
/// once more where one is not, so they would be slow and still right.)
@Suite("Shares of a log's people")
struct ShareTests {
    @Test(arguments: [2, 3, 8]) func `each by itself comes to what was recorded, and all to the whole`(count: Int)
        throws
    {
        var adoptions = 0
        for seed in UInt64(1)...12 {
            let written = try WrittenHistory.standard(seed: seed)
            adoptions += written.history.adoptsPolicies ? 1 : 0
            try written.write(0..<written.history.commits.count)
            let log = try LogReader(WrittenHistory.directory, on: written.disk)
            let whole = try replay(log, .whole, written)
            var decisions = 0
            for place in 0..<count {
                let part = try replay(log, Share(place, of: count), written)
                #expect(part.differing == 0, "seed \(seed), share \(place): \(String(describing: part.first))")
                decisions += part.decisions
            }
            #expect(decisions == whole.decisions && whole.differing == 0 && decisions > 0, "seed \(seed)")
        }
        #expect(adoptions > 2, "what is about everyone is in them")
    }

    private func replay(_ log: LogReader, _ share: Share, _ written: WrittenHistory) throws -> Replay {
        var replay = Replay(written.history.plan, of: share)
        let events = EventReader(log, share: share)
        while let commit = try events.nextCommit() { replay.take(commit) }
        return replay
    }
}
