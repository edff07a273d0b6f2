import CivilTime
import Journal
import Notices
import Simulation
import Testing
import Worker

/// What it counts, and what a clock that is set does to it.
@Suite("The live worker's clocks and figures")
struct WorkerCoreClockTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    // MARK: Figures

    @Test func `a job is late against its own wake, and one that a fact led to against none (V7)`() throws {
        let machine = machine()
        let core = try #require(machine.core)
        core.ask(facts: [try enrolled("anna")], answers.hear)
        // For an hour nobody is due.
        for minute in 0...60 as ClosedRange<Int64> {
            _ = core.turn(at: Self.noon.advanced(byMinutes: minute), writing: false)
        }
        _ = core.commit()
        _ = core.turn(at: Self.noon.advanced(byMinutes: 61), writing: false)
        core.ask(
            facts: [try fact(#"{"type":"notice_requested","user":"anna","data":{"kind":"urgent"}}"#)], answers.hear)
        _ = core.turn(at: Self.noon.advanced(byMinutes: 120), writing: false)
        let asked = core.commit()
        #expect(asked.jobs.count == 1 && asked.due.isEmpty)
        let nine = instant("2026-03-04T08:00:00Z")
        _ = core.turn(at: nine.advanced(byMilliseconds: -1), writing: false)
        _ = core.turn(at: nine.advanced(bySeconds: 2), writing: false)
        let woken = core.commit()
        #expect(woken.jobs.count == 1 && woken.due == [nine])
    }

    @Test func `a sample counts for nothing, sent or dropped (N8)`() throws {
        let machine = machine()
        let samples = ["", #","channel":"sms""#].map { channel in
            #"{"type":"test_requested","user":"anna","data":{"kind":"alert"\#(channel)}}"#
        }
        machine.core?.ask(facts: try [enrolled("anna")] + samples.map { try fact($0) }, answers.hear)
        machine.settle()
        #expect(try machine.commits().joined().filter { !$0.isFact }.count == 2)
        let figures = try #require(machine.core?.figures)
        #expect(figures.totals.decisions.isEmpty)
        let minute = figures.lastMinute(at: machine.clock)
        #expect((minute.facts, minute.decisions, minute.jobs, minute.dropped) == (3, 0, 0, 0))
    }

    @Test func `the last minute is one of the machine's clock, also while recorded time stands still (T7)`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: -60)
        machine.core?.ask(facts: [try enrolled("ben"), try enrolled("carl")], answers.hear)
        machine.settle()
        #expect(machine.core?.figures.lastMinute(at: machine.clock).facts == 2)
        #expect(machine.core?.figures.lastMinute(at: machine.clock.advanced(bySeconds: 60)).facts == 0)
    }

    // MARK: Clocks

    @Test func `when the clock is set back recorded time stands still until it has caught up (T7)`() throws {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: -60)
        machine.core?.ask(facts: [try enrolled("ben")], answers.hear)
        machine.settle()
        machine.clock = Self.noon.advanced(byMinutes: 1)
        machine.core?.ask(facts: [try enrolled("carl")], answers.hear)
        machine.settle()
        #expect(try machine.commits().joined().map(\.at) == [Self.noon, Self.noon, Self.noon.advanced(byMinutes: 1)])
    }

    /// Whatever is decided is decided at recorded time: by the machine's clock it would still be night.
    @Test func `when the clock is set back nothing is decided as of the time that has been (T7)`() throws {
        let machine = machine(at: instant("2026-03-03T07:30:00Z"))
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        machine.clock = instant("2026-03-03T06:30:00Z")
        let request = try fact("{\"type\":\"notice_requested\",\"user\":\"anna\",\"data\":{\"kind\":\"alert\"}}")
        machine.core?.ask(facts: [request], answers.hear)
        machine.settle()
        #expect(machine.handedOver.count == 1)
    }

    @Test func `when the clock jumps ahead what is late still fires, or is missed (C5)`() throws {
        let machine = machine(at: instant("2026-03-03T12:00:00Z"))
        machine.core?.ask(facts: [try enrolled("anna")], answers.hear)
        machine.settle()
        // The check-in of Wednesday 09:00 in Paris, three hours late; that of Friday, five.
        machine.clock = instant("2026-03-04T11:00:00Z")
        machine.settle()
        machine.clock = instant("2026-03-06T13:00:00Z")
        machine.settle()
        let said = try machine.commits().joined().compactMap { event -> String? in
            switch event.payload {
            case .jobEmitted(let job): "job \(job.job.text) \(event.at)"
            case .slotsSkipped(let skipped): "skipped \(skipped.reason.name) \(event.at)"
            default: nil
            }
        }
        #expect(
            said == [
                "job anna/check_in/2026-03-04T09:00 2026-03-04T11:00:00.000Z",
                "skipped missed 2026-03-06T13:00:00.000Z",
            ])
    }
}
