import CivilTime
import Notices
import Testing

@testable import Delivery

@Suite("Orders")
struct OrderTests {
    @Test func `an order is the line that the log prints, the same each time`() throws {
        let event = jobEvent(7, channels: [.push, .email], notAfter: newYear.advanced(byHours: 1))
        var line = ByteBuffer()
        event.writeJSON(into: &line)
        let order = try #require(Order(event))
        #expect(String(decoding: order.line, as: UTF8.self) == line.text)
        #expect(Order(event) == order)
        #expect(order.id == "anna/reminder/goal:g7/#7~1")
        #expect(order.notAfter == newYear.advanced(byHours: 1))
    }

    @Test func `the worker's own lines name the job and not its person (E1)`() throws {
        let order = try #require(Order(jobEvent(7, channels: [.push])))
        let line = order.logged.map { "\($0)=\($1)" }.joined(separator: " ")
        #expect(line.hasPrefix("seq=7 job=reminder/goal:g7/#7~1") && !line.contains("anna"), "\(line)")
    }

    @Test func `an event that orders nothing is no order`() {
        #expect(Order(Event(seq: 1, at: newYear, user: "anna", payload: .appOpened(AppOpened()))) == nil)
    }
}
