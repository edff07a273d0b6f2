import CivilTime
import Notices
import Simulation
import Testing
import Worker

@testable import Reports

/// Facts of Anna's, lived through, and the days they make.
struct Life {
    private(set) var log: [Event] = []
    let plan: Plan

    init(_ policy: String = "standard", until end: String, _ lines: [(at: String, type: String, data: String)]) throws {
        plan = ShippedPlans[policy]
        let told = Told()
        var chronicle = Chronicle(plan) { told.events += $0 }
        let reader = FactReader { _ in nil }
        for line in lines {
            let text = #"{"type":"\#(line.type)","user":"anna","at":"\#(line.at)","data":\#(line.data)}"#
            _ = chronicle.take(try reader.read(text))
        }
        chronicle.wind(to: try Instant(rfc3339: end))
        log = told.events
    }

    private final class Told { var events: [Event] = [] }

    /// With one more event, which whoever is never late does not come to.
    func followed(by payload: Payload, at: String) throws -> Life {
        var life = self
        life.log.append(
            Event(seq: (log.last?.seq ?? 0) + 1, at: try Instant(rfc3339: at), user: "anna", payload: payload))
        return life
    }

    func day(
        _ date: String?, now: String, _ foresight: Foresight = Foresight(work: Foresight.workOfOneAnswer)
    ) throws -> DayReport {
        let date = try date.map { try #require(LocalDate($0)) }
        var day = PersonDay(of: "anna", on: date, now: try Instant(rfc3339: now))
        return try day.told(of: log, foresight) { Biography(of: "anna", plan) }
    }
}

extension PersonDay {
    /// Goes through a log as often as it takes.
    mutating func told(
        of log: [Event], _ foresight: Foresight = Foresight(work: Foresight.workOfOneAnswer),
        biography: () -> Biography
    ) throws -> DayReport {
        if needsSurvey {
            var first = biography()
            for event in log {
                guard survey(event, first) else { break }
                first.take(event)
            }
            try endSurvey(first)
        }
        var second = biography()
        for event in log {
            guard isToTake(event, second) else { break }
            second.take(event)
        }
        return try report(second, foresight)
    }
}
