@testable import Console
import Testing

/// The limits as numbers, without sockets and without waiting.
@Suite("The ledger of connections")
struct LedgerTests {
    private let start = SuspendingClock.now

    private func ledger(_ change: (inout HTTPLimits) -> Void = { _ in }) -> ConnectionLedger<String> {
        var limits = HTTPLimits()
        change(&limits)
        return ConnectionLedger(limits: limits)
    }

    private func late(_ ledger: inout ConnectionLedger<String>, after seconds: Int) -> [String] {
        ledger.overdue(now: start + .seconds(seconds)).map { late in
            switch late {
            case .cut(let descriptor, let isArriving): "cut \(descriptor) \(isArriving)"
            case .giveUp(let work): "give up \(work)"
            }
        }.sorted()
    }

    @Test func `a connection has its time for a request, and is cut once`() {
        var ledger = ledger()
        _ = ledger.connect(7, now: start)
        #expect(late(&ledger, after: 59).isEmpty)
        #expect(late(&ledger, after: 60) == ["cut 7 true"])
        #expect(late(&ledger, after: 61).isEmpty)
    }

    @Test func `head, body, answer and the next request each have their own time`() {
        var ledger = ledger()
        let number = ledger.connect(7, now: start)
        ledger.headCame(number, now: start + .seconds(50))
        #expect(late(&ledger, after: 109).isEmpty)
        let admission = ledger.admit()
        #expect(admission == .admitted)
        let isAwaited = ledger.begin("anna", for: number, now: start + .seconds(100))
        #expect(isAwaited)
        #expect(late(&ledger, after: 129).isEmpty)
        #expect(late(&ledger, after: 130) == ["give up anna"])
        let fits = ledger.end(number, answerBytes: 10, now: start + .seconds(130))
        #expect(fits)
        #expect(late(&ledger, after: 189).isEmpty)
        ledger.finish(number, now: start + .seconds(180))
        #expect(late(&ledger, after: 239).isEmpty)
        #expect(late(&ledger, after: 240) == ["cut 7 true"])
    }

    @Test func `who does not take the answer is cut without a word`() {
        var ledger = ledger()
        let number = ledger.connect(7, now: start)
        ledger.answer(number, bytes: 10, now: start)
        #expect(late(&ledger, after: 60) == ["cut 7 false"])
    }

    @Test func `what is held is counted until it is let go`() {
        var ledger = ledger { $0.bytesMax = 100 }
        let (first, second) = (ledger.connect(1, now: start), ledger.connect(2, now: start))
        let fits = ledger.hold(60, for: first)
        #expect(fits)
        let fitsToo = ledger.hold(41, for: second)
        #expect(!fitsToo)
        let fitsExactly = ledger.hold(40, for: second)
        #expect(fitsExactly)
        ledger.answer(first, bytes: 30, now: start)
        #expect(ledger.bytes == 70)
        ledger.finish(first, now: start)
        ledger.disconnect(second)
        #expect(ledger.bytes == 0)
        ledger.disconnect(first)
        #expect(ledger.isEmpty)
    }

    @Test func `an answer for which there is no room is not held, unless its connection has room for it`() {
        var ledger = ledger { ($0.bytesMax, $0.connectionBytesMax) = (100, 20) }
        let (first, second) = (ledger.connect(1, now: start), ledger.connect(2, now: start))
        let holds = (ledger.hold(30, for: first), ledger.hold(60, for: second))
        #expect(holds == (true, true))
        _ = ledger.begin("anna", for: second, now: start)
        // Its body is let go with its answer, so that much room there is.
        let isTooMuch = !ledger.end(second, answerBytes: 71, now: start)
        #expect(isTooMuch)
        #expect(ledger.bytes == 30)
        let fits = ledger.end(second, answerBytes: 70, now: start)
        #expect(fits)
        #expect(ledger.bytes == 100)
        let fitsItsBuffer = ledger.end(first, answerBytes: 20, now: start)
        #expect(fitsItsBuffer)
    }

    @Test func `a place among those being answered is given back with the answer`() {
        var ledger = ledger { $0.requestsMax = 1 }
        let number = ledger.connect(1, now: start)
        let first = ledger.admit()
        #expect(first == .admitted)
        let second = ledger.admit()
        #expect(second == .busy)
        _ = ledger.begin("anna", for: number, now: start)
        _ = ledger.end(number, answerBytes: 0, now: start)
        let afterwards = ledger.admit()
        #expect(afterwards == .admitted)
    }

    @Test func `once closed, nothing is begun and what is begun is named`() {
        var ledger = ledger()
        let (first, second) = (ledger.connect(1, now: start), ledger.connect(2, now: start))
        let before = ledger.admit()
        #expect(before == .admitted)
        let isAwaited = ledger.begin("anna", for: first, now: start)
        #expect(isAwaited)
        let beforeAsWell = ledger.admit()
        #expect(beforeAsWell == .admitted)
        let abandoned = ledger.close()
        #expect(abandoned == ["anna"])
        let isAwaitedAfterwards = ledger.begin("bert", for: second, now: start)
        #expect(!isAwaitedAfterwards)
        let afterwards = ledger.admit()
        #expect(afterwards == .closed)
    }
}
