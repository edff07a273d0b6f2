@testable import Delivery

/// What suites of providers' reports have in common: a job of ours, a report that comes in, and what is made of it.
protocol HearsReports {}

extension HearsReports {
    var secret: [UInt8] { EmailMessageTests.secret }
    var ourJob: ProviderReport.Job { .place(JobPlace(position: 4096, seq: 1729)) }
    var jobToken: String { JobToken.text(JobPlace(position: 4096, seq: 1729), secret: secret) }

    func report(_ body: String, target: String = "/v1/providers/x", _ headers: String...) -> IncomingReport {
        var lines = AnswerHeaders()
        for header in headers { header.utf8CString.withUnsafeBytes { lines.add(line: .init(rebasing: $0.dropLast())) } }
        return IncomingReport(target: target, headers: lines, body: Array(body.utf8))
    }

    /// What is read, or why it is not believed.
    func told(_ read: () throws(ReportRefusal) -> [ProviderReport]) -> String {
        do throws(ReportRefusal) { return "\(try read())" } catch { return "\(error)" }
    }

    /// The text with one byte changed, at every place.
    func withOneByteChanged(_ text: String) -> [String] {
        text.indices.map { place in
            var changed = text
            changed.replaceSubrange(place...place, with: text[place] == "0" ? "1" : "0")
            return changed
        }
    }
}
