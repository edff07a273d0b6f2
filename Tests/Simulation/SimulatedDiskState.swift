internal import Journal

extension SimulatedDisk.State {
    /// Runs a numbered operation that no fault can do by halves; cut in the middle, it happened or it did not.
    mutating func whollyOrNot<Answer>(
        _ operation: DiskError.Operation, _ path: String, _ detail: String = "",
        _ work: (inout Self) throws(DiskError) -> Answer
    ) throws(DiskError) -> Answer {
        switch ledger.next(operation, path, detail) {
        case .whole, .short: return try work(&self)
        case .half:
            if Bool.random(using: &random) { _ = try work(&self) }
            throw DiskError(operation, path, SimulatedDisk.powerLost)
        case .failed(let code): throw DiskError(operation, path, code)
        }
    }

    /// The bytes that may still be written; a large number where there is no limit.
    var free: Int {
        guard let capacity else { return 1 << 40 }
        return max(0, capacity - storage.used)
    }

    /// How many bytes from `offset` on fit, those that are there already included.
    func room(in node: SimulatedStorage.Node, from offset: Int) -> Int {
        max(0, (storage.files[node]?.current.count ?? 0) + free - offset)
    }

    func handle(_ file: DiskFile, for operation: DiskError.Operation) throws(DiskError) -> SimulatedDisk.Handle {
        guard let handle = handles[file.descriptor] else {
            throw DiskError(operation, file.path, ErrorCode.badFile)
        }
        return handle
    }

    func writable(_ file: DiskFile, for operation: DiskError.Operation) throws(DiskError) -> SimulatedDisk.Handle {
        let handle = try handle(file, for: operation)
        guard handle.isWritable else { throw DiskError(operation, file.path, ErrorCode.badFile) }
        return handle
    }

    mutating func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
        let node = try storage.open(path, mode)
        opened += 1
        handles[opened] = SimulatedDisk.Handle(node: node, isWritable: mode != .read)
        return DiskFile(descriptor: opened, path: path)
    }
}
