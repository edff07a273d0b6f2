import CivilTime
import Journal
import Notices
import Simulation
import Testing

/// Whose trace a job has when it is read (N11).
@Suite("The trace of a job")
struct TraceTests {
    private static let start = Instant(seconds: 1_772_460_000)
    private let one = TraceParent(header: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    private let other = TraceParent(header: "00-11111111111111111111111111111111-2222222222222222-00")

    private func fact(_ user: String?, _ trace: TraceParent?) -> Entry {
        let payload: Payload = user == nil ? .policyAdopted(PolicyAdopted()) : .appOpened(AppOpened())
        return Entry(user: user, trace: trace, payload: payload)
    }

    private func job(_ user: String) -> Entry {
        var job = JobEmitted()
        job.job = NoticeName("\(user)/urgent/#1")
        return Entry(user: user, payload: .jobEmitted(job))
    }

    private func derivedSession(_ user: String) -> Entry {
        var session = SessionCompleted()
        session.isDerived = true
        return Entry(user: user, payload: .sessionCompleted(session))
    }

    /// The traces of the events of one commit, as they are read.
    private func traces(_ entries: Entry...) throws -> [String?] {
        let disk = SimulatedDisk()
        let journal = try Journal("/data/log", on: disk, holder: "test")
        _ = try journal.append(entries, at: Self.start)
        try journal.commit()
        let reader = EventReader(try LogReader("/data/log", on: disk))
        return try #require(try reader.nextCommit()).map { $0.trace?.text }
    }

    @Test func `is that of the fact it was decided because of`() throws {
        #expect(try traces(fact("anna", one), job("anna"), job("anna")) == [one?.text, one?.text, one?.text])
    }

    @Test func `is nobody else's`() throws {
        #expect(
            try traces(fact("anna", one), fact("bert", nil), job("bert"), fact("anna", other), job("cora"), job("anna"))
                == [one?.text, nil, nil, other?.text, nil, other?.text])
    }

    @Test func `is that of a fact about everybody`() throws {
        #expect(try traces(fact(nil, one), job("anna"), job("bert")) == [one?.text, one?.text, one?.text])
    }

    @Test func `is not lost behind a session that was derived in between`() throws {
        #expect(try traces(fact("anna", one), derivedSession("anna"), job("anna")) == [one?.text, nil, one?.text])
    }

    @Test func `is none where the fact has none`() throws {
        #expect(try traces(fact("anna", one), fact("anna", nil), job("anna")) == [one?.text, nil, nil])
    }
}
