import CivilTime
import Notices
import Simulation
import Testing

@Suite("A list of notices")
struct NoticeListTests {
    private func notice(_ number: Int) -> Notice {
        Notice(
            name: "anna/reminder/#\(number)", kind: 0, priority: .medium, raisedAt: .distantPast,
            date: LocalDate(daysSince1970: 0))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `it is what a plain list is, whatever is put in and taken out`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = NoticeList<Notice>()
        var plain: [Notice] = []
        // Some stay few, others become many and few again.
        let most = [3, 12, 40, 400][Int(seed) % 4]
        for number in 0..<2_000 {
            let isGrowing = plain.count < most && (number / most) % 2 == 0
            if isGrowing || Int.random(in: 0..<3, using: &random) == 0 {
                list.append(notice(number))
                plain.append(notice(number))
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                #expect(list.removeFirst()?.name == plain.first?.name)
                plain = Array(plain.dropFirst())
            } else if let place = plain.indices.randomElement(using: &random) {
                let name = plain.remove(at: place).name
                #expect(list.entry(named: name)?.name == name)
                #expect(list.remove(list.entry(named: name) ?? notice(-1))?.name == name)
                #expect(list.entry(named: name) == nil)
            }
            #expect(list.count == plain.count)
            guard number % 50 == 0 else { continue }
            #expect(list.map(\.name) == plain.map(\.name), "seed \(seed)")
            #expect(plain.allSatisfy { list.contains($0) } && !list.contains(notice(-1)))
        }
    }
}
