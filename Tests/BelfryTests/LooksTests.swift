import Dispatch
import Synchronization
import Testing

@testable import belfry

@Suite("Looks at who lives in a cluster")
struct LooksTests {
    /// The answer to one that was begun before may be older than what the asker has done.
    @Test func `whoever needs a new look is told of one that begins afterwards`() {
        let looks = Looks()
        let told = Mutex([Bool]())
        looks.begin()
        looks.whenLookedAnew(within: .seconds(3600)) { isSeen in told.withLock { $0.append(isSeen) } }
        looks.end()
        #expect(told.withLock { $0 }.isEmpty)
        looks.begin()
        looks.end()
        looks.begin()
        looks.end()
        #expect(told.withLock { $0 } == [true])
    }

    @Test func `where nobody looks that is said`() async {
        let looks = Looks()
        let isSeen = await withCheckedContinuation { done in
            looks.whenLookedAnew(within: .milliseconds(1)) { done.resume(returning: $0) }
        }
        #expect(!isSeen)
    }
}
