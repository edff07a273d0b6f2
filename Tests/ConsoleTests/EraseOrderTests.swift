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
                .left, [EraseOrder.Person("anna", marked: Self.mark), EraseOrder.Person("bert")], in: 5, erased: 7),
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
        #"{"user":"anna","people":5,"partition":0,"stage":"left"}"#, #"{"people":{},"partition":0,"stage":"left"}"#,
        #"{"user":"anna","people":[{"user":"bert"}],"partition":0,"stage":"left"}"#,
        #"{"people":[{"user":"anna"}],"mark":"0123456789abcdef","partition":0,"stage":"left"}"#,
        #"{"people":[{"user":"anna","name":"Anna"}],"partition":0,"stage":"left"}"#,
        #"{"user":"anna","partition":"0","stage":"left"}"#, #"{"user":"anna","partition":-1,"stage":"left"}"#,
        #"{"user":"anna","partition":8,"stage":"left"}"#,
        #"{"user":"anna","partition":0,"stage":"left","erased":-1}"#,
        #"{"user":"anna","partition":0,"stage":"left","erased":"all"}"#,
    ])
    func `what is none is refused`(body: String) {
        #expect(throws: RouteProblem.self) { try EraseOrder(Array(body.utf8), partitions: 8) }
    }

    @Test(arguments: [
        (#"{"user":"anna","partition":0,"stage":"gone"}"#, "stage: \"gone\" is not one of begin, refused, end, left"),
        (#"{"user":"anna","partition":1.5,"stage":"end"}"#, "partition: 1.5 is not a whole number from 0 to 7"),
        (
            #"{"people":[{"user":"anna"},{"user":"bert","mark":"m"}],"partition":0,"stage":"left"}"#,
            "people[1].mark: \"m\" is not what stands for a person in tokens"
        ), (#"{"user":"anna","stage":"end"}"#, "partition: is missing"),
    ])
    func `what is wrong is said where it is`(body: String, words: String) throws {
        let problem = #expect(throws: RouteProblem.self) { try EraseOrder(Array(body.utf8), partitions: 8) }
        guard case .badBody(.field(let error))? = problem else { return #expect(Bool(false), "\(words)") }
        #expect(error.description == words)
    }

    @Test func `so many people are taken at once, and no more`() throws {
        func order(_ count: Int) -> EraseOrder {
            EraseOrder(.left, (0..<count).map { EraseOrder.Person("u\($0)", marked: Self.mark) }, in: 5)
        }
        let most = order(EraseOrder.peopleMax)
        #expect(try EraseOrder(Array(most.document.text.utf8)) == most)
        let more = Array(order(EraseOrder.peopleMax + 1).document.text.utf8)
        #expect(throws: RouteProblem.self) { try EraseOrder(more) }
    }
}
