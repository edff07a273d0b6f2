import CivilTime
import Notices
import Simulation
import Testing
import Worker

/// Whatever happens to a person, their history tells of all of it (P20).
@Suite("Random histories of one person")
struct HistoryPropertyTests {
    @Test(arguments: Batch.all.prefix(5))
    func `every job stands in it once, and what waits in the state is what is queued`(batch: Batch) {
        for history in batch.histories {
            var register = Register(history.plan)
            for event in history.events { register.fold(event) }
            for (number, user) in register.names.enumerated() {
                var own = PersonHistory(of: user)
                // What they clear is hidden from them on purpose, and is looked at by examples.
                for event in history.events where event.payload.type != HistoryCleared.type { own.take(event) }
                let report = own.report(HistoryQuery(user: user, days: 3650, now: history.end))
                let note: Comment = "\(history.recipe.policy), seed \(history.recipe.seed), \(user)"
                let jobs = history.events.compactMap { event -> String? in
                    guard case .jobEmitted(let job) = event.payload, event.user == user else { return nil }
                    return job.job.text
                }
                #expect(report.entries.filter { $0.state == .emitted }.map(\.name).sorted() == jobs.sorted(), note)
                let waiting = register[number].details.waiting.map(\.notice.name)
                #expect(report.entries.filter(\.isWaiting).map(\.name).sorted() == waiting.sorted(), note)
                let listed = report.entries.map(\.name) + report.entries.flatMap { $0.parts.map(\.notice) }
                let bundled = report.entries.filter { $0.parts.first?.notice == $0.name }.count
                #expect(Set(listed).count == listed.count - bundled, note)
            }
        }
    }
}
