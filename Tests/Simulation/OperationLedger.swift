internal import Journal

/// Something that goes wrong with one operation.
public enum Fault: Sendable, Equatable {
    /// The operation does nothing and throws this code. A sync that fails so loses what it should have synced.
    case error(Int32)
    /// A write takes only so many bytes, at least one. Other operations are not touched.
    case shortWrite(Int)
}

/// Numbers the operations of a simulated disk, and knows which of them are to go wrong.
struct OperationLedger: Sendable {
    /// What is to happen to an operation.
    enum Outcome {
        case whole
        case short(Int)
        case half
        case failed(Int32)
    }

    private(set) var count = 0
    private(set) var log: [String] = []
    private(set) var isPowered = true
    var countReads = false
    var faults: [Int: Fault] = [:]
    var lastSoundSync = Int.max
    var crashAfter = Int.max
    var isLastHalfDone = false

    /// Numbers an operation that changes the disk.
    mutating func next(_ operation: DiskError.Operation, _ path: String, _ detail: String) -> Outcome {
        guard isPowered, count < crashAfter else { return powerCut() }
        count += 1
        let outcome = outcome(of: operation)
        log.append("\(count) \(operation) \(path)" + (detail.isEmpty ? "" : " \(detail)") + outcome.note)
        return outcome
    }

    /// Numbers an operation that only looks, when those count; without a number it can fail only for want of power.
    mutating func nextRead(_ operation: DiskError.Operation, _ path: String) throws(DiskError) {
        guard countReads else {
            if !isPowered { throw DiskError(operation, path, SimulatedDisk.powerLost) }
            return
        }
        switch next(operation, path, "") {
        case .whole, .short: return
        case .half: throw DiskError(operation, path, SimulatedDisk.powerLost)
        case .failed(let code): throw DiskError(operation, path, code)
        }
    }

    private mutating func outcome(of operation: DiskError.Operation) -> Outcome {
        if isLastHalfDone, count == crashAfter {
            isPowered = false
            return .half
        }
        switch faults[count] {
        case .error(let code): return .failed(code)
        case .shortWrite(let limit) where operation == .write: return .short(max(1, limit))
        default: break
        }
        let isSync = operation == .syncData || operation == .syncDirectory
        return isSync && count > lastSoundSync ? .failed(ErrorCode.inputOutput) : .whole
    }

    private mutating func powerCut() -> Outcome {
        isPowered = false
        return .failed(SimulatedDisk.powerLost)
    }
}

extension OperationLedger.Outcome {
    fileprivate var note: String {
        switch self {
        case .whole: ""
        case .short(let count): ": short, at most \(count)"
        case .half: ": half done, power lost"
        case .failed(let code): ": \(ErrorCode.name(code))"
        }
    }
}
