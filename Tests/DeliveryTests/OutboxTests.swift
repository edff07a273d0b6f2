import CivilTime
import Notices
import Testing

@testable import Delivery

@Suite("Outcomes on their way into the log")
struct OutboxTests {
    private func word(_ seq: UInt64) -> Outbox.Word {
        var failed = JobFailed()
        failed.channel = .push
        return Outbox.Word(
            facts: [Fact(user: "u\(seq)", payload: .jobFailed(failed))],
            place: JobPlace(position: seq * 100, seq: seq))
    }

    /// How many are recorded is how a partition that goes knows that its own are.
    @Test func `what was taken back leaves the count of the others as it was`() {
        var outbox = Outbox()
        for seq in UInt64(1)...3 { outbox.append(word(seq)) }
        #expect(outbox.offer(at: newYear)?.count == 3)
        #expect(outbox.takeBack(200..<300).map(\.place.seq) == [2])
        #expect(outbox.takeBack(200..<300).isEmpty)
        #expect(outbox.recorded == 0)
        #expect(outbox.answered(isRecorded: false, at: newYear).isEmpty)
        outbox.append(word(4))
        #expect(outbox.takeBack(400..<500).count == 1)
        let later = newYear.advanced(bySeconds: 1)
        #expect(outbox.offer(at: later)?.map(\.user) == ["u1", "u3"])
        #expect(outbox.recorded == 0 && outbox.words(in: everywhere).map(\.place.seq) == [1, 3])
        #expect(outbox.answered(isRecorded: true, at: later).compactMap(\.facts.first?.user) == ["u1", "u3"])
        #expect(outbox.count == 0 && outbox.recorded == 4)
    }

    @Test func `where all was taken back there is nothing to offer`() {
        var outbox = Outbox()
        for seq in UInt64(1)...600 { outbox.append(word(seq)) }
        #expect(outbox.takeBack(0..<60_000).count == 599)
        #expect(outbox.offer(at: newYear)?.count == 1)
        _ = outbox.answered(isRecorded: true, at: newYear)
        #expect(outbox.count == 0 && outbox.offer(at: newYear) == nil)
    }

    @Test func `where all that was turned away was taken back nothing is due`() {
        var outbox = Outbox()
        outbox.append(word(1))
        #expect(outbox.offer(at: newYear) != nil)
        #expect(outbox.takeBack(everywhere).count == 1)
        _ = outbox.answered(isRecorded: false, at: newYear)
        #expect(outbox.nextDue != nil)
        #expect(outbox.offer(at: newYear.advanced(bySeconds: 1)) == nil)
        #expect(outbox.nextDue == nil && outbox.count == 0)
    }
}
