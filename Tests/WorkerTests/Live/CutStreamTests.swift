import CivilTime
import Journal
import Notices
import Testing
import Worker

@Suite("Streams that are cut short")
struct CutStreamTests {
    @Test func `what ends because its log goes elsewhere does not look whole`() throws {
        let log = try GrowingLog(limits: EventLimits())
        for _ in 0..<10 { try log.append([("anna", true)]) }
        let stream = log.hub.follow(EventFilter(), as: .lines, after: 0, through: 7)
        let following = log.hub.follow(EventFilter(), as: .lines, after: 0)
        log.hub.stop()
        for stream in [stream, following] {
            guard case .end = stream.next() else {
                Issue.record("it goes on without its log")
                return
            }
        }
        #expect(!stream.isWhole)
        // Whoever follows comes again.
        #expect(following.isWhole)
    }
}
