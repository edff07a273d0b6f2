import CivilTime
import Testing

@testable import belfry

/// N3: a provider's report that leads nowhere is said in the worker's log, and a flood of them does not fill it.
@Suite("What the log says of reports that lead nowhere")
struct ReportTallyTests {
    private var tally = ReportTally()

    private func instant(_ milliseconds: Int64) -> Instant { Instant(milliseconds: 1_772_460_000_000 + milliseconds) }

    @Test mutating func `the first is said at once, those of its minute in one line at its end`() {
        let first = tally.hear(.namesNoJob, from: "sendgrid", at: instant(0))
        #expect(first.map(\.fields) == [["provider": "sendgrid"]])
        #expect(
            first.first?.level == .warning && first.first?.message.hasPrefix("a report names no job of ours") == true)
        var said = 0
        for report in 1...100_000 {
            said += tally.hear(.namesNoJob, from: "sendgrid", at: instant(Int64(report % 59_999))).count
        }
        #expect(said == 0 && tally.nextDue == instant(60_000))
        #expect(tally.tell(at: instant(59_999)) == [])
        let rest = tally.tell(at: instant(60_000))
        #expect(rest.map(\.fields) == [["provider": "sendgrid", "reports": "100000"]])
        #expect(rest.first?.message.hasPrefix("more of it: a report names no job of ours") == true)
    }

    @Test mutating func `where it goes on the next minute is counted too, and after a quiet one it is said at once`() {
        _ = tally.hear(.unknownJob, from: "ses", at: instant(0))
        _ = tally.hear(.unknownJob, from: "ses", at: instant(1))
        #expect(tally.hear(.unknownJob, from: "ses", at: instant(60_000)).map { $0.fields["reports"] } == ["1"])
        #expect(tally.tell(at: instant(120_000)).map { $0.fields["reports"] } == ["1"])
        #expect(tally.tell(at: instant(180_000)) == [] && tally.nextDue == nil)
        #expect(tally.hear(.unknownJob, from: "ses", at: instant(180_001)).map { $0.fields["reports"] } == [nil])
    }

    @Test mutating func `sorts and providers do not hide each other, and what is recorded needs no word`() {
        #expect(tally.hear(.recorded, from: "twilio", at: instant(0)) == [])
        #expect(tally.hear(.duplicate, from: "twilio", at: instant(0)) == [])
        for provider in ["twilio", "ses"] {
            for sort in [ReportTally.Sort.namesNoJob, .unknownJob, .notBelieved, .wrong, .comesAgain, .changesNothing] {
                #expect(tally.hear(sort, from: provider, "why", at: instant(0)).map(\.fields["what"]) == ["why"])
                #expect(tally.hear(sort, from: provider, at: instant(1)) == [])
            }
        }
        #expect(tally.tellRest().count == 12 && tally.tellRest() == [])
        #expect(tally.counts["twilio"]?[.recorded] == 1 && tally.counts["ses"]?[.wrong] == 2)
    }

    @Test mutating func `a clock that went back keeps nothing untold`() {
        _ = tally.hear(.wrong, from: "ses", at: instant(3_600_000))
        _ = tally.hear(.wrong, from: "ses", at: instant(3_600_000))
        #expect(tally.tell(at: instant(0)).map { $0.fields["reports"] } == ["1"])
    }
}
