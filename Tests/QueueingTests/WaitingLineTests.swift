import Queueing
import Simulation
import Testing

@Suite("A waiting line")
struct WaitingLineTests {
    private final class Guest {}

    @Test func `who has left is let go of, though others wait`() {
        var line = WaitingLine<Guest>()
        weak var first: Guest?
        do {
            let guest = Guest()
            first = guest
            line.append(guest)
        }
        line.append(contentsOf: [Guest(), Guest()])
        #expect(first != nil)
        _ = line.popFirst()
        #expect(first == nil)
        #expect(line.count == 2)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `first come, first served, as an array would`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var line = WaitingLine<Int>()
        var array: [Int] = []
        for number in 0..<20_000 {
            // First more come than leave, then the other way round.
            if Int.random(in: 0..<5, using: &random) < (number < 12_000 ? 3 : 1) {
                line.append(number)
                array.append(number)
            } else {
                #expect(line.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            guard number.isMultiple(of: 500) else { continue }
            #expect(line.count == array.count && line.first == array.first && line.isEmpty == array.isEmpty)
            #expect(Array(line.prefix(3)) == Array(array.prefix(3)))
        }
    }
}
