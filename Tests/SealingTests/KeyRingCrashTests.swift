import Journal
import Notices
import Simulation
import Testing

@testable import Sealing

/// Makes and destroys keys on a disk that fails, and remembers what must be there from then on.
private final class Keeper {
    let disk: SimulatedDisk
    let source: MasterKeySource
    private(set) var memory: Memory

    /// What outlives disks and processes: the log, so to speak.
    struct Memory {
        var hasBegun = false
        /// Of people who are in the log: their keys were durable before.
        var values: [UInt32: [UInt8]] = [:]
        /// The log says so; their keys may still be there.
        var erased: Set<UInt32> = []
        /// It was acknowledged that they are gone.
        var gone: Set<UInt32> = []
        /// What person 2 was told in a week, whose key was durable before.
        var texts: [TextWeek: [UInt8]] = [:]
        /// The log says that the texts of weeks before this one are erased.
        var textsErased = TextWeek(number: 0)
        var textsGone = TextWeek(number: 0)
        /// What was sealed in a write that was never acknowledged.
        var torn: [UInt32: [UInt8]] = [:]
    }

    init(_ disk: SimulatedDisk, _ source: MasterKeySource, _ memory: Memory = Memory()) {
        (self.disk, self.source, self.memory) = (disk, source, memory)
    }

    func onto(_ disk: SimulatedDisk) -> Keeper { Keeper(disk, source, memory) }

    /// A life of keys, until the disk fails.
    func live() throws {
        let ring = try Sample.begin(on: disk, source)
        memory.hasBegun = true
        try enrol(3, ring)
        try erase([1], ring)
        try enrol(6, ring)
        try tell(in: 20, ring)
        try tell(in: 21, ring)
        try ring.rotateMaster()
        try eraseTexts(before: 21, ring)
        try tell(in: 23, ring)
        try tear(7, ring)
        try ring.renewKeys(beyond: 6)
        memory.torn.removeAll()
        try erase([0, 5], ring)
        try enrol(8, ring)
        // Two full pages: the next start finds nothing to do.
        try erase([7], ring)
    }

    private func enrol(_ count: Int, _ ring: KeyRing) throws {
        try ring.makeKeys(below: count)
        for (person, value) in try ring.values(of: UInt32(memory.values.count)..<UInt32(count)) {
            memory.values[person] = value
        }
    }

    private func tell(in week: UInt16, _ ring: KeyRing) throws {
        let week = TextWeek(number: week)
        try ring.makeKey(of: week)
        memory.texts[week] = try Sealer(ring).seal(Sample.text(of: 2), of: 2, at: Sample.place, in: week)
    }

    private func eraseTexts(before week: UInt16, _ ring: KeyRing) throws {
        memory.textsErased = TextWeek(number: week)
        try ring.destroyKeys(before: memory.textsErased)
        memory.textsGone = memory.textsErased
    }

    private func erase(_ people: Set<UInt32>, _ ring: KeyRing) throws {
        memory.erased.formUnion(people)
        try ring.destroy(people)
        memory.gone.formUnion(people)
    }

    /// People who are sealed for and never get into the log.
    private func tear(_ count: UInt32, _ ring: KeyRing) throws {
        let next = UInt32(memory.values.count)
        try ring.makeKeys(below: Int(next + count))
        memory.torn = try ring.values(of: next..<next + count)
    }

    /// The next start: everything acknowledged holds, and what was begun goes on to its end.
    @discardableResult
    func start() throws -> KeyRing? {
        guard memory.hasBegun else {
            if try !KeyRing.isThere(in: Sample.directory, on: disk) { _ = try Sample.begin(on: disk, source) }
            return nil
        }
        let ring = try Sample.open(on: disk, source)
        try ring.check(people: memory.values.count)
        try check(ring, erased: memory.gone, perhaps: memory.erased)
        try ring.destroy(memory.erased)
        memory.gone = memory.erased
        try ring.destroyKeys(before: memory.textsErased)
        memory.textsGone = memory.textsErased
        try ring.renewKeys(beyond: memory.values.count)
        try check(ring, erased: memory.gone, perhaps: [])
        return ring
    }

    /// A start, and life goes on.
    func comeBack() throws {
        guard let ring = try start() else { return }
        try checkThief()
        try enrol(memory.values.count + 3, ring)
        try check(ring, erased: memory.gone, perhaps: [])
        guard try disk.list(Sample.directory).allSatisfy({ !$0.hasSuffix(KeyFile.draftSuffix) }) else {
            throw Broken("a draft was left")
        }
    }

    private func check(_ ring: KeyRing, erased: Set<UInt32>, perhaps: Set<UInt32>) throws {
        let sealer = Sealer(ring)
        for (person, value) in memory.values {
            let said = try sealer.open(value, of: person, at: Sample.place)
            let isGood = said == .erased ? erased.union(perhaps).contains(person) : !erased.contains(person)
            guard isGood, said == .erased || said == .opened(Sample.text(of: person)) else {
                throw Broken("person \(person) says \(said)")
            }
        }
        for (week, value) in memory.texts {
            let said = try sealer.open(value, of: 2, at: Sample.place)
            let isGood = said == .erased ? week < memory.textsErased : week >= memory.textsGone
            guard isGood, said == .erased || said == .opened(Sample.text(of: 2)) else {
                throw Broken("the text of week \(week.number) says \(said)")
            }
        }
    }

    private func checkThief() throws {
        let keys = try Thief.keys(on: disk, masters: [Sample.master])
        for (person, value) in memory.values where memory.gone.contains(person) {
            if Thief.opens(value, keys[person]) { throw Broken("person \(person) was erased and can be read") }
        }
        for (person, value) in memory.torn where Thief.opens(value, keys[person]) {
            throw Broken("what was torn off, of person \(person), can be read")
        }
        for (week, value) in memory.texts where week < memory.textsGone {
            if try Thief.opensText(value, of: 2, on: disk, masters: [Sample.master]) {
                throw Broken("a text of week \(week.number) was erased and can be read")
            }
        }
    }
}

@Suite("E1, crash points of keys")
struct KeyRingCrashTests {
    private static let sources = [Sample.given(), .own]

    private func operations(_ source: MasterKeySource) throws -> Int {
        let keeper = Keeper(Sample.disk(), source)
        try keeper.live()
        return keeper.disk.operations
    }

    private func cut(after k: Int, half: Bool, _ source: MasterKeySource) throws -> Keeper {
        let keeper = Keeper(Sample.disk(seed: UInt64(k)), source)
        keeper.disk.crash(after: k, half: half)
        do { try keeper.live() } catch  where !keeper.disk.isPowered {}
        return keeper
    }

    @Test(arguments: sources, Fate.allCases)
    func `a power cut at any operation loses no key and brings nobody back`(
        source: MasterKeySource, fate: Fate
    ) throws {
        for k in 0...(try operations(source)) {
            let keeper = try cut(after: k, half: (k + fate.turn) % 2 == 0, source)
            try under("cut after operation \(k) (\(keeper.disk.log.suffix(3).joined(separator: "; ")))") {
                let left = keeper.onto(keeper.disk.recovered(fate, seed: UInt64(k)))
                try left.comeBack()
                guard k % 3 == 0 else { return }
                try left.onto(left.disk.recovered(.lost, seed: 0)).comeBack()
            }
        }
    }

    @Test(arguments: sources)
    func `a second power cut, at any operation of the next start`(source: MasterKeySource) throws {
        for k in stride(from: 1, through: try operations(source), by: 11) {
            let fate = Fate.allCases[k / 11 % 4]
            let first = try cut(after: k, half: true, source)
            let left = { first.onto(first.disk.recovered(fate, seed: UInt64(k))) }
            let whole = left()
            try under("cut after \(k), \(fate)") { try whole.comeBack() }
            for again in 0..<whole.disk.operations {
                let second = left()
                second.disk.crash(after: again, half: again % 2 == 0)
                do { try second.comeBack() } catch  where !second.disk.isPowered {}
                let later = Fate.allCases[again % 4]
                try under("cut after \(k), \(fate), then after \(again), \(later)") {
                    try second.onto(second.disk.recovered(later, seed: UInt64(again))).comeBack()
                }
            }
        }
    }

    @Test(arguments: sources)
    func `the process dies at any operation`(source: MasterKeySource) throws {
        for k in 0...(try operations(source)) {
            let died = try cut(after: k, half: k % 2 == 1, source)
            try under("died after operation \(k)") {
                let restarted = died.onto(died.disk.restarted())
                try restarted.start()
                let fate = Fate.allCases[k / 2 % 4]
                try restarted.onto(restarted.disk.recovered(fate, seed: UInt64(k))).comeBack()
            }
        }
    }

    /// `G4`: nobody knows what a disk holds after a sync that failed.
    @Test(arguments: sources, [ErrorCode.inputOutput, ErrorCode.noSpace])
    func `after a failure nothing more is changed, and nothing is lost`(source: MasterKeySource, code: Int32) throws {
        for k in 1...(try operations(source)) {
            let keeper = Keeper(Sample.disk(), source)
            keeper.disk.faults = [k: .error(code)]
            do { try keeper.live() } catch is KeyRingError {}
            try under("operation \(k) failed (\(keeper.disk.log.suffix(3).joined(separator: "; ")))") {
                try keeper.onto(keeper.disk.recovered(Fate.allCases[k % 4], seed: UInt64(k))).comeBack()
                // What a failed sync forgot is not believed by the next start either.
                let restarted = keeper.onto(keeper.disk.restarted())
                try restarted.start()
                try restarted.onto(restarted.disk.recovered(.lost, seed: 0)).comeBack()
            }
        }
    }

    @Test func `a ring that failed says so until it is opened again`() throws {
        let disk = Sample.disk()
        let ring = try Sample.begin(on: disk)
        try ring.makeKeys(below: 4)
        let values = try ring.values(of: 0..<4)
        disk.failEverySyncAfter(disk.operations)
        #expect(throws: KeyRingError.self) { try ring.destroy([1]) }
        disk.failEverySyncAfter(.max)
        let operations = disk.operations
        for _ in 0..<2 {
            let error = #expect(throws: KeyRingError.self) { try ring.destroy([1]) }
            guard case .stopped = error else { throw Broken("\(String(describing: error))") }
        }
        #expect(disk.operations == operations, "something was tried again")
        #expect(try ring.says(values[2], of: 2) == .opened(Sample.text(of: 2)))
        let again = try Sample.open(on: disk.restarted())
        #expect(try again.destroy([1]) == 1)
    }

    @Test(arguments: sources, [1, 71]) func `short writes are completed`(source: MasterKeySource, limit: Int) throws {
        for k in 1...(try operations(source)) {
            let keeper = Keeper(Sample.disk(), source)
            keeper.disk.faults = [k: .shortWrite(limit)]
            try under("operation \(k) wrote at most \(limit) bytes") {
                try keeper.live()
                try keeper.onto(keeper.disk.recovered(.lost, seed: 0)).comeBack()
            }
        }
    }
}

extension Fate {
    /// Half done or whole: each fate takes turns, so that all see both.
    fileprivate var turn: Int { self == .lost || self == .torn ? 0 : 1 }
}
