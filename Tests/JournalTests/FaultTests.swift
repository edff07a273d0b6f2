@testable import Journal
import Simulation
import Testing

@Suite("G4, failed writes and syncs")
struct FaultTests {
    static let errors = [ErrorCode.inputOutput, ErrorCode.noSpace]

    @Test(arguments: Workload.all, errors)
    func `after a failure nothing more is acknowledged, and nothing is synced again`(
        workload: Workload, code: Int32
    ) throws {
        for k in 1...(try workload.operationsOnPreparedDisk()) {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.faults = [k: .error(code)]
            guard let error = try journalError({ try workload.run(scribe) }) else {
                try scribe.expectOnlyTheSnapshotFailed(at: k)
                continue
            }
            try under("operation \(k) failed (\(scribe.disk.lastOperations))") {
                try scribe.expectStopped(by: error, code)
                guard scribe.disk.syncs.allSatisfy({ $0 <= k }) else { throw Broken("synced again") }
            }
        }
    }

    @Test(arguments: Workload.all, errors)
    func `opened again after a failure, the log holds all that was acknowledged`(
        workload: Workload, code: Int32
    ) throws {
        for k in 1...(try workload.operationsOnPreparedDisk()) {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.faults = [k: .error(code)]
            _ = try journalError { try workload.run(scribe) }
            try under("operation \(k) failed (\(scribe.disk.lastOperations))") {
                try scribe.onto(scribe.disk.restarted()).comeBackAndGoOn()
                for fate in Fate.allCases {
                    try under("then \(fate)") {
                        try scribe.onto(scribe.disk.recovered(fate, seed: UInt64(k))).comeBackAndGoOn()
                    }
                }
            }
        }
    }

    /// After a failed sync the pages are there to be read and will never be written. Whoever goes on behind them
    /// leaves a hole in front of what is acknowledged next.
    @Test(arguments: Workload.all)
    func `what a failed sync forgot is made durable before anything follows it`(workload: Workload) throws {
        for k in try workload.syncsOnPreparedDisk() {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.faults = [k: .error(ErrorCode.inputOutput)]
            _ = try journalError { try workload.run(scribe) }
            try under("sync \(k) failed (\(scribe.disk.lastOperations))") {
                let restarted = scribe.onto(scribe.disk.restarted())
                try restarted.comeBack()
                try restarted.append(1, again: Array(0..<restarted.memory.made))
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
    func `a recovery that fails at any operation can be tried again`(workload: Workload) throws {
        for k in stride(from: 2, through: try workload.operationsOnPreparedDisk(), by: 5) {
            let first = workload.scribeOnPreparedDisk()
            first.disk.crash(after: k, half: true)
            do { try workload.run(first) } catch  where !first.disk.isPowered {}
            let left = { first.onto(first.disk.recovered(.torn, seed: UInt64(k))) }
            let whole = left()
            try whole.comeBack()
            for again in 1...whole.disk.operations {
                let failed = left()
                failed.disk.faults = [again: .error(ErrorCode.inputOutput)]
                _ = try journalError { try failed.comeBackAndGoOn() }
                try under("cut after \(k), then \(again) failed (\(failed.disk.lastOperations))") {
                    let restarted = failed.onto(failed.disk.restarted())
                    try restarted.comeBackAndGoOn()
                    try restarted.onto(restarted.disk.recovered(.lost, seed: 0)).comeBackAndGoOn()
                }
            }
        }
    }

    /// What was mended and forgotten by a failed sync is mended again, and not gone on from.
    @Test(arguments: [0, 40, SegmentHeader.size, nil])
    func `a tail whose recovery failed at any operation can be recovered again`(bytesOfHeader: Int?) throws {
        let log = try KeptLog(segmentBytesMax: 700)
        let (last, bytes, _) = try log.lastSegment()
        let (next, header) = try log.nextSegment()
        let left = log.changed { disk in
            if let bytesOfHeader {
                disk.setContents(next, Array(header.prefix(bytesOfHeader)))
            } else {
                // Longer than the segment is to become: its end stands out when it comes back.
                disk.setContents(last, bytes + [UInt8](repeating: 7, count: 600))
            }
        }
        let whole = log.scribe.onto(left.copy())
        try whole.comeBack()
        for k in 1...whole.disk.operations {
            let failed = log.scribe.onto(left.copy())
            failed.disk.faults = [k: .error(ErrorCode.inputOutput)]
            _ = try journalError { try failed.open() }
            try under("operation \(k) failed (\(failed.disk.lastOperations))") {
                let restarted = failed.onto(failed.disk.restarted())
                try restarted.comeBack()
                for count in 1...3 {
                    try restarted.append(count)
                    try restarted.commit()
                }
                for fate in Fate.allCases {
                    try restarted.onto(restarted.disk.recovered(fate, seed: UInt64(k))).comeBackAndGoOn()
                }
            }
        }
    }

    @Test(arguments: Workload.all, [1, 71])
    func `short writes are completed`(workload: Workload, limit: Int) throws {
        for k in 1...(try workload.operationsOnPreparedDisk()) {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.faults = [k: .shortWrite(limit)]
            try under("operation \(k) wrote at most \(limit) bytes") {
                try workload.run(scribe)
                try scribe.checkWhole()
                try scribe.onto(scribe.disk.recovered(.lost, seed: 0)).comeBackAndGoOn()
            }
        }
    }

    @Test(arguments: Workload.all) func `short reads are completed`(workload: Workload) throws {
        let scribe = workload.scribeOnPreparedDisk()
        scribe.disk.readLimit = 7
        try workload.run(scribe)
        try scribe.checkWhole()
        try scribe.onto(scribe.disk.restarted()).comeBackAndGoOn()
    }

    @Test(arguments: Workload.all) func `a failed read is never taken for the end of the log`(workload: Workload) throws
    {
        for k in 1...(try workload.operationsOnPreparedDisk(countReads: true)) {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.countReads = true
            scribe.disk.faults = [k: .error(ErrorCode.inputOutput)]
            let error = try journalError { try workload.run(scribe) }
            try under("operation \(k) failed (\(scribe.disk.lastOperations))") {
                if error?.isDamage == true { throw Broken("taken for damage") }
                let restarted = scribe.onto(scribe.disk.restarted())
                try restarted.comeBackAndGoOn()
                guard try restarted.disk.list(Scribe.directory).allSatisfy({ !$0.hasSuffix(LogFile.tornSuffix) })
                else { throw Broken("something was cut off") }
            }
        }
    }

    @Test(arguments: Workload.all) func `a disk that fills up loses nothing acknowledged`(workload: Workload) throws {
        let whole = workload.scribeOnPreparedDisk()
        try workload.run(whole)
        let size = try whole.disk.files(in: Scribe.directory).values.reduce(0) { $0 + $1.count }
        for capacity in stride(from: 0, to: size, by: 61) {
            let scribe = workload.scribeOnPreparedDisk()
            scribe.disk.capacity = capacity
            let error = try journalError { try workload.run(scribe) }
            try under("\(capacity) bytes of \(size)") {
                if let error { try scribe.expectStopped(by: error, ErrorCode.noSpace) }
                let full = scribe.onto(scribe.disk.restarted())
                if let error = try journalError({ try full.comeBack() }) {
                    try full.expectStopped(by: error, ErrorCode.noSpace)
                }
                full.disk.capacity = nil
                try full.onto(full.disk.restarted()).comeBackAndGoOn()
            }
        }
    }
}

extension Workload {
    /// The log's directory is there, with a durable name: a failed sync above it is nothing a log could mend.
    fileprivate func scribeOnPreparedDisk() -> Scribe {
        let scribe = scribe()
        scribe.disk.setContents(DiskPath.join(Scribe.directory, LogFile.lock), [])
        return scribe
    }

    fileprivate func operationsOnPreparedDisk(countReads: Bool = false) throws -> Int {
        let scribe = scribeOnPreparedDisk()
        scribe.disk.countReads = countReads
        try run(scribe)
        return scribe.disk.operations
    }

    fileprivate func syncsOnPreparedDisk() throws -> [Int] {
        let scribe = scribeOnPreparedDisk()
        try run(scribe)
        return scribe.disk.syncs
    }
}

extension Scribe {
    /// The error is the disk's; and if the log had been opened, it takes nothing any more.
    fileprivate func expectStopped(by error: JournalError, _ code: Int32) throws {
        switch error {
        case .disk(let error), .stopped(let error):
            guard error.code == code else { throw Broken("stopped by \(error)") }
        default: throw Broken("stopped by \(error)")
        }
        guard let journal else { return }
        let (head, durable) = (journal.head, journal.durableHead)
        for _ in 0..<2 {
            guard case .stopped? = try journalError({ _ = try journal.append([Sample.entry(1000)], at: memory.now) }),
                case .stopped? = try journalError({ try journal.commit() }), journal.takeBatch() == nil,
                journal.durableHead == durable, journal.head == head
            else { throw Broken("it goes on after a failure") }
        }
        guard case .stopped? = try journalError({ try journal.close() }) else {
            throw Broken("closed as if all were well")
        }
    }

    /// The index snapshot is disposable; what goes wrong with it concerns nobody.
    fileprivate func expectOnlyTheSnapshotFailed(at k: Int) throws {
        // Its directory is synced right after it got its name.
        guard disk.log[k - 1].contains(LogFile.index) || disk.log[k - 2].contains(LogFile.index) else {
            throw Broken("nobody noticed that \(disk.log[k - 1])")
        }
        try checkWhole()
    }
}
