import Notices
import Testing

@testable import Console

@Suite("E1: what workers tell each other of an erasure")
struct EraseOrderTests {
    private static let mark = "0123456789abcdef"

    @Test func `it is read as it is written, of one person and of those of a commit`() throws {
        let orders = [
            EraseOrder(.begin, [EraseOrder.Person("anna", marked: Self.mark)], in: 3),
            EraseOrder(.refused, [EraseOrder.Person("anna")], in: 0),
            EraseOrder(
                .left, [EraseOrder.Person("anna", marked: Self.mark), EraseOrder.Person("bert")], in: 5),
        ]
        for order in orders { #expect(try EraseOrder(Array(order.document.text.utf8)) == order) }
        // As workers of before say it, and read it.
        #expect(orders[1].document.text == #"{"user":"anna","partition":0,"stage":"refused"}"#)
    }

    @Test(arguments: [
        #"{"partition":0,"stage":"left"}"#, #"{"people":[],"partition":0,"stage":"left"}"#,
        #"{"people":["anna"],"partition":0,"stage":"left"}"#,
        #"{"people":[{"user":"anna","mark":"short"}],"partition":0,"stage":"left"}"#,
        #"{"people":[{"user":"anna"}],"stage":"left"}"#, #"{"user":"anna","partition":0,"stage":"gone"}"#,
        #"{"user":"anna","partition":0,"stage":"end","when":"now"}"#,
    ])
    func `what is none is refused`(body: String) {
        #expect(throws: RouteProblem.self) { try EraseOrder(Array(body.utf8)) }
    }
}
