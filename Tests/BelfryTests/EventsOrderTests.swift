@testable import belfry
import Console
import Notices
import Testing

/// V5: whoever comes back goes on where they were, by the number that they were told.
@Suite("Which events a reader goes on with")
struct EventsOrderTests {
    private func order(after numbers: [UInt64]?) -> EventsOrder {
        var order = EventsOrder()
        order.afterEach = numbers
        return order
    }

    @Test func `one number is that of a log by itself, and of the only partition`() throws {
        let one = try order(after: [4]).ofOneLog()
        #expect(one.after == 4 && one.afterEach == nil)
        #expect(try order(after: nil).ofOneLog() == order(after: nil))
        #expect(order(after: [4]).problem([4]) == nil)
        #expect(order(after: [4]).problem([3])?.hasPrefix("the log ends with event 3") == true)
    }

    @Test func `numbers of several partitions are none of one log`() {
        #expect(throws: FieldError.self) { try order(after: [4, 5]).ofOneLog() }
        #expect(order(after: [4]).problem([4, 5]) == "after: it names 1 partitions, and there are 2")
        var before = order(after: nil)
        before.beforeEach = [4]
        #expect(throws: FieldError.self) { try before.ofOneLog() }
    }
}
