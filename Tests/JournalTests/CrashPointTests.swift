@testable import Journal
import Simulation
import Testing

@Suite("G3, crash points")
struct CrashPointTests {
    @Test(arguments: Workload.all, Fate.allCases)
    func `a power cut at any operation loses nothing acknowledged`(workload: Workload, fate: Fate) throws {
        for k in 0...(try workload.operations()) {
            for half in [false, true] {
                let scribe = try workload.cut(after: k, half: half)
                for seed in fate.seeds {
                    try under("cut after operation \(k), half \(half), seed \(seed) (\(scribe.disk.lastOperations))") {
                        try scribe.onto(scribe.disk.recovered(fate, seed: seed)).comeBackAndGoOn()
                    }
                }
            }
        }
    }

    @Test(arguments: Workload.all)
    func `the process dies at any operation, and the power fails after the restart`(workload: Workload) throws {
        for k in 0...(try workload.operations()) {
            let died = try workload.cut(after: k, half: k % 2 == 1)
            try under("died after operation \(k) (\(died.disk.lastOperations))") {
                let restarted = died.onto(died.disk.restarted())
                try restarted.comeBack()
                try restarted.append(2)
                try restarted.commit()
                for fate in Fate.allCases {
                    try under("then \(fate)") {
                        try restarted.onto(restarted.disk.recovered(fate, seed: UInt64(k))).comeBackAndGoOn()
                    }
                }
            }
        }
    }

    @Test(arguments: Workload.all)
    func `a second power cut at any operation of the recovery`(workload: Workload) throws {
        for k in stride(from: 1, through: try workload.operations(), by: 4) {
            let fate = Fate.allCases[k / 4 % 4]
            let first = try workload.cut(after: k, half: true)
            let left = { first.onto(first.disk.recovered(fate, seed: UInt64(k))) }
            let whole = left()
            try under("cut after operation \(k), \(fate)") { try whole.comeBackAndGoOn() }
            for again in 0..<whole.disk.operations {
                let second = left()
                second.disk.crash(after: again, half: again % 2 == 0)
                do { try second.comeBackAndGoOn() } catch  where !second.disk.isPowered {}
                let later = Fate.allCases[again % 4]
                try under("cut after \(k), \(fate), then after \(again), \(later) (\(second.disk.lastOperations))") {
                    try second.onto(second.disk.recovered(later, seed: UInt64(again))).comeBackAndGoOn()
                }
            }
        }
    }

    /// Whoever reads while another writes takes no lock and mends nothing.
    @Test(arguments: Workload.all)
    func `a reader sees all that was acknowledged, at any moment of the writing`(workload: Workload) throws {
        for k in 0...(try workload.operations()) {
            for half in [false, true] {
                let scribe = try workload.cut(after: k, half: half)
                let disk = scribe.disk.restarted()
                guard try disk.status(of: Scribe.directory) != nil else { continue }
                try under("after operation \(k), half \(half) (\(scribe.disk.lastOperations))") {
                    let found = try WholeLog(Scribe.directory, on: disk)
                    if let problem = scribe.memory.problem(with: found.commits) { throw Broken(problem) }
                    guard disk.operations == 0 else { throw Broken("reading changed something") }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `any random life, with any number of crashes and failures`(hasFailures: Bool) throws {
        for seed in seeds(300, long: 20_000) {
            var life = RandomLife(seed: seed, hasFailures: hasFailures)
            try under("seed \(seed)") { try life.live() }
        }
    }
}

extension Fate {
    /// All that is lost or kept is the same for every seed.
    fileprivate var seeds: Range<UInt64> { self == .lost || self == .kept ? 0..<1 : 0..<3 }
}

/// A worker's life at random: what it appends, what fails, how it is cut off, and what that leaves.
private struct RandomLife {
    private var random: SeededRandom
    private let options: JournalOptions
    private let hasFailures: Bool

    init(seed: UInt64, hasFailures: Bool) {
        random = SeededRandom(seed: seed)
        options = JournalOptions(
            segmentBytesMax: [400, 900, 2000, 20_000].randomElement(using: &random) ?? 0,
            snapshotEveryBytes: [0, 700, 1 << 20].randomElement(using: &random) ?? 0)
        self.hasFailures = hasFailures
    }

    mutating func live() throws {
        var scribe = Scribe(on: SimulatedDisk(seed: random.next()), options)
        // A failed sync above the log's directory is nothing a log could mend.
        if hasFailures { scribe.disk.setContents(DiskPath.join(Scribe.directory, LogFile.lock), []) }
        for _ in 0..<5 {
            scribe.disk.crash(after: .random(in: 0..<80, using: &random), half: .random(using: &random))
            if hasFailures { scribe.disk.faults = failures() }
            do {
                try scribe.comeBack()
                for _ in 0..<30 { try step(scribe) }
            } catch  where !scribe.disk.isPowered {
            } catch let error as JournalError where hasFailures && !error.isDamage {
            }
            let fate = Fate.allCases.randomElement(using: &random) ?? .lost
            let isPowerCut = Int.random(in: 0..<4, using: &random) > 0
            scribe = scribe.onto(
                isPowerCut ? scribe.disk.recovered(fate, seed: random.next()) : scribe.disk.restarted())
        }
        try scribe.comeBackAndGoOn()
    }

    private mutating func failures() -> [Int: Fault] {
        let number = Int.random(in: 1..<60, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return [:]
        case 1: return [number: .error(ErrorCode.noSpace)]
        case 2: return [number: .error(ErrorCode.inputOutput)]
        default: return [number: .shortWrite(5), number / 2: .error(ErrorCode.inputOutput)]
        }
    }

    private mutating func step(_ scribe: Scribe) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try scribe.append(.random(in: 1...4, using: &random), again: again(scribe))
        case 4..<7: try scribe.commit()
        case 7..<9: try scribe.writeBatch(appending: .random(in: 1...3, using: &random))
        default:
            try scribe.close()
            try scribe.open()
        }
    }

    private mutating func again(_ scribe: Scribe) -> [Int] {
        guard scribe.memory.made > 0, Bool.random(using: &random) else { return [] }
        return (0..<3).map { _ in .random(in: 0..<scribe.memory.made, using: &random) }
    }
}
