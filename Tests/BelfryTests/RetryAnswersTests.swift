import Console
import Testing

@testable import belfry

@Suite("What several workers made of a retry")
struct RetryAnswersTests {
    private func answer(_ names: Range<Int>, refused: Bool = false) -> RetryAnswer {
        .done(
            RetryReport(
                names.map {
                    RetriedJob(job: "anna/alert/#\($0)", outcome: refused ? .refused("is too late") : .asked(seq: 7))
                }))
    }

    /// A door has room for what one lists.
    @Test func `all are counted, and no more are listed than one worker lists`() throws {
        var whole = answer(0..<9_998)
        whole.add(answer(0..<3))
        whole.add(answer(0..<10_000, refused: true))
        guard case .done(let report) = whole else {
            Issue.record("\(whole)")
            return
        }
        #expect(report.jobs.count == 10_000 && report.retried == 10_001 && report.refused == 10_000)
        #expect(report.unlisted == 10_001 && report.jobs.last?.job == "anna/alert/#1")
    }

    @Test func `where one did nothing, that is the answer`() {
        var whole = answer(0..<1)
        whole.add(.unable(.busy))
        whole.add(answer(0..<1))
        guard case .unable(.busy) = whole else {
            Issue.record("\(whole)")
            return
        }
    }
}
