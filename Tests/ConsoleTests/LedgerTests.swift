@testable import Console
import Testing

/// The limits as numbers, without sockets and without waiting.
@Suite("The ledger of connections")
struct LedgerTests {
    private let start = SuspendingClock.now
    private let home = Origin(address: [192, 0, 2, 1])

    private func ledger(_ change: (inout HTTPLimits) -> Void = { _ in }) -> ConnectionLedger<String> {
        var limits = HTTPLimits()
        change(&limits)
        return ConnectionLedger(limits: limits)
    }

    private func late(_ ledger: inout ConnectionLedger<String>, after seconds: Int) -> [String] {
        let late = ledger.overdue(now: start + .seconds(seconds)).map { late in
            switch late {
            case .end(let number):
                ledger.disconnect(number)
                return "end \(number)"
            case .giveUp(let work): return "give up \(work)"
            }
        }
        return late.sorted()
    }

    /// Connections that have come one second after the other, the first at the start.
    private func connect(
        _ count: Int, to ledger: inout ConnectionLedger<String>, from origin: Origin? = nil
    ) -> [UInt] {
        (0..<count).map { ledger.connect(from: origin, now: start + .seconds($0)) }
    }

    // MARK: Time

    @Test func `a connection has its time for a head`() {
        var ledger = ledger()
        let number = ledger.connect(from: nil, now: start)
        ledger.bytesMoved(number, now: start + .seconds(4))
        #expect(late(&ledger, after: 4).isEmpty)
        #expect(late(&ledger, after: 5) == ["end \(number)"])
    }

    @Test func `head, body, answer and the next request each have their own time`() {
        var ledger = ledger()
        let number = ledger.connect(from: nil, now: start)
        ledger.headCame(number, isServed: true, now: start + .seconds(4))
        for second in stride(from: 14, through: 54, by: 10) { ledger.bytesMoved(number, now: start + .seconds(second)) }
        #expect(late(&ledger, after: 63).isEmpty)
        let admission = ledger.admit()
        #expect(admission == .admitted)
        let isAwaited = ledger.begin("anna", for: number, now: start + .seconds(60))
        #expect(isAwaited)
        #expect(late(&ledger, after: 89).isEmpty)
        #expect(late(&ledger, after: 90) == ["give up anna"])
        let ending = ledger.end(number, answerBytes: 10, now: start + .seconds(90))
        #expect(ending == .fits)
        ledger.finish(number, now: start + .seconds(100))
        #expect(late(&ledger, after: 114).isEmpty)
        ledger.bytesMoved(number, now: start + .seconds(114))
        #expect(late(&ledger, after: 118).isEmpty, "the next head has begun")
        #expect(late(&ledger, after: 119) == ["end \(number)"])
    }

    @Test func `a body that stops coming is not waited for as long as one that comes`() {
        var ledger = ledger()
        let (stuck, slow) = (ledger.connect(from: nil, now: start), ledger.connect(from: nil, now: start))
        for number in [stuck, slow] { ledger.headCame(number, isServed: true, now: start) }
        for second in stride(from: 10, through: 50, by: 10) { ledger.bytesMoved(slow, now: start + .seconds(second)) }
        #expect(late(&ledger, after: 14).isEmpty)
        #expect(late(&ledger, after: 15) == ["end \(stuck)"])
        #expect(late(&ledger, after: 59).isEmpty)
        #expect(late(&ledger, after: 60) == ["end \(slow)"])
    }

    @Test func `who does not take the answer is ended`() {
        var ledger = ledger()
        let number = ledger.connect(from: nil, now: start)
        ledger.answer(number, bytes: 10, now: start)
        #expect(late(&ledger, after: 15) == ["end \(number)"])
    }

    @Test func `who has ended their side has a moment left to be answered`() {
        var ledger = ledger()
        let number = ledger.connect(from: nil, now: start)
        _ = ledger.begin("anna", for: number, now: start)
        ledger.hungUp(number, now: start + .seconds(3))
        #expect(late(&ledger, after: 3).isEmpty)
        #expect(late(&ledger, after: 4) == ["give up anna"])
    }

    // MARK: Room

    @Test func `what is held is counted until it is let go`() {
        var ledger = ledger { $0.bytesMax = 100 }
        let (first, second) = (ledger.connect(from: nil, now: start), ledger.connect(from: nil, now: start))
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
        #expect(ledger.places == 0)
    }

    @Test func `one address holds its share, at all of its connections together (G11)`() {
        var ledger = ledger { ($0.bytesMax, $0.bytesPerAddress) = (100, 40) }
        let numbers = [1, 1, 2].map { ledger.connect(from: Origin(address: [192, 0, 2, $0]), now: start) }
        let held = [(30, 0), (10, 1), (1, 1), (40, 2)].map { ledger.hold($0.0, for: numbers[$0.1]) }
        #expect(held == [true, true, false, true])
        // Whoever comes from this machine may be a proxy.
        let here = ledger.connect(from: nil, now: start)
        let fits = ledger.hold(20, for: here)
        #expect(fits)
        ledger.letGo(numbers[0])
        let fitsAgain = ledger.hold(20, for: numbers[1])
        #expect(fitsAgain)
    }

    @Test func `what is worked on for who has gone is counted until it is done`() {
        var ledger = ledger { ($0.bytesMax, $0.requestsMax, $0.connectionsMax) = (100, 1, 1) }
        let number = ledger.connect(from: nil, now: start)
        _ = ledger.hold(60, for: number)
        _ = ledger.admit()
        _ = ledger.begin("anna", for: number, now: start)
        let work = ledger.disconnect(number)
        #expect(work == "anna")
        #expect(ledger.room(for: nil) == .free, "the place is free")
        let whileItLasts = ledger.admit()
        #expect(whileItLasts == .busy)
        #expect(ledger.bytes == 60)
        #expect(late(&ledger, after: 1000).isEmpty)
        let ending = ledger.end(number, answerBytes: 10, now: start)
        #expect(ending == .gone)
        #expect(ledger.bytes == 0)
        let afterwards = ledger.admit()
        #expect(afterwards == .admitted)
    }

    @Test func `an answer for which there is no room is not held, unless a head may be as long`() {
        var ledger = ledger { ($0.bytesMax, $0.headBytesMax) = (100, 20) }
        let (first, second) = (ledger.connect(from: nil, now: start), ledger.connect(from: nil, now: start))
        let holds = (ledger.hold(30, for: first), ledger.hold(60, for: second))
        #expect(holds == (true, true))
        _ = ledger.begin("anna", for: second, now: start)
        // Its body is let go with its answer, so that much room there is.
        let tooMuch = ledger.end(second, answerBytes: 71, now: start)
        #expect(tooMuch == .noRoom)
        #expect(ledger.bytes == 30)
        let fits = ledger.end(second, answerBytes: 70, now: start)
        #expect(fits == .fits)
        #expect(ledger.bytes == 100)
        let fitsAnyway = ledger.end(first, answerBytes: 20, now: start)
        #expect(fitsAnyway == .fits)
    }

    @Test func `a turn among those being answered is given back with the answer`() {
        var ledger = ledger { $0.requestsMax = 1 }
        let number = ledger.connect(from: nil, now: start)
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
        let (first, second) = (ledger.connect(from: nil, now: start), ledger.connect(from: nil, now: start))
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

    // MARK: Places

    @Test func `when all places are taken, the oldest that was never let in gives up its own`() {
        var ledger = ledger { $0.connectionsMax = 4 }
        let numbers = connect(4, to: &ledger)
        // The first is being served, the second was; the third and the fourth have said nothing yet.
        ledger.headCame(numbers[0], isServed: true, now: start + .seconds(4))
        ledger.headCame(numbers[1], isServed: true, now: start + .seconds(4))
        ledger.finish(numbers[1], now: start + .seconds(4))
        var given: [UInt] = []
        while case .after(let number) = ledger.room(for: nil) {
            given.append(number)
            ledger.disconnect(number)
            let next = ledger.connect(from: nil, now: start + .seconds(5))
            ledger.headCame(next, isServed: true, now: start + .seconds(5))
        }
        #expect(given == [numbers[2], numbers[3], numbers[1]])
        #expect(ledger.room(for: nil) == .none, "nobody who is served is asked to go")
        #expect(!ledger.hasRoom())
    }

    @Test func `who was refused has no standing, and who lingers has the least`() {
        var ledger = ledger { $0.connectionsMax = 3 }
        let numbers = connect(3, to: &ledger)
        ledger.headCame(numbers[1], isServed: false, now: start + .seconds(1))
        ledger.linger(numbers[2], now: start + .seconds(4))
        #expect(ledger.room(for: nil) == .after(numbers[2]))
        ledger.disconnect(numbers[2])
        ledger.headCame(ledger.connect(from: nil, now: start), isServed: true, now: start)
        #expect(ledger.room(for: nil) == .after(numbers[0]))
        ledger.disconnect(numbers[0])
        ledger.headCame(ledger.connect(from: nil, now: start), isServed: true, now: start)
        #expect(ledger.room(for: nil) == .after(numbers[1]), "also while what it sends is thrown away")
    }

    @Test func `who has just come is heard before they are asked to go`() {
        var ledger = ledger { $0.connectionsMax = 2 }
        let numbers = connect(2, to: &ledger)
        #expect(ledger.hasRoom(sparingThoseAfter: numbers[0]))
        #expect(!ledger.hasRoom(sparingThoseAfter: numbers[0] - 1))
        #expect(ledger.hasRoom())
    }

    @Test func `an address has so many places, and gives up its own`() {
        var ledger = ledger { $0.connectionsPerAddress = 2 }
        let numbers = connect(2, to: &ledger, from: home)
        #expect(ledger.room(for: home) == .after(numbers[0]))
        #expect(ledger.room(for: Origin(address: [192, 0, 2, 2])) == .free)
        #expect(ledger.room(for: nil) == .free)
        for number in numbers { ledger.headCame(number, isServed: true, now: start) }
        #expect(ledger.room(for: home) == .refused)
    }

    @Test func `who comes from this machine is not counted, nor told apart within a network of IPv6`() {
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        #expect(Origin(address: [127, 0, 0, 1]) == nil)
        #expect(Origin(address: [127, 9, 9, 9]) == nil)
        #expect(Origin(address: loopback) == nil)
        #expect(Origin(address: mapped + [127, 0, 0, 1]) == nil)
        #expect(Origin(address: mapped + [192, 0, 2, 1]) == home)
        func six(_ network: UInt8, _ host: UInt8) -> Origin? {
            Origin(address: [0x20, 1, 0x0D, 0xB8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host])
        }
        #expect(six(1, 1) == six(1, 2))
        #expect(six(1, 1) != six(2, 1))
        #expect(six(1, 1) != nil)
    }
}
