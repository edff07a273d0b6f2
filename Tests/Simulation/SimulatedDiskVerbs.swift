public import Journal
internal import Synchronization

extension SimulatedDisk {
    public func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
        try state.withLock { (state) throws(DiskError) in
            switch mode {
            case .read, .write:
                try state.ledger.nextRead(.open, path)
                return try state.open(path, mode)
            case .create, .createPrivate, .createOrOpen:
                return try state.whollyOrNot(.open, path, "\(mode)") { (state) throws(DiskError) in
                    try state.open(path, mode)
                }
            }
        }
    }

    public func close(_ file: DiskFile) {
        state.withLock {
            let handle = $0.handles.removeValue(forKey: file.descriptor)
            precondition(handle != nil, "\(file.path) was closed twice")
        }
    }

    public func size(of file: DiskFile) throws(DiskError) -> Int {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.size, file.path)
            let handle = try state.handle(file, for: .size)
            return state.storage.files[handle.node]?.current.count ?? 0
        }
    }

    public func read(
        _ file: DiskFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.read, file.path)
            let handle = try state.handle(file, for: .read)
            let bytes = state.storage.files[handle.node]?.current ?? []
            let count = min(buffer.count, state.readLimit ?? .max, bytes.count - offset)
            guard count > 0 else { return 0 }
            buffer.copyBytes(from: bytes[offset..<offset + count])
            return count
        }
    }

    public func write(
        _ file: DiskFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(DiskError) -> Int {
        if bytes.isEmpty { return 0 }
        return try state.withLock { (state) throws(DiskError) in
            let handle = try state.writable(file, for: .write)
            let outcome = state.ledger.next(.write, file.path, "\(bytes.count) bytes at \(offset)")
            var count = bytes.count
            switch outcome {
            case .whole: break
            case .short(let limit): count = min(count, limit)
            case .half: count = Int.random(in: 0..<count, using: &state.random)
            case .failed(let code): throw DiskError(.write, file.path, code)
            }
            count = min(count, state.room(in: handle.node, from: offset))
            state.storage.write(Array(bytes.prefix(count)), at: offset, to: handle.node)
            if case .half = outcome { throw DiskError(.write, file.path, Self.powerLost) }
            guard count > 0 else { throw DiskError(.write, file.path, ErrorCode.noSpace) }
            return count
        }
    }

    public func syncData(_ file: DiskFile) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let handle = try state.handle(file, for: .syncData)
            switch state.ledger.next(.syncData, file.path, "") {
            case .whole, .short:
                state.storage.syncData(handle.node)
            case .half:
                let waiting = state.storage.files[handle.node]?.unsynced.count ?? 0
                state.storage.syncData(handle.node, first: Int.random(in: 0...waiting, using: &state.random))
                throw DiskError(.syncData, file.path, Self.powerLost)
            case .failed(let code):
                if code != Self.powerLost { state.storage.forgetUnsynced(of: handle.node) }
                throw DiskError(.syncData, file.path, code)
            }
        }
    }

    public func truncate(_ file: DiskFile, to size: Int) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let handle = try state.writable(file, for: .truncate)
            try state.whollyOrNot(.truncate, file.path, "to \(size)") { (state) throws(DiskError) in
                guard size >= 0 else { throw DiskError(.truncate, file.path, ErrorCode.invalid) }
                let growth = size - (state.storage.files[handle.node]?.current.count ?? 0)
                guard growth <= 0 || growth <= state.free else {
                    throw DiskError(.truncate, file.path, ErrorCode.noSpace)
                }
                state.storage.truncate(handle.node, to: size)
            }
        }
    }

    public func syncDirectory(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let node = state.ledger.isPowered ? try state.storage.directory(at: path, for: .syncDirectory) : 0
            switch state.ledger.next(.syncDirectory, path, "") {
            case .whole, .short: state.storage.syncDirectory(node)
            case .half:
                if Bool.random(using: &state.random) { state.storage.syncDirectory(node) }
                throw DiskError(.syncDirectory, path, Self.powerLost)
            case .failed(let code):
                if code != Self.powerLost { state.storage.forgetUnsyncedEntries(of: node) }
                throw DiskError(.syncDirectory, path, code)
            }
        }
    }

    public func rename(_ from: String, to: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            try state.whollyOrNot(.rename, from, "to \(to)") { (state) throws(DiskError) in
                try state.storage.rename(from, to: to)
            }
        }
    }

    public func remove(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            try state.whollyOrNot(.remove, path) { (state) throws(DiskError) in
                try state.storage.remove(path)
            }
        }
    }

    public func list(_ path: String) throws(DiskError) -> [String] {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.list, path)
            let node = try state.storage.directory(at: path, for: .list)
            return (state.storage.directories[node]?.current.keys.map { $0 } ?? []).sorted()
        }
    }

    public func makeDirectory(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            try state.whollyOrNot(.makeDirectory, path) { (state) throws(DiskError) in
                try state.storage.makeDirectory(path)
            }
        }
    }

    public func status(of path: String) throws(DiskError) -> DiskStatus? {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.status, path)
            return try state.storage.status(of: path)
        }
    }

    public func status(of file: DiskFile) throws(DiskError) -> DiskStatus {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.status, file.path)
            return state.storage.status(of: try state.handle(file, for: .status).node)
        }
    }

    public func freeSpace(at path: String) throws(DiskError) -> Int {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.freeSpace, path)
            _ = try state.storage.existing(path, for: .freeSpace)
            return state.free
        }
    }

    public func lock(_ file: DiskFile) throws(DiskError) -> Bool {
        try state.withLock { (state) throws(DiskError) in
            try state.ledger.nextRead(.lock, file.path)
            let handle = try state.handle(file, for: .lock)
            let isTaken = state.handles.contains {
                $0.key != file.descriptor && $0.value.node == handle.node && $0.value.holdsLock
            }
            if !isTaken { state.handles[file.descriptor]?.holdsLock = true }
            return !isTaken
        }
    }
}
