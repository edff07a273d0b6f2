import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// G11: a page that says without end that the feed was seen fills no log.
@Suite("G11, feeds that were seen already")
final class FeedsSeenTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    private func seen(_ user: String = "anna", isTheirOwn: Bool = true) throws -> Fact {
        var seen = try fact(#"{"type":"feed_seen","user":"\#(user)"}"#)
        seen.isTheirOwn = isTheirOwn
        return seen
    }

    private func tell(_ facts: Fact..., to machine: SimulatedMachine) throws -> [FactReceipt]? {
        machine.core?.ask(facts: facts, answers.hear)
        machine.settle()
        return try answers.all.last?.get()
    }

    @Test func `what a person says again is not recorded until something comes`() throws {
        let machine = machine()
        let urgent = try fact(#"{"type":"notice_requested","user":"anna","data":{"kind":"urgent"}}"#)
        _ = try tell(urgent, to: machine)
        #expect(
            try tell(try seen(), try seen(), to: machine) == [.recorded(seq: 3, warnings: []), .duplicate(of: 3)])
        #expect(try tell(try seen(), to: machine) == [.duplicate(of: 3)])
        #expect(try tell(try seen("bert"), to: machine) == [.recorded(seq: 4, warnings: [])])
        machine.clock = Self.noon.advanced(byHours: 2)
        _ = try tell(urgent, to: machine)
        #expect(try tell(try seen(), to: machine) == [.recorded(seq: 7, warnings: [])])
        #expect(try tell(try seen(), to: machine) == [.duplicate(of: 7)])
    }

    @Test func `the app tells it as often as it likes, and what it has told need not be said`() throws {
        let machine = machine()
        for seq in UInt64(1)...3 {
            #expect(try tell(try seen(isTheirOwn: false), to: machine) == [.recorded(seq: seq, warnings: [])])
        }
        #expect(try tell(try seen(), to: machine) == [.duplicate(of: 3)])
    }

    /// Jobs are forgotten after days; the feed knows older ones.
    @Test func `after a day it is recorded again`() throws {
        let machine = machine("messageai")
        #expect(try tell(try seen(), to: machine) == [.recorded(seq: 1, warnings: [])])
        machine.clock = Self.noon.advanced(byDays: 1).advanced(byMilliseconds: -1)
        #expect(try tell(try seen(), to: machine) == [.duplicate(of: 1)])
        machine.clock = Self.noon.advanced(byDays: 1)
        #expect(try tell(try seen(), to: machine) == [.recorded(seq: 2, warnings: [])])
    }
}
