import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// G11: what a person asks for with their own token is bounded; the app may ask for as many as it likes.
@Suite("G11, samples and codes that a person asks for")
final class AllowanceTests: LiveCore {
    let answers = Hearing<[FactReceipt]>()

    private func test(of user: String = "anna", isTheirOwn: Bool) -> Fact {
        var request = TestRequested()
        request.kind = Identifier("alert")
        var fact = Fact(user: user, payload: .testRequested(request))
        fact.isTheirOwn = isTheirOwn
        return fact
    }

    /// What was refused, and until when.
    private func ask(_ fact: Fact, _ machine: SimulatedMachine, at clock: String) throws -> FieldError? {
        machine.clock = instant(clock)
        machine.core?.ask(facts: [fact], answers.hear)
        machine.settle()
        guard case .refused(let problem)? = try answers.all.last?.get().first else { return nil }
        return problem
    }

    private func begun() throws -> SimulatedMachine {
        let machine = machine()
        machine.core?.ask(facts: [try enrolled("anna"), try enrolled("bert")], answers.hear)
        for user in ["anna", "bert"] {
            machine.core?.ask(
                facts: [
                    try fact(
                        #"{"type":"device_registered","user":"\#(user)","data":{"device":"d","platform":"ios","token":"0a"}}"#
                    )
                ], answers.hear)
        }
        machine.settle()
        return machine
    }

    @Test func `ten come in an hour, and the eleventh when the first is an hour old`() throws {
        let machine = try begun()
        for minute in 10..<20 {
            #expect(try ask(test(isTheirOwn: true), machine, at: "2026-03-02T12:\(minute)Z") == nil)
        }
        let problem = try ask(test(isTheirOwn: true), machine, at: "2026-03-02T13:09:59.999Z")
        #expect(problem?.opens == instant("2026-03-02T13:10:00Z"))
        #expect(
            problem?.description
                == "somebody may ask for 10 tests an hour and 30 a day; ask again at 2026-03-02T13:10:00.000Z")
        // Nobody else's, and not the app's.
        #expect(try ask(test(of: "bert", isTheirOwn: true), machine, at: "2026-03-02T13:09:59.999Z") == nil)
        #expect(try ask(test(isTheirOwn: false), machine, at: "2026-03-02T13:09:59.999Z") == nil)
        #expect(try ask(test(isTheirOwn: true), machine, at: "2026-03-02T13:11:00Z") == nil)
    }

    @Test func `it is known after a restart, for it stands in the log`() throws {
        let machine = try begun()
        for _ in 0..<10 { _ = try ask(test(isTheirOwn: true), machine, at: "2026-03-02T12:10Z") }
        machine.crash(.lost, seed: 1)
        machine.start()
        #expect(
            try ask(test(isTheirOwn: true), machine, at: "2026-03-02T12:20Z")?.opens == instant("2026-03-02T13:10:00Z"))
    }

    // MARK: Codes

    private func code(to phone: String, isTheirOwn: Bool = true) throws -> Fact {
        var asking = try fact(
            #"{"type":"phone_verification_requested","user":"anna","data":{"phone":"\#(phone)"}}"#)
        asking.isTheirOwn = isTheirOwn
        return asking
    }

    /// The hour's sixth, whatever the number: else somebody would have texts sent to as many numbers as they like.
    @Test func `a person asks for five codes an hour, for whichever numbers`() throws {
        let machine = try begun()
        for minute in 0..<5 {
            #expect(try ask(code(to: "+49151123456\(minute)8"), machine, at: "2026-03-02T13:0\(minute)Z") == nil)
        }
        let problem = try ask(code(to: "+4915199999999"), machine, at: "2026-03-02T13:59:29.999Z")
        #expect(
            problem?.description
                == "data.phone: somebody may ask for 5 codes an hour and 10 a day; ask again at 2026-03-02T14:00:00.000Z"
        )
        // The app may ask for as many as it likes.
        #expect(try ask(code(to: "+4915199999999", isTheirOwn: false), machine, at: "2026-03-02T13:59:29.999Z") == nil)
        // The first is an hour old by then, the second is not.
        #expect(
            try ask(code(to: "+4915199999999"), machine, at: "2026-03-02T14:00Z")?.opens
                == instant("2026-03-02T14:01:00Z"))
        #expect(try ask(code(to: "+4915199999999"), machine, at: "2026-03-02T14:01Z") == nil)
    }

    @Test func `and for ten a day`() throws {
        let machine = try begun()
        for hour in 0..<10 {
            #expect(try ask(code(to: "+4915112345678"), machine, at: "2026-03-03T0\(hour):00Z") == nil)
        }
        #expect(
            try ask(code(to: "+4915112345678"), machine, at: "2026-03-03T23:59:59.999Z")?.opens
                == instant("2026-03-04T00:00:00Z"))
        #expect(try ask(code(to: "+4915112345678"), machine, at: "2026-03-04T00:00Z") == nil)
    }
}
